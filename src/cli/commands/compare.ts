import { join } from 'node:path'
import type { Report } from '../../bench/report/index.ts'
import { compareReports, counted, readReport, readReports, verb } from '../../bench/report/index.ts'
import { number } from '../../input.ts'
import { type Command, UsageError } from './command.ts'
import { statOf } from './files.ts'
import { print, printJson } from './output.ts'
import { aligned } from './text-table.ts'

/** The reports of a folder, or of one file, by name. */
function reportsOf(path: string): Map<string, Report> {
  const stat = statOf(path)
  if (stat === undefined) throw new UsageError(`${path}: no such file or folder`)
  const reports = stat.isDirectory() ? readReports(path) : [readReport(path)]
  if (reports.length === 0) throw new UsageError(`${path}: holds no reports`)
  return new Map(reports.map((report) => [report.name, report]))
}

/** Reports that both sides have; two single files are compared whatever their names. */
function pairsOf(a: Map<string, Report>, b: Map<string, Report>): [Report, Report][] {
  if (a.size === 1 && b.size === 1) return [[[...a.values()][0]!, [...b.values()][0]!]]
  return [...a].flatMap(([name, report]): [Report, Report][] => {
    const other = b.get(name)
    return other ? [[report, other]] : []
  })
}

/** Returns whether two reports have a cell in common: a number of the same table, row and column. */
const areRelated = (one: Report, other: Report): boolean =>
  one.tables.some((table) => {
    const twin = other.tables.find(({ id }) => id === table.id)
    return table.rows.some(({ id, cells }) => {
      const row = twin?.rows.find((own) => own.id === id)
      return row !== undefined && Object.keys(cells).some((column) => column in row.cells)
    })
  })

export const compare: Command = {
  usage: 'A B',
  summary: 'Compares two reports, or two folders of them. Exit code 0: no difference beyond chance, 1: some.',
  words: 2,
  flags: {
    'false-alarm': { value: 'R', help: 'chance that two honest runs differ somewhere; 1e-4 by default' },
    all: { help: 'print every difference, not the first 20 of each report' },
    json: { help: 'print JSON' },
  },
  async run(input, output) {
    const [a, b] = input.words
    if (a === undefined || b === undefined)
      throw new UsageError('expected two reports, such as reports/table3.json old/table3.json')
    const falseAlarm = number('--false-alarm', input.number('false-alarm') ?? 1e-4, 0, 1, true)
    const [before, after] = [reportsOf(a), reportsOf(b)]
    const pairs = pairsOf(before, after)
    if (pairs.length === 0)
      throw new UsageError(
        `${a} and ${b} have no report in common (${[...before.keys()].join(', ')} and ${[...after.keys()].join(', ')})`,
      )
    for (const [one, other] of pairs)
      if (!areRelated(one, other))
        throw new UsageError(
          `${one.name} and ${other.name} have no cell in common, so there is nothing to compare; expected two runs of one experiment, such as reports/${one.name}.json old/${one.name}.json`,
        )
    // all reports share the rate
    const results = pairs.map(([one, other]) => ({
      report: one.name,
      ...compareReports(one, other, { falseAlarm: falseAlarm / pairs.length }),
    }))
    const different = results.filter(({ differences }) => differences.length > 0)
    const only = (own: Map<string, Report>, others: Map<string, Report>) =>
      pairs.length === 1 ? [] : [...own.keys()].filter((name) => !others.has(name))
    const alone = [...only(before, after), ...only(after, before)]
    if (input.on('json')) printJson(output, { falseAlarm, reports: results, alone })
    else {
      for (const { report, cells, differences } of results) {
        print(
          output,
          `${report}: ${counted(differences.length, 'difference')} beyond chance in ${counted(cells, 'cell')}`,
        )
        const shown = input.on('all') ? differences : differences.slice(0, 20)
        if (shown.length > 0)
          print(
            output,
            aligned([
              ['  cell', join(a), join(b), 'p'],
              ...shown.map((d) => [
                `  ${d.table} / ${d.row} / ${d.column}`,
                d.accepted,
                d.now,
                d.pValue > 0 ? d.pValue.toExponential(1) : '0',
              ]),
            ]),
          )
        if (shown.length < differences.length)
          print(output, `  and ${differences.length - shown.length} more (--all)`)
      }
      if (alone.length > 0) print(output, `only on one side: ${alone.join(', ')}`)
      print(
        output,
        `\n${counted(different.length, 'report')} of ${pairs.length} ${verb(different.length, 'differs', 'differ')}; two honest runs differ somewhere with probability at most ${falseAlarm}`,
      )
    }
    return different.length === 0 ? 0 : 1
  },
}
