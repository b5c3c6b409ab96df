import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Report, Value } from '../../src/bench/report/report.ts'
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

describe('several keys', () => {
  const secrets = { spring: KEY, autumn: 'another secret of many bytes' }
  const ids = Object.keys(secrets) as (keyof typeof secrets)[]
  const texts = Array.from({ length: 24 }, (_, i) => {
    const keyId = ids[i % 2]!
    const marked = i < 12
    return {
      tokens: tokens(80, i, marked, secrets[keyId]),
      watermark: marked ? 'gumbel' : null,
      vocabSize: VOCAB,
      ...(marked ? { keyId } : {}),
    }
  })
  const settings = (keyFiles: Record<string, string>) => {
    for (const [id, key] of Object.entries(secrets)) writeFileSync(join(folder, `${id}.key`), key)
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keyFiles }))
    vi.stubEnv('UWBENCH_CONFIG', join(folder, 'keys.json'))
  }
  const run = (...args: string[]) => inProcess(['eval', ...args, '-o', join(folder, 'out')])
  const keyFiles = { spring: './spring.key', autumn: './autumn.key' }
  afterEach(() => vi.unstubAllEnvs())

  test('each text is tested under the key that its record names', async () => {
    settings(keyFiles)
    const { status, stdout, stderr } = await run(put('keys.jsonl', texts))
    expect(stderr).toBe('')
    expect(status).toBe(0)
    // 12 of 12 with their own keys, and none of the unmarked ones at 0.1%
    expect(stdout).toMatch(/^gumbel +12 +100\.0 \[73\.5, 100\.0\].* 0\.0 \[0\.0, 26\.5\]$/m)
    expect(reportOf().notes.join(' ')).toContain('Records name 2 keys; each text is tested under its own.')
    for (const key of Object.values(secrets)) expect(JSON.stringify(reportOf())).not.toContain(key)
  })

  test('one key for all finds half of them, and says so', async () => {
    const { stdout } = await run(put('keys.jsonl', texts), '--key', KEY)
    expect(stdout).toMatch(/^gumbel +12 +50\.0 /m)
    expect(reportOf().notes.join(' ')).toContain('tests all texts under the one that was given')
  })

  test('an id without a file, a file without a key, texts that name none and have none', async () => {
    settings({ spring: './spring.key' })
    const file = put('keys.jsonl', texts)
    const { status, stderr } = await run(file)
    expect(stderr).toContain(
      "keyId: expected one of 'spring', which 'keyFiles' of the settings names, got 'autumn'",
    )
    expect(status).toBe(2)
    settings({ ...keyFiles, autumn: './nowhere.key' })
    expect((await run(file)).stderr).toContain('nowhere.key')
    settings(keyFiles)
    const unnamed = texts.map(({ keyId: _, ...text }) => text)
    expect((await run(put('unnamed.jsonl', unnamed))).stderr).toContain('no key: give --key K')
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
