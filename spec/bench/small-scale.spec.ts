/** The scale `small` end to end: any causal model by path, C4 by path, through the command line and through `studyOf`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openStore, paperExperiments, type Report, runExperiment, studyOf } from '../../src/bench/entry.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { gumbel } from '../../src/watermarks/entry.ts'
import { inProcess } from '../commands/in-process.ts'
import { writeTinyCausal, writeTinyEncoder } from '../models/tiny/folder.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-small-'))
const at = (name: string): string => join(root, name)
let [model, encoder] = ['', '']

beforeAll(async () => {
  ;[model, encoder] = await Promise.all([writeTinyCausal(), writeTinyEncoder()])
  const words = 'the cat sat on mat and dog ran to see a big red house by river far'.split(' ')
  const random = seededRandom('small scale')
  const document = () =>
    JSON.stringify({ text: Array.from({ length: 240 }, () => words[random.below(words.length)]).join(' ') })
  mkdirSync(at('realnewslike'))
  writeFileSync(
    at('realnewslike/c4-validation.00000-of-00001.json.gz'),
    gzipSync(Array.from({ length: 12 }, document).join('\n')),
  )
})
afterAll(() => {
  for (const folder of [root, model, encoder]) rmSync(folder, { recursive: true })
})
beforeEach(() => {
  vi.stubEnv('UWBENCH_SCALE', 'small')
  vi.stubEnv('UWBENCH_MODELS', model)
  vi.stubEnv('UWBENCH_ENCODER', encoder)
  vi.stubEnv('UWBENCH_DATA_C4', root)
})
afterEach(() => vi.unstubAllEnvs())

const bench = (...args: string[]) =>
  inProcess(['bench', '--workers', '0', '--store', at('store'), '-o', at('reports'), '-w', 'gumbel', ...args])
const tiny = ['--limit', '3', '--max-tokens', '16']
const reportOf = (name: string) => JSON.parse(readFileSync(at(`reports/${name}.json`), 'utf8')) as Report

function expectFinite({ tables }: Report): void {
  for (const { cells } of tables.flatMap(({ rows }) => rows))
    for (const value of Object.values(cells))
      if (value && value.kind !== 'text') expect(Number.isFinite(value.value)).toBe(true)
}

describe('uwbench bench', () => {
  test('writes the tables of a model by path on C4 by path', async () => {
    const { status, stderr } = await bench(...tiny, '--tables', 'table1,table3,table4,falsePositives,samples')
    expect(stderr).not.toContain('uwbench:')
    expect(status).toBe(0)
    for (const name of ['table1', 'table3', 'table4', 'false-positives']) {
      const { scale, standIns, provenance } = reportOf(name)
      expect(scale).toBe('small')
      expect(Object.keys(provenance)).toEqual(expect.arrayContaining([`model ${model}`, 'data c4 (3)']))
      expect(standIns).toContainEqual({ paper: expect.stringMatching(/^Llama/), here: model })
    }
    expectFinite(reportOf('table1'))
  })

  test('a model of the command line comes before that of the settings, in their number format', async () => {
    vi.stubEnv('UWBENCH_MODELS', at('nowhere'))
    vi.stubEnv('UWBENCH_DTYPE', 'fp16')
    const { status, stderr } = await bench(...tiny, '--tables', 'table3', '--model', model)
    expect(stderr).not.toContain('uwbench:')
    expect(status).toBe(0)
    expect(Object.keys(reportOf('table3').provenance)).toContain(`model ${model} fp16`)
  })

  test('own prompts need neither C4 nor references, and allow tables of open-ended texts only', async () => {
    vi.stubEnv('UWBENCH_DATA_C4', at('nowhere'))
    writeFileSync(at('prompts.jsonl'), '{"prompt":"the cat"}\n{"prompt":"a dog"}\n')
    const own = [...tiny, '--data', at('prompts.jsonl')]
    expect((await bench(...own)).status).toBe(0)
    expect(reportOf('table3')).toMatchObject({ scale: 'small', standIns: [] })
    expect((await bench(...own, '--tables', 'table2')).stderr).toContain('table2 needs tasks with references')
  })

  test('what is missing is listed before anything is computed, a line each', async () => {
    const long = await bench('--limit', '3', '--tables', 'table3')
    expect(long.stderr).toContain("uwbench: the scale 'small' cannot start")
    expect(long.stderr).toContain(
      `\n  model ${model}: expected a context that has room for a prompt and 300 tokens, got 64`,
    )
    vi.stubEnv('UWBENCH_DTYPE', 'q4')
    vi.stubEnv('UWBENCH_DATA_C4', at('nowhere'))
    const { status, stderr } = await bench(...tiny, '--tables', 'table3')
    expect(stderr).toMatch(/\n {2}model .*expected onnx\/model_q4\.onnx.*found onnx\/model\.onnx/)
    expect(stderr).toMatch(/\n {2}data c4: .*no file or folder at .*nowhere; set 'data\.c4'/)
    expect(status).toBe(3)
  })
})

test('studyOf: the models of a task, metrics and repeated prompts', async () => {
  const study = studyOf()
  const sizes = { prompts: 3, tokens: 12 }
  const { table2 } = paperExperiments({
    ...study,
    watermarks: [gumbel()],
    tasks: study.tasks.map((task) => ({ ...task, ...sizes })),
    open: { ...study.open, ...sizes },
    repeated: { prompts: 2, generations: 4, perplexityBound: 50 },
  })
  const { report } = await runExperiment(table2, {
    store: openStore(at('store')),
    workers: 0,
    progress: { done() {}, warn() {}, end() {} },
  })
  expectFinite(report!)
})

describe('uwbench models and plan', () => {
  type Part = { name: string; role: string; found: boolean; advice?: string }
  const parts = async () => JSON.parse((await inProcess(['models', '--json'])).stdout) as Part[]
  const ofModel = async () => (await parts()).find(({ name }) => name === model)

  test('say what a model is for, and whether it can be used as it is', async () => {
    vi.stubEnv('UWBENCH_DTYPE', 'q4')
    expect(await ofModel()).toMatchObject({
      role: 'models, summarizer',
      found: false,
      advice: expect.stringContaining("(dtype 'q4'), found onnx/model.onnx"),
    })
    vi.stubEnv('UWBENCH_DTYPE', '')
    expect(await ofModel()).toMatchObject({ found: false, advice: expect.stringContaining('--max-tokens') })
  })

  test('a number format is for folders: models with a name of our own have one', async () => {
    vi.stubEnv('UWBENCH_DTYPE', 'fp16')
    const { open, tasks } = studyOf()
    expect([open.models[0]!.dtype, tasks[0]!.model.dtype]).toEqual(['fp16', 'fp16'])
    expect(tasks[1]!.model).toEqual({ id: 'embedded' })
    expect((await parts()).find(({ name }) => name === 'embedded')).toMatchObject({ found: true })
  })

  test('settings of the paper scale leave the scale small alone', () => {
    vi.stubEnv('UWBENCH_TRANSLATOR', at('mbart'))
    vi.stubEnv('UWBENCH_DATA_MMW_STORIES', at('mmw'))
    const { tasks, paths } = studyOf()
    expect(tasks[1]!.model.id).toBe('embedded')
    expect(paths).toMatchObject({ c4: root, 'mmw-stories': at('mmw') })
  })
})
