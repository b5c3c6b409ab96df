/** A study of several models: tables of each, their mean as in the paper, and what happens where one cannot be fetched. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type Experiment,
  embeddedStudy,
  openStore,
  paperExperiments,
  type Report,
  runExperiment,
  type Study,
} from '../../src/bench/entry.ts'
import { joinBodies, meanNumber } from '../../src/bench/protocols/mean-report.ts'
import { compareReports, sameValue } from '../../src/bench/report/compare.ts'
import { derived, exact, proportion, text } from '../../src/bench/report/values.ts'
import { availableStudy } from '../../src/bench/study/available.ts'
import { toyStudy } from './toy-study.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-several-'))
afterAll(() => rmSync(root, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

const run = (experiment: Experiment, workers = 0) =>
  runExperiment(experiment, {
    workers,
    store: openStore(join(root, 'store')),
    progress: { done() {}, warn() {}, end() {} },
  })

/** The toy model twice: the second one warmer, with other sizes and without translation. */
function twoStudy(second = { id: 'toy', chat: false }): Study {
  const first = toyStudy(4)
  return {
    ...first,
    name: 'first',
    more: [
      {
        name: 'second',
        temperature: 1.3,
        open: { ...first.open, models: [second], prompts: 5, tokens: 50 },
        tasks: first.tasks.slice(0, 1).map((task) => ({ ...task, model: second })),
        repeated: { ...first.repeated, generations: 5 },
        attacks: first.attacks.map((attack) => ({ ...attack, texts: 3 })),
        settings: ['A warm toy.'],
      },
    ],
  }
}

const { more: _, ...alone } = twoStudy()
const both = paperExperiments(twoStudy())
const names = Object.keys(both) as (keyof typeof both)[]

describe('a study of two models', () => {
  const reports = new Map<string, Report>()
  const singles = new Map<string, Report>()
  let again = 0
  beforeAll(async () => {
    for (const name of names) reports.set(name, (await run(both[name])).report!)
    for (const name of names) {
      const single = await run(paperExperiments({ ...alone, more: [] })[name])
      singles.set(name, single.report!)
      again += single.run.computed
    }
  }, 180_000)

  test('the cells of one model are reused where the other is missing', () => {
    expect(again).toBe(0)
  })

  test.each(names)('%s: a report without the second model has the same tables of the first', (name) => {
    const [two, single] = [reports.get(name)!, singles.get(name)!]
    // tables about a report as a whole: the power of its tests, and what the paper's tables imply
    const one = { tables: single.tables.filter(({ id }) => id !== 'power' && id !== 'implied') }
    for (const table of one.tables) {
      const twin = two.tables.find(({ id }) => id === table.id)
      expect(twin, table.id).toEqual(table)
    }
    if (name === 'audit' || one.tables.length === 0) return
    expect(one.tables.every(({ id }) => id.endsWith('-first'))).toBe(true)
    const ids = two.tables.map(({ id }) => id)
    for (const { id } of one.tables) {
      expect(ids).toContain(id.replace(/first$/, 'second'))
      // texts to look at have no mean
      if (name !== 'samples') expect(ids).toContain(id.replace(/-first$/, ''))
    }
  })

  test.each(names)('%s: means come first and lie between the models', (name) => {
    const { tables, charts } = reports.get(name)!
    if (name === 'audit' || name === 'agreement') return
    for (const table of tables.filter(({ id }) => !/-(first|second)$/.test(id)))
      for (const { id: row, cells } of table.rows)
        for (const [column, value] of Object.entries(cells)) {
          const own = ['first', 'second'].flatMap((model) => {
            const each = tables.find(({ id }) => id === `${table.id}-${model}`)
            return each?.rows.find(({ id }) => id === row)?.cells[column] ?? []
          })
          const numbers = own.flatMap((one) => (one.kind === 'text' ? [] : [one.value]))
          if (value?.kind !== 'estimate') continue
          expect(value.derived).toBe(true)
          const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length
          expect(value.value, `${table.id} ${row} ${column}`).toBeCloseTo(mean, 12)
          expect(value.low).toBeLessThanOrEqual(value.value)
          expect(value.high).toBeGreaterThanOrEqual(value.value)
        }
    const ids = charts.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('the translation of the mean table is that of the model which translates', () => {
    const [mean, first, second] = reports.get('table1')!.tables
    expect([mean!.id, first!.id, second!.id]).toEqual(['table1', 'table1-first', 'table1-second'])
    const column = 'translation BLEU'
    expect(second!.columns.some(({ id }) => id === column)).toBe(false)
    for (const [i, { cells }] of mean!.rows.entries())
      expect(cells[column]!.value).toBe(first!.rows[i]!.cells[column]!.value)
  })

  test('agreement ranks the mean scores, and those of each model', () => {
    const { tables } = reports.get('agreement')!
    expect(tables.map(({ id }) => id)).toEqual([
      'agreement',
      'agreement-columns',
      // a mean of scores is not the score of means; those of one model are equal
      'own-audit',
      'agreement-first',
      'agreement-columns-first',
      'agreement-second',
      'agreement-columns-second',
    ])
  })

  test('the chart that heads the page is there, with one model and with two', () => {
    for (const { headline, charts } of [reports.get('figure1')!, singles.get('figure1')!])
      expect(charts.map(({ id }) => id)).toContain(headline!.chart)
  })

  test('notes of one model bear its name, and those of both come once', () => {
    const { notes } = reports.get('table3')!
    expect(notes).toContain('first: A toy.')
    expect(notes).toContain('second: A warm toy.')
    expect(notes.filter((note) => note.startsWith('Thresholds are analytic'))).toHaveLength(1)
  })

  test('a rerun with another seed does not differ', async () => {
    const { report } = await run(paperExperiments({ ...twoStudy(), seed: 2 }).table3)
    expect(compareReports(reports.get('table3')!, report!).differences).toEqual([])
  })
})

describe('means of numbers', () => {
  const [half, all] = [proportion(5, 10, { paper: 0.7 }), proportion(20, 20)] as const
  const numbers = [half, all].flatMap((one) => (one.kind === 'text' ? [] : [one]))

  test('a mean has the mean of the intervals, stays in their range and keeps the published figure', () => {
    const mean = meanNumber(numbers)
    expect(mean).toMatchObject({ kind: 'estimate', value: 0.75, n: 30, paper: 0.7, derived: true })
    if (mean.kind !== 'estimate') return
    expect(mean.high).toBeLessThanOrEqual(1)
    expect(mean.low).toBeLessThan(0.75)
  })

  test('a mean is not compared with the accepted one, since what it is made of is', () => {
    const other = { ...meanNumber(numbers), value: 0.2 } as ReturnType<typeof meanNumber>
    expect(sameValue(meanNumber(numbers), other)).toBe(1)
    expect(sameValue(half, proportion(1000, 1000))).toBeLessThan(0.05)
  })

  test('p-values of tests are corrected for the number of models; words are listed', () => {
    const body = (p: number, word: string, count: number) => ({
      notes: [],
      charts: [],
      tables: [
        {
          id: 't',
          title: 'T',
          columns: [
            { id: 'p', label: 'p', unit: 'p-value' as const },
            { id: 'word', label: 'word', unit: 'text' as const },
            { id: 'count', label: 'count', unit: 'count' as const },
          ],
          rows: [
            {
              id: 'r',
              label: 'r',
              family: '',
              cells: { p: derived(p), word: text(word), count: exact(count) },
            },
          ],
        },
      ],
    })
    const { tables } = joinBodies([
      { name: 'a', body: body(0.3, 'yes', 7) },
      { name: 'b', body: body(0.01, 'no', 7) },
    ])
    expect(tables[0]!.rows[0]!.cells).toEqual({
      p: derived(0.02),
      word: { kind: 'text', value: 'a: yes; b: no', derived: true },
      count: exact(7),
    })
  })
})

describe('where the second model cannot be fetched', () => {
  test('the study goes on with the first, and says so', async () => {
    vi.stubEnv('PATH', '/nowhere')
    vi.stubEnv('UWBENCH_CACHE', join(root, 'cache'))
    const study = await availableStudy(embeddedStudy())
    expect(study.more).toEqual([])
    const here = study.standIns.map((one) => one.here)
    expect(here).toContain('Nothing: stories15m could not be fetched where this ran')
    expect(here.join()).not.toContain('TinyStories')
  })

  test('no part of the report counts as made by other means: what both have is compared', () => {
    const { standIns } = embeddedStudy()
    const [there, missing] = (['where', 'without'] as const).map((key) =>
      standIns.filter((one) => one[key] === 'stories15m').map(({ paper }) => paper),
    )
    expect(there).toHaveLength(1)
    expect(missing).toHaveLength(1)
    expect(there).not.toEqual(missing)
  })
})
