import { counted, readReports } from '../../bench/report/index.ts'
import { recomputed, refreshed } from '../../bench/run/index.ts'
import { type Command, UsageError } from './command.ts'
import { statOf } from './files.ts'
import { print } from './output.ts'

/** Two values that differ: where, in the file, and computed again. */
type Difference = readonly [at: string, file: string, again: string]

const short = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 60)

/** Equal but for the last bits, which differ between machines. */
const isClose = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))

/** Lists the places where two JSON values differ. */
function differences(a: unknown, b: unknown, at: string): Difference[] {
  if (typeof a === 'number' && typeof b === 'number') return isClose(a, b) ? [] : [[at, short(a), short(b)]]
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object')
    return a === b ? [] : [[at, short(a), short(b)]]
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].flatMap((name) =>
    differences((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name], `${at}/${name}`),
  )
}

export const verify: Command = {
  usage: '[DIR]',
  summary:
    'Computes the reports of DIR (reports/ by default) again from DIR/data, without a model. Exit code 0: every number is the same, 1: some differ.',
  words: 1,
  flags: {},
  async run(input, output) {
    const folder = input.words[0] ?? 'reports'
    if (!statOf(folder)?.isDirectory()) throw new UsageError(`${folder}: no such folder`)
    const reports = readReports(folder)
    if (reports.length === 0)
      throw new UsageError(`${folder}: holds no reports; run the benchmark first: npm run bench`)
    const again = recomputed(folder)
    const derived = refreshed(reports, ({ name }) => !again.has(name))
    let different = 0
    for (const [i, report] of reports.entries()) {
      const own = again.get(report.name) ?? derived[i]!
      const from = again.has(report.name) ? 'from its data' : 'from its tables, since it has no data'
      const { provenance: _, ...file } = report
      const { provenance: __, ...other } = own
      const found = differences(file, other, report.name)
      different += found.length
      const cells = report.tables.reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0)
      print(
        output,
        `${report.name}: ${counted(cells, 'cell')}, computed again ${from}: ${counted(found.length, 'difference')}`,
      )
      for (const [at, before, now] of found.slice(0, 10))
        print(output, `  ${at}: the file has ${before}, computed again ${now}`)
    }
    return different === 0 ? 0 : 1
  },
}
