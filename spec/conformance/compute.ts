/** Computes the cells of the conformance page. */

import { logBinomialTail } from '../../src/core/stats/index.ts'
import { detect, embedder } from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { falseAlarms, markedText, zipfText } from '../reference/engines/compute.ts'
import { type Implementation, implementations } from './implementations.ts'

/** The chance of a wrong cell, each, where cells are sampled. */
const ERROR = 1e-9
export const levels = [0.05, 0.01, 0.001]

/** The mean of q(0) over keys, for one token of mass `head` and n others that share the rest. */
function meanOfHead({ watermark, keyOf }: Implementation, head: number, n: number, keys: number): number {
  const p = new Float64Array(n + 1).fill((1 - head) / n)
  p[0] = head
  const q = new Float64Array(n + 1)
  let sum = 0
  for (let i = 0; i < keys; i++) {
    const key = keyOf(1_000_003 + 7919 * i)
    const text = embedder(watermark, { key, vocabSize: n + 1, seed: i, check: false })
    // contexts vary as well: a constant key has no other randomness
    text.reweight(
      Array.from({ length: 10 }, (_, t) => (i >>> t) % 2 || (i * 31 + t) % (n + 1)),
      p,
      q,
    )
    sum += q[0]!
  }
  return sum / keys
}

interface Step {
  readonly head: number
  readonly others: number
  readonly keys: number
  readonly mean: number
  readonly unbiased: boolean
}

/** By Hoeffding an unbiased code fails with probability 1e-9. */
function steps(one: Implementation): Step[] {
  const cases = [
    { head: 0.75, others: 1, keys: 10_000 },
    // a tail of 5,000 shows uniforms of few values; HMAC takes too long for it
    { head: 0.5, others: one.name.includes('HMAC') ? 50 : 5000, keys: 600 },
  ]
  return cases.map(({ head, others, keys }) => {
    const mean = meanOfHead(one, head, others, keys)
    const unbiased = Math.abs(mean - head) <= Math.sqrt(Math.log(2 / ERROR) / (2 * keys))
    return { head, others, keys, mean, unbiased }
  })
}

/** The periods of loops in which a context that comes back is marked again. */
const markedAgain = ({ context }: AnyWatermark): number[] =>
  [6, 1100, 8300].filter((period) => {
    const cursor = context.begin(undefined as never)
    const tokens: number[] = []
    let again = 0
    // the first contexts reach before the text; eight positions later all are of the loop
    for (let t = 0; t < 2 * period + 20; t++) {
      const marked = cursor.next(tokens) !== undefined
      if (marked && t >= period + 8) again++
      tokens.push(t % period)
    }
    return again > 0
  })

interface Alarms {
  readonly texts: number
  readonly rates: number[]
  /** At each level: whether as many alarms are improbable (1e-9) for a valid p-value. */
  readonly valid: boolean[]
}

function alarms({ published, keyOf, watermark }: Implementation): Alarms | undefined {
  if (published === undefined) return undefined
  const texts = 1000
  const rates = falseAlarms(
    (tokens, key) => detect(published, tokens, { key: keyOf(key), vocabSize: 1000 }).pValue,
    { texts, n: watermark.id.startsWith('kgw') ? 200 : 100, levels },
  )
  const valid = rates.map(
    (rate, i) =>
      rate <= levels[i]! || logBinomialTail(Math.round(rate * texts), texts, levels[i]!) > Math.log(ERROR),
  )
  return { texts, rates, valid }
}

const scoresUnder = (watermark: AnyWatermark, key: string): string =>
  detect(watermark, zipfText('keys', 60), { key, vocabSize: 1000 }).perToken.join()

interface KeyBits {
  readonly given: number
  /** Two keys that draw the same. */
  readonly twins: readonly [string, string] | undefined
  /** Bits of the key (of 32 that were flipped) that change nothing. */
  readonly idle: number
}

function keyBits({ watermark, keyOf, bits, twins }: Implementation): KeyBits {
  const plain = scoresUnder(watermark, keyOf(15485863))
  const flipped =
    bits === 0 ? [] : Array.from({ length: 31 }, (_, bit) => keyOf((15485863 ^ (1 << bit)) >>> 0))
  if (twins && scoresUnder(watermark, twins[0]) !== scoresUnder(watermark, twins[1]))
    throw new Error(`${watermark.id}: the two keys of the page do not draw the same`)
  return { given: bits, twins, idle: flipped.filter((key) => scoresUnder(watermark, key) === plain).length }
}

/** The other implementations of the family whose detector finds a text of 150 tokens under the same integer: p at most 1e-9. */
function foundBy(one: Implementation): string[] {
  const tokens = markedText(one.watermark, one.keyOf(15485863), 150)
  return implementations
    .filter(({ family }) => family === one.family)
    .filter(
      ({ watermark, keyOf }) =>
        detect(watermark, tokens, { key: keyOf(15485863), vocabSize: 1000 }).logPValue <= Math.log(ERROR),
    )
    .map(({ name }) => name)
}

export const computed = () =>
  implementations.map((one) => ({
    name: one.name,
    source: one.source,
    id: one.watermark.id,
    steps: steps(one),
    markedAgain: markedAgain(one.watermark),
    alarms: alarms(one),
    key: keyBits(one),
    foundBy: foundBy(one),
    speculation: one.speculation,
    batches: one.batches,
  }))

export type Row = ReturnType<typeof computed>[number]
