import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { superUniform } from '../../src/core/stats/super-uniform.ts'
import { dipmark, gumbel, unwatermarked } from '../../src/index.ts'
import { generateMany, markovModel } from '../../src/text/models/entry.ts'
import { spmgThreshold } from '../../src/theory/spmg.ts'
import { spmgTest } from '../../src/theory/spmg-test.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'
import { inProcess } from './in-process.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('audit-model')
const put = (name: string, rows: readonly object[]): string => {
  writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return join(folder, name)
}

const model = markovModel({ vocabSize: 40, order: 2, entropy: 2.5 })

/** m texts of each of six prompts, under one key. */
async function generations(name: string, watermark: AnyWatermark, count: number): Promise<string> {
  const prompts = [1, 5, 9, 13, 17, 21]
  const requests = prompts.flatMap((prompt) =>
    Array.from({ length: count }, (_, i) => ({ prompt: [prompt, 2], index: 1000 * prompt + i })),
  )
  const texts = await generateMany(model, requests, {
    watermark,
    key: 'a secret that nobody guesses',
    maxNewTokens: 40,
    seed: name,
    batchSize: 64,
  })
  return put(
    name,
    texts.map(({ tokens }, i) => ({ prompt: requests[i]!.prompt[0], tokens })),
  )
}

interface Audit {
  drift: boolean
  pValue: number
  prompts: number
  generations: number
  leftOut: number
  metrics: { metric: string; detWmk: number; theorem2: number; sharper: number; pValue: number }[]
}
const audit = (...args: string[]) => inProcess(['audit-model', '--seed', '1', '--runs', '999', ...args])
const json = async (...args: string[]): Promise<Audit> => JSON.parse((await audit(...args, '--json')).stdout)

describe('a model that is asked again and again', () => {
  test('a watermark under a fixed key is found; the same model is not called one', async () => {
    const reference = await generations('m.jsonl', unwatermarked(), 24)
    const clone = await generations('copy.jsonl', unwatermarked(), 24)
    for (const watermark of [gumbel(), dipmark({ alpha: 0.4 })]) {
      const suspect = await generations(`${watermark.id}.jsonl`, watermark, 24)
      const { status, stdout } = await audit('--reference', reference, '--clone', clone, '--suspect', suspect)
      expect(stdout).toContain('6 prompts, 24 generations or more of each')
      expect(stdout, watermark.id).toMatch(/^drift found at alpha = 0\.05/m)
      expect(status).toBe(0)
    }
    const again = await generations('again.jsonl', unwatermarked(), 24)
    // the level is 1e-3 and everything here is fixed
    const same = await audit(
      '--reference',
      reference,
      '--clone',
      clone,
      '--suspect',
      again,
      '--alpha',
      '1e-3',
    )
    expect(same.stdout).toMatch(/^no drift found at alpha = 0\.001/m)
    expect(same.status).toBe(1)
    // one sample of the reference is split in two
    const half = await json('--reference', reference, '--suspect', join(folder, 'gumbel.jsonl'))
    expect(half).toMatchObject({ drift: true, prompts: 6, generations: 12 })
  })
})

describe('the numbers', () => {
  const random = seededRandom(3)
  const rows = (rate: number, count: number) =>
    [0, 1, 2].flatMap((prompt) =>
      Array.from({ length: count }, () => ({ prompt, x: random.uniform() < rate ? 4 : -2 })),
    )
  const own = ['--metric-field', 'x', '--range=-1,3']

  test('a column of numbers, clipped to its range, gives what the theory gives', async () => {
    const files = [rows(0.3, 8), rows(0.3, 8), rows(0.8, 8)].map((all, i) => ({
      all,
      file: put(`x${i}.jsonl`, all),
    }))
    const [m, c, t] = files.map(({ all }) =>
      [0, 1, 2].map((prompt) => all.filter((row) => row.prompt === prompt).map(({ x }) => (x > 0 ? 3 : -1))),
    )
    const found = await json(
      '--reference',
      files[0]!.file,
      '--clone',
      files[1]!.file,
      '--suspect',
      files[2]!.file,
      ...own,
    )
    const { statistic, pValue } = spmgTest(m!, t!, c!, { runs: 999, seed: '1' })
    const design = { generations: 8, prompts: 3, bound: 2, alpha: 0.05 }
    expect(found.metrics).toHaveLength(1)
    expect(found.metrics[0]).toMatchObject({
      metric: 'x',
      detWmk: statistic,
      pValue,
      theorem2: spmgThreshold({ ...design, form: 'theorem' }),
      sharper: spmgThreshold(design),
    })
    expect(found.pValue).toBe(pValue)
  })

  test('p-values are valid; a reference that is its own clone breaks that, and it is seen', async () => {
    const pValues = async (cloned: boolean) => {
      const out: number[] = []
      for (let i = 0; i < 120; i++) {
        const [m, c, t] = [0, 1, 2].map((k) => put(`null${k}.jsonl`, rows(0.5, 4)))
        const files = ['--reference', m!, '--clone', cloned ? m! : c!, '--suspect', t!]
        const found = await json(...files, ...own)
        out.push(found.pValue)
      }
      return out
    }
    const check = { levels: [0.3], falseAlarm: 1e-9, miss: 1e-3 }
    expect(superUniform(await pValues(false), check).holds).toBe(true)
    expect(superUniform(await pValues(true), check).holds).toBe(false)
  })

  test('prompts that are not in all files are left out and counted', async () => {
    const m = put('a.jsonl', rows(0.5, 4))
    const t = put('b.jsonl', [...rows(0.5, 3).filter(({ prompt }) => prompt > 0), { prompt: 'new', x: 1 }])
    expect(await json('--reference', m, '--suspect', t, ...own)).toMatchObject({
      prompts: 2,
      leftOut: 2,
      generations: 2,
    })
  })
})

describe('mistakes', () => {
  const text = put('t.jsonl', [{ prompt: 'a', text: 'one two' }])
  test.each<[string, string[], string]>([
    ['no reference', [], 'no reference: give --reference FILE'],
    ['no suspect', ['--reference', text], 'no suspect: give --suspect FILE'],
    [
      'one generation to split',
      ['--reference', text, '--suspect', text],
      'no prompt has generations in all samples',
    ],
    [
      'no such metric',
      ['--reference', text, '--suspect', text, '--metrics', 'word'],
      "did you mean 'words'?",
    ],
    [
      'no prompt',
      ['--reference', put('n.jsonl', [{ text: 'x' }]), '--suspect', text],
      "expected a column 'prompt'",
    ],
    [
      'no reference text',
      ['--reference', text, '--suspect', text, '--metrics', 'bleu'],
      "needs a text and a column 'reference'",
    ],
    [
      'a range alone',
      ['--reference', text, '--suspect', text, '--range=0,1'],
      '--metric-field needs --range',
    ],
    [
      'a range that falls',
      ['--reference', text, '--suspect', text, '--metric-field', 'x', '--range=1,0'],
      '--range: expected two numbers',
    ],
    [
      'no such exchange',
      ['--reference', text, '--clone', text, '--suspect', text, '--exchange', 'all'],
      '--exchange: expected one of',
    ],
  ])('%s: one line, exit code 2', async (_, args, message) => {
    const { status, stderr } = await audit(...args)
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/^uwbench: [^\n]+\n$/)
    expect(status).toBe(2)
  })
})
