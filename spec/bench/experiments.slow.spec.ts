import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  defineExperiment,
  type Experiment,
  openStore,
  paperExperiments,
  paperStudy,
  type Report,
  runExperiment,
  smokeStudy,
} from '../../src/bench/entry.ts'
import { modelName, Plan } from '../../src/bench/plan/plan.ts'
import { compareReports } from '../../src/bench/report/compare.ts'
import { toPage } from '../../src/bench/report/page.ts'
import { misfitOf } from '../../src/bench/report/shape.ts'
import { toJson } from '../../src/bench/report/write.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { dipmark, expEdit, kgw, paperWatermarks } from '../../src/watermarks/entry.ts'
import { toyStudy } from './toy-study.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-experiments-'))
afterAll(() => rmSync(root, { recursive: true }))
const silent = { done() {}, warn() {}, end() {} }
const experiments = paperExperiments(toyStudy())
const names = Object.keys(experiments) as (keyof typeof experiments)[]

const run = (experiment: Experiment, store: string, more = {}) =>
  runExperiment(experiment, { store: openStore(join(root, store)), workers: 0, progress: silent, ...more })

/** All files of a folder with their content. */
const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

/** Runs part of the study in a process of its own; killed after so many cells, unless it is done before. */
async function inProcess(
  store: string,
  reports: string,
  killAfter = Number.POSITIVE_INFINITY,
): Promise<number> {
  const script = fileURLToPath(new URL('./run-study.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, join(root, store), join(root, reports)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let cells = 0
  child.stdout.on('data', (chunk: Buffer) => {
    cells += chunk.toString().split('\n').length - 1
    if (cells >= killAfter) child.kill('SIGKILL')
  })
  await new Promise((resolve) => child.on('close', resolve))
  return cells
}

describe('every experiment', () => {
  const reports = new Map<string, Report>()
  beforeAll(async () => {
    for (const name of names) reports.set(name, (await run(experiments[name], 'all')).report!)
  }, 180_000)

  test.each(names)('%s gives finite numbers inside their intervals, and says what it is', (name) => {
    const report = reports.get(name)!
    expect(report.summary.length).toBeGreaterThan(0)
    expect(report.tables.length + report.charts.length).toBeGreaterThan(0)
    // plain JSON: nothing was lost on the way
    expect(JSON.parse(toJson(report))).toEqual(report)
    for (const table of report.tables)
      for (const row of table.rows)
        for (const column of table.columns) {
          const value = row.cells[column.id]
          expect(value, `${table.id} ${row.id} ${column.id}`).not.toBeUndefined()
          if (!value || value.kind === 'text') continue
          expect(Number.isFinite(value.value), `${table.id} ${row.id} ${column.id}`).toBe(true)
          if ('low' in value) {
            expect(value.low).toBeLessThanOrEqual(value.value + 1e-12)
            expect(value.high).toBeGreaterThanOrEqual(value.value - 1e-12)
            expect(value.n).toBeGreaterThan(0)
          }
        }
  })

  test.each(['table1', 'table2', 'table3', 'table4', 'table5', 'table6', 'table7'])(
    '%s has a row for every method, every published test and no watermark',
    (name) => {
      const ids = reports.get(name)!.tables[0]!.rows.map(({ id }) => id)
      const published = /[12]$/.test(name)
        ? []
        : ['kgw(delta=2)', 'dipmark(alpha=0.4)', 'mcmark(channels=10)'].map((id) =>
            id.replace(')', ',detector=published)'),
          )
      const wanted = ['unwatermarked', ...toyStudy().watermarks.map(({ id }) => id), ...published]
      expect([...ids].sort()).toEqual([...wanted].sort())
    },
  )

  test('agreement ranks methods by guaranteed and by published tests', () => {
    const [axes, columns] = reports.get('agreement')!.tables
    expect(axes!.rows.map(({ id }) => id)).toEqual([
      'unbiasedness',
      'detectability',
      'detectability published',
      'robustness',
      'robustness published',
      'detectability recomputed',
    ])
    const ids = columns!.rows.map(({ id }) => id)
    for (const id of ['tpr1', 'median', 'replace(rate=0.3)']) expect(ids).toContain(`${id} published`)
  })

  test('strong watermarks are detected, false positives are few, attacks hurt', () => {
    const value = (table: string, row: string, column: string) =>
      reports.get(table)!.tables[0]!.rows.find(({ id }) => id === row)!.cells[column]!.value as number
    expect(value('table3', 'mcmark(channels=10)', 'tpr1')).toBe(1)
    expect(value('table3', 'unwatermarked', 'tpr5')).toBeLessThan(0.5)
    expect(value('table4', 'mcmark(channels=10)', 'replace(rate=0.3)')).toBeLessThan(1)
  })

  test('the same run again is the same report, to the byte', async () => {
    const again = await run(experiments.table3, 'again')
    expect(toJson(again.report!)).toBe(toJson(reports.get('table3')!))
  })

  test('another seed gives another report, which no comparison calls different', async () => {
    const other = defineExperiment({ ...experiments.table3, study: { ...toyStudy(), seed: 2 } })
    const { report } = await run(other, 'seed')
    expect(toJson(report!)).not.toBe(toJson(reports.get('table3')!))
    expect(compareReports(reports.get('table3')!, report!).differences).toEqual([])
  })

  test('two workers give what one thread gives', async () => {
    const { report } = await run(experiments.table3, 'workers', { workers: 2 })
    expect(toJson(report!)).toBe(toJson(reports.get('table3')!))
  })
})

describe('any number of watermarks', () => {
  const few = [
    ['none', []],
    ['one', [dipmark({ alpha: 0.4 })]],
    ['one that is tested by alignment', [expEdit({ keyLength: 32 })]],
  ] as const

  test.each(few)('%s: every report is written, and says so', async (name, watermarks) => {
    const store = `few ${name}`
    for (const experiment of Object.values(paperExperiments({ ...toyStudy(3), watermarks }))) {
      const { report } = await run(experiment, store)
      expect(JSON.parse(toJson(report!)), experiment.name).toEqual(report)
      expect(misfitOf(report), experiment.name).toBeUndefined()
      const page = toPage([report!]).replace(/<script[\s\S]*<\/script>/, '')
      expect(page, experiment.name).not.toMatch(/NaN|undefined|Infinity/)
      const said = [...report!.summary, ...report!.notes].join(' ')
      expect(said, experiment.name).not.toMatch(/NaN|undefined|Infinity| 1 (methods|texts|prompts)\b/)
      if (watermarks.length === 0 && experiment.name !== 'paper-audit')
        expect(report!.summary[0], experiment.name).toMatch(
          /no methods were|nothing was measured|not computed|No methods were/i,
        )
      // remarks about methods that are not there would be wrong
      if (experiment.name !== 'paper-audit') expect(said, experiment.name).not.toMatch(/Unigram|SynthID/)
    }
  })
})

describe('interruptions', () => {
  test('a run killed again and again ends with the files of one that is not', {
    timeout: 300_000,
  }, async () => {
    await inProcess('whole', 'whole-reports')
    const random = seededRandom('killed study')
    let [kills, computed] = [0, 0]
    while (kills < 3) {
      computed += await inProcess('killed', 'killed-reports', 20 + random.below(80))
      kills++
    }
    computed += await inProcess('killed', 'killed-reports')
    expect(contents(join(root, 'killed-reports'))).toEqual(contents(join(root, 'whole-reports')))
    const cells = readdirSync(join(root, 'whole', 'cells'), { recursive: true, withFileTypes: true }).filter(
      (e) => e.isFile(),
    )
    // A cell is announced after it is stored: no announced one is computed twice. A kill can fall between the two, once per kill.
    expect(computed).toBeLessThanOrEqual(cells.length)
    expect(computed).toBeGreaterThanOrEqual(cells.length - kills)
  })

  test('the merged stores of two shards give the report of an unsharded run', async () => {
    const whole = await run(experiments.table3, 'unsharded')
    for (const index of [1, 2]) {
      const part = await run(experiments.table3, `shard-${index}`, { shard: { index, count: 2 } })
      expect(part.report).toBeUndefined()
      expect(part.run.missing.length).toBeGreaterThan(0)
      cpSync(join(root, `shard-${index}`), join(root, 'shards'), { recursive: true })
    }
    const merged = await run(experiments.table3, 'shards')
    expect(merged.run.computed).toBe(0)
    expect(toJson(merged.report!)).toBe(toJson(whole.report!))
  })
})

describe('declarations', () => {
  test("a watermark of one's own comes from a module", async () => {
    const { mine } = await import('./own-watermark.ts')
    const modules = [new URL('./own-watermark.ts', import.meta.url).href]
    const study = { ...toyStudy(), watermarks: [mine], modules }
    const { report } = await run(paperExperiments(study).table3, 'own', { workers: 1 })
    expect(report!.tables[0]!.rows.map(({ id }) => id)).toEqual(['unwatermarked', 'mine(delta=3)'])
  })

  test('wrong ones are refused with the field, the value and what was expected', () => {
    expect(() => defineExperiment({ ...experiments.table1, name: 'Table 1' })).toThrow(
      /name: expected a file name/,
    )
    expect(() => defineExperiment({ ...experiments.table1, protocol: 'guess' as 'audit' })).toThrow(
      /protocol: expected one of/,
    )
    const twice = { ...toyStudy(), watermarks: [kgw({ delta: 1 }), kgw({ delta: 1 })] }
    expect(() => paperExperiments(twice)).toThrow(/different ids.*kgw/)
  })

  test('the paper scale: 3 models x 7 datasets, all 19 methods, DIPPER', () => {
    const study = paperStudy()
    const { tasks, open, attacks } = study
    const refs = [...open.models, ...tasks.flatMap(({ model, judge }) => [model, judge]), attacks[0]!.model]
    const models = new Map(refs.flatMap((ref) => (ref ? [[modelName(ref), ref.id] as const] : [])))
    const watermarks = new Map(study.watermarks.map(({ id }) => [id, id]))
    const data = new Map(
      [...study.open.data, ...study.tasks.map((t) => t.data)].map((name) => [
        name,
        { limit: 1000, digest: name },
      ]),
    )
    const plan = new Plan(study, { models, watermarks, data, human: { limit: 1000, digest: 'c4' } })
    const sets = [undefined, ...plan.methods].flatMap((method) =>
      plan.openSources().map(({ model, data }) => plan.open(method, model, data)),
    )
    const written = sets.flatMap((set) => set.blocks).reduce((sum, block) => sum + block.to - block.from, 0)
    expect(written).toBe(20 * 3 * 7 * 1000)
    const [dipper] = study.attacks
    const [method] = plan.methods
    const { model, data: name } = plan.openSources()[0]!
    const attacked = plan.attacked(method!, plan.open(method, model, name), dipper!, 0)
    expect(attacked.blocks[0]!.cell.inputs.attack).toMatch(/^paraphrase\(lexical=60/)
    expect(study.watermarks.map(({ id }) => id)).toEqual(paperWatermarks().map(({ id }) => id))
  })

  test('the smoke scale is small', () => {
    const { open, tasks, repeated } = smokeStudy()
    const tokens =
      open.prompts * open.tokens +
      tasks.reduce((sum, t) => sum + (t.prompts + repeated.prompts * repeated.generations) * t.tokens, 0)
    expect(tokens * 20).toBeLessThan(20_000)
  })
})

test('several models or datasets: pooled, averaged as in the paper, and each', async () => {
  const study = {
    ...toyStudy(4),
    watermarks: [kgw({ delta: 2 })],
    human: { data: 'toy', passages: 3, keys: 2 },
  }
  const two = { ...study, open: { ...study.open, models: [{ id: 'toy' }, { id: 'toy', chat: false }] } }
  const { report } = await run(paperExperiments(two).table3, 'two sources')
  const [pooled, averaged, ...each] = report!.tables
  expect([pooled!.id, averaged!.id, each.length]).toEqual(['table3', 'table3-mean', 2])
  for (const { id, cells } of averaged!.rows)
    for (const [column, value] of Object.entries(cells)) {
      const own = each.map((table) => table.rows.find((row) => row.id === id)!.cells[column])
      if (value?.kind !== 'estimate') continue
      const mean = own.reduce((sum, one) => sum + (one!.value as number), 0) / own.length
      expect(value.value, `${id} ${column}`).toBeCloseTo(mean, 12)
      if (/^(tpr|fpr|human|auroc)/.test(column)) {
        expect(value.low).toBeGreaterThanOrEqual(0)
        expect(value.high).toBeLessThanOrEqual(1)
      }
    }
})
