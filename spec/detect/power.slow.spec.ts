/**
 * Power, and what edits do to it: texts of 200 tokens from a random Markov model with 100 tokens and 3.5 nats, each with its
 * own key. Everything is fixed by seeds, so this file has no false alarms; the table goes to reports/power.md.
 *
 * Statement: each method at its usual strength, PRC apart, is detected (p < 1e-3) in at least 95% of the texts, and with
 * another key in at most 1 of 20.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { type Attack, insert, noAttack, remove, replace } from '../../src/text/attacks/entry.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'
import { detectableWatermarks, strongWatermarks } from '../watermarks/shipped.ts'

const TEXTS = 20
const LENGTH = 200
const model = markovModel({ vocabSize: 100, entropy: 3.5, seed: 'power' })

const strongest = new Set(strongWatermarks().map(({ id }) => id))

const edits: [string, Attack][] = [
  ['clean', noAttack()],
  ['10% substituted', replace({ rate: 0.1 })],
  ['10% inserted', insert({ rate: 0.1 })],
  ['10% deleted', remove({ rate: 0.1 })],
]

const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

interface Power {
  readonly id: string
  /** For each edit, the shares of texts with p < 1e-3 and with p <= 1%, and the median of log10 p. */
  readonly cells: { share: number; atOnePercent: number; exponent: number }[]
  /** Texts found with another key. */
  readonly strangers: number
}

async function powerOf(watermark: AnyWatermark): Promise<Power> {
  const requests = Array.from({ length: TEXTS }, (_, i) => ({ prompt: [i], key: `key ${i}`, seed: i }))
  const texts = await generateMany(model, requests, { watermark, maxNewTokens: LENGTH })
  const options = { vocabSize: model.vocabSize, alpha: 1e-3 }
  const cells = []
  for (const [, attack] of edits) {
    const exponents: number[] = []
    for (const [i, { tokens }] of texts.entries()) {
      const edited = await attack.apply(tokens, { seed: i, vocabSize: model.vocabSize })
      exponents.push(detect(watermark, edited.tokens, { ...options, key: `key ${i}` }).logPValue / Math.LN10)
    }
    const share = (limit: number): number => exponents.filter((x) => x < limit).length / TEXTS
    cells.push({ share: share(-3), atOnePercent: share(-2 + 1e-9), exponent: median(exponents) })
  }
  const strangers = texts.filter(
    ({ tokens }, i) => detect(watermark, tokens, { ...options, key: `not ${i}` }).pValue < 1e-3,
  )
  return { id: watermark.id, cells, strangers: strangers.length }
}

const rows: Power[] = []

test.each(detectableWatermarks().map((watermark) => [watermark.id, watermark] as const))(
  '%s: power at 200 tokens',
  async (id, watermark) => {
    const power = await powerOf(watermark)
    rows.push(power)
    if (strongest.has(id)) expect(power.cells[0]!.share).toBeGreaterThanOrEqual(0.95)
    expect(power.strangers).toBeLessThanOrEqual(1)
  },
)

const edited = (id: string, edit: number) => rows.find((row) => row.id === id)!.cells[edit]!

test('after substitutions the edit methods keep more of their signal than the n-gram methods', () => {
  // a replaced token takes three n-gram scores with it, but only one place of the key list
  const kept = (id: string): number => edited(id, 1).exponent / edited(id, 0).exponent
  for (const id of [
    'gumbel',
    'synthid(layers=20)',
    'gammaReweight',
    'kgw(delta=2)',
    'sta1(gamma=0.5)',
    'deltaReweight',
  ])
    for (const method of ['expEdit(keyLength=256)', 'itsEdit(keyLength=256)'])
      expect(kept(method), `${method} and ${id}`).toBeGreaterThan(kept(id))
})

test('after any of the edits the edit methods detect at 1%, where one edit silences Christ et al.', () => {
  for (const edit of [1, 2, 3])
    for (const id of ['expEdit(keyLength=256)', 'itsEdit(keyLength=256)'])
      expect(edited(id, edit).atOnePercent, `${id}, ${edits[edit]![0]}`).toBeGreaterThanOrEqual(0.9)
  for (const edit of [2, 3]) expect(edited('christ', edit).atOnePercent).toBe(0)
})

test('reports/power.md is what this computes', async () => {
  const head = ['watermark', ...edits.map(([name]) => name), 'another key']
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const table = rows.map(({ id, cells, strangers }) =>
    line([
      `\`${id}\``,
      ...cells.map(
        ({ share, atOnePercent, exponent }) =>
          `${Math.round(100 * share)}%, ${Math.round(100 * atOnePercent)}%, 1e${exponent.toFixed(0)}`,
      ),
      `${strangers} of ${TEXTS}`,
    ]),
  )
  const intro = readFileSync(new URL('./power-intro.md', import.meta.url), 'utf8')
  await expect(
    `${[intro.trimEnd(), '', line(head), line(head.map(() => '---')), ...table].join('\n')}\n`,
  ).toMatchFileSnapshot('../../reports/power.md')
})
