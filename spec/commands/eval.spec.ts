import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Report, Value } from '../../src/report/report.ts'
import { inProcess } from './in-process.ts'
import { KEY, tokens, VOCAB } from './marked.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('eval')
const put = (name: string, rows: readonly object[]): string => {
  writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return join(folder, name)
}
const rows = Array.from({ length: 24 }, (_, i) => ({
  tokens: tokens(80, i, i % 3 === 0),
  watermark: i % 3 === 0 ? 'gumbel' : i % 3 === 1 ? 'kgw(delta=2)' : null,
  vocabSize: VOCAB,
}))
const evaluate = (...args: string[]) => inProcess(['eval', ...args, '--key', KEY, '-o', join(folder, 'out')])

test('texts of several methods: detectability, robustness and quality, as tables and a page', async () => {
  const { status, stdout, stderr } = await evaluate(put('texts.jsonl', rows))
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(stdout).toContain('16 watermarked texts of 2 methods, 8 texts without a watermark.')
  // texts that only claim to be marked by kgw are not: they are gumbel's unmarked ones
  expect(stdout).toMatch(/^gumbel +8 +100\.0 \[63\.1, 100\.0\]/m)
  expect(stdout).not.toMatch(/^kgw\(delta=2\) +8 +100\.0/m)
  expect(stdout).toMatch(/^no watermark +80\.000/m)
  for (const name of ['eval.json', 'eval.tex', 'index.html'])
    expect(existsSync(join(folder, 'out', name)), name).toBe(true)
})

const reportOf = () => JSON.parse(readFileSync(join(folder, 'out', 'eval.json'), 'utf8')) as Report
/** The paper's figures of a table of the last report, row by row. */
const paperOf = (id: string) =>
  Object.fromEntries(
    reportOf()
      .tables.find((table) => table.id === id)!
      .rows.map(({ id, cells }) => {
        const known = Object.entries(cells).filter(([, value]) => value?.paper !== undefined)
        return [id, Object.fromEntries(known.map(([column, value]) => [column, (value as Value).paper]))]
      }),
  )

test('--with paper: published figures beside, and none where the paper has none', async () => {
  // sta1 is written in two ways, and is one method
  const methods = ['gumbel', 'kgw(delta=2)', null, 'sta1', 'kgw(delta=2.5)', 'sta1(gamma=0.5)']
  const texts = methods.flatMap((watermark) => rows.slice(0, 2).map((row) => ({ ...row, watermark })))
  const file = put('several.jsonl', texts)
  const { status, stdout, stderr } = await evaluate(
    file,
    '--with',
    'paper',
    '--attacks',
    'replace(rate=0.3),none',
  )
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(stdout).toContain(
    "The paper's figures for kgw(delta=2) and sta1(gamma=0.5) stand beside ours; it has none for gumbel and kgw(delta=2.5).",
  )
  expect(stdout).toMatch(/^kgw\(delta=2\) .* 98\.3 .* 96\.6 .* 94\.0 .* 1\.1e-5 .* 0\.995 /m)
  expect(stdout).toMatch(/^method +none \(%\) +replace\(rate=0\.3\) \(%\) +paper$/m)
  expect(paperOf('detectability')).toEqual({
    gumbel: {},
    'kgw(delta=2)': {
      'TPR0.05': 0.9833,
      'TPR0.01': 0.9657,
      'TPR0.001': 0.9404,
      median: 1.07e-5,
      auroc: 0.995,
    },
    'sta1(gamma=0.5)': {
      'TPR0.05': 0.8455,
      'TPR0.01': 0.7379,
      'TPR0.001': 0.594,
      median: 0.0143,
      auroc: 0.953,
    },
    'kgw(delta=2.5)': {},
  })
  expect(paperOf('robustness')).toEqual({
    gumbel: {},
    'kgw(delta=2)': { 'replace(rate=0.3)': 0.6211 },
    'sta1(gamma=0.5)': { 'replace(rate=0.3)': 0.049 },
    'kgw(delta=2.5)': {},
  })
  expect((await inProcess(['completion', 'bash'])).stdout).toMatch(/^ +eval\) .*--with /m)
  await evaluate(file)
  expect(Object.values(paperOf('detectability')).every((row) => Object.keys(row).length === 0)).toBe(true)
})

test('--with paper: metrics of a task only where all texts name that task', async () => {
  const texts = (['kgw(delta=2)', 'kgw(delta=1)', null] as const).flatMap((watermark) =>
    ['summarization', watermark === 'kgw(delta=1)' ? 'translation' : 'summarization'].map((task) => ({
      ...{ watermark, task, text: 'the cat sat on the mat', reference: 'the cat lay on the mat' },
    })),
  )
  expect((await evaluate(put('tasks.jsonl', texts), '--with', 'paper')).stderr).toBe('')
  expect(paperOf('quality')).toEqual({
    'no watermark': { rouge1: 0.3807 },
    'kgw(delta=2)': { rouge1: 0.3619 },
    'kgw(delta=1)': {},
  })
})

test.each<[string, object[], string[], string]>([
  ['no text is marked', [{ tokens: [1], vocabSize: 9 }], [], 'no text is watermarked'],
  ['no such watermark', [{ tokens: [1], vocabSize: 9, watermark: 'blue' }], [], 'watermark: expected one of'],
  ['a number for a watermark', [{ tokens: [1], watermark: 3 }], [], 'expected an id or null, got 3'],
  ['no vocabulary', [{ tokens: [1], watermark: 'gumbel' }], [], 'token ids need --vocab-size'],
  [
    'a module for a watermark',
    [{ tokens: [1], vocabSize: 9, watermark: './x.js' }],
    [],
    "expected an id, got './x.js'",
  ],
  ['nothing to put beside', rows, ['--with', 'papers'], '--with: expected'],
  ['no such attack', rows, ['--attacks', 'wash'], 'attack: expected one of'],
])('%s: one line, exit code 2', async (_, content, args, message) => {
  const { status, stderr } = await evaluate(put('wrong.jsonl', content), ...args)
  expect(stderr).toContain(message)
  expect(stderr).toMatch(/^uwbench: [^\n]+\n$/)
  expect(status).toBe(2)
})
