/** Repeated prompts in `uwbench eval`: the paper's SPMG quantities, or why there are none. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Report, Table } from '../../src/bench/report/report.ts'
import { inProcess } from './in-process.ts'
import { KEY, tokens, VOCAB } from './marked.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('eval-repeated')
const put = (name: string, rows: readonly object[]): string => {
  writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return join(folder, name)
}

interface Written {
  readonly watermark: string | null
  readonly marked?: boolean
  readonly prompts?: number
  readonly each?: number
  readonly [column: string]: unknown
}

/** Generations of each prompt; gumbel answers a prompt alike whenever it is asked under one key. */
const write = ({ watermark, marked = false, prompts = 3, each = 8, ...more }: Written) =>
  Array.from({ length: prompts * each }, (_, i) => ({
    tokens: tokens(20, marked ? i % prompts : i + (watermark === null ? 2000 : 3000), marked),
    prompt: `prompt ${i % prompts}`,
    vocabSize: VOCAB,
    watermark,
    ...more,
  }))

async function evaluate(rows: readonly object[], ...args: string[]) {
  const ran = await inProcess(['eval', put('texts.jsonl', rows), '--key', KEY, '-o', folder, ...args])
  expect(ran.stderr).toBe('')
  const report = JSON.parse(readFileSync(join(folder, 'eval.json'), 'utf8')) as Report
  const table = report.tables.find(({ id }) => id === 'repeated')
  return { ...ran, table, said: report.summary.find((line) => line.startsWith('Repeated prompts'))! }
}

const column = (table: Table | undefined, id: string) =>
  table!.rows.map(({ cells }) => cells[id] as { value: number; paper?: number })

const plain = write({ watermark: null, each: 16 })

test('the quantities of audit-model, on the same texts', async () => {
  const marked = write({ watermark: 'gumbel', marked: true })
  const { table, said, stdout } = await evaluate([...marked, ...plain])
  const { stdout: json } = await inProcess(
    [
      'audit-model',
      '--reference',
      put('plain.jsonl', plain),
      '--suspect',
      put('marked.jsonl', marked),
    ].concat(['--seed', '1', '--json']),
  )
  const { metrics, pValue } = JSON.parse(json) as { metrics: Record<string, number>[]; pValue: number }
  expect(metrics.length).toBe(6)
  for (const [id, name] of [
    ['gap', 'gap'],
    ['clone', 'cloneGap'],
    ['detWmk', 'detWmk'],
    ['theorem2', 'theorem2'],
    ['sharper', 'sharper'],
    ['p', 'pValue'],
  ] as const)
    expect(column(table, id).map(({ value }) => value)).toEqual(metrics.map((one) => one[name]))
  expect(column(table, 'prompts')[0]!.value).toBe(3)
  expect(column(table, 'generations')[0]!.value).toBe(8)
  expect(pValue).toBeLessThan(0.01)
  expect(said).toMatch(/for all 6 tests together \(Bonferroni\): a drift is found for gumbel \(p = /)
  expect(stdout).toContain('gumbel: opening')
})

test('methods and keys are tested apart; a method without a mark shows no drift', async () => {
  const { table, said } = await evaluate([
    ...write({ watermark: 'gumbel', marked: true, keyId: 'a' }),
    ...write({ watermark: 'gumbel', key_id: 7 }),
    ...plain,
  ])
  expect(table!.rows.length).toBe(12)
  expect(said).toMatch(
    /12 tests .* found for gumbel, key a \(p = [^;]*; none is shown for gumbel, key 7 \(p = /,
  )
})

test('texts without a watermark that are copies of each other: a warning', async () => {
  const marked = write({ watermark: 'gumbel', marked: true })
  const copies = plain.map((row, i) => ({ ...row, tokens: plain[i % 3]!.tokens }))
  expect((await evaluate([...marked, ...copies])).said).toContain('if they were sampled with one seed')
  expect((await evaluate([...marked, ...plain])).said).not.toContain('one seed')
})

test('--with paper: table 2 beside the gaps, for texts of a task', async () => {
  const texts = (watermark: string | null) =>
    Array.from({ length: 8 }, (_, i) => ({
      ...{ watermark, prompt: i % 2, task: 'translation', reference: 'the cat lay on the mat' },
      text: `the ${['cat', 'dog', 'hen'][i % 3]} sat on the mat`,
    }))
  const { table } = await evaluate([...texts('kgw(delta=2)'), ...texts(null)], '--with', 'paper')
  const beside = (id: string) => table!.rows.map((row) => [row.label.split(': ')[1], row.cells[id]?.paper])
  const known = (id: string) => beside(id).filter(([, paper]) => paper !== undefined)
  expect(known('gap')).toEqual([['bleu', 2.0037]])
  expect(known('clone')).toEqual([['bleu', 0.1199]])
})

const once = 'no prompt occurs more than once under one key'
test.each<[string, object[], string]>([
  ['each prompt once', [...write({ watermark: 'gumbel', each: 1 }), ...plain], once],
  ['no prompts', [...write({ watermark: 'gumbel', prompt: null }), ...plain], once],
  [
    'every text under a key of its own',
    [...write({ watermark: 'gumbel' }).map((row, keyId) => ({ ...row, keyId })), ...plain],
    once,
  ],
  [
    'prompts of another model',
    [...write({ watermark: 'gumbel', model: 'a' }), ...plain],
    'none of them has two or more texts without a watermark to compare with',
  ],
  [
    'texts beside token ids',
    [...write({ watermark: 'gumbel', text: 'a cat' }), ...plain],
    'some records have text and some only token ids, which cannot be compared',
  ],
])('%s: not tested, and said', async (_, rows, why) => {
  const { table, said } = await evaluate(rows, '--attacks', 'none')
  expect(table).toBeUndefined()
  expect(said).toBe(`Repeated prompts are not tested: ${why}.`)
})
