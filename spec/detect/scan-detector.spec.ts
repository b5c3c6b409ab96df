/** The scan finds the start by fast scores; what it reports is what the definition, one token after the other, gives to the bit. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { detect } from '../../src/core/detect/entry.ts'
import { embedder } from '../../src/core/embed/entry.ts'
import { platform, withKernels } from '../../src/core/kernels/active.ts'
import { plain } from '../../src/core/kernels/table.ts'
import { afterStart, tokensDigest } from '../../src/core/keys/prefix.ts'
import { type Context, keySchedule } from '../../src/core/keys/schedule.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logGammaTail } from '../../src/core/stats/entry.ts'
import type { FastPaths, Watermark } from '../../src/watermark.ts'
import { type BitUniforms, christ } from '../../src/watermarks/christ.ts'

const key = 'scan'
const watermark = christ()

interface Text {
  readonly tokens: readonly number[]
  readonly vocabSize: number
  readonly skip: readonly number[]
}

/** The bits of an id that could have been 1, given those above them. */
function freeBits(token: number, vocabSize: number): number {
  let count = 0
  for (let bit = 1; bit < vocabSize; bit *= 2) {
    const firstWithOne = Math.floor(token / bit / 2) * bit * 2 + bit
    if (firstWithOne < vocabSize) count++
  }
  return count
}

/** Every start, every position after it, each with a code of its own. */
function definition({ tokens, vocabSize, skip }: Text) {
  const schedule = keySchedule(key, watermark.domain)
  const score = (token: number, context: Context): number => {
    const random = schedule.random(context)
    const site = { shared: schedule.shared, context, key: schedule.key }
    return watermark.score(token, watermark.draw(random, vocabSize, site))
  }
  const starts = tokens.slice(1).flatMap((_, i) => {
    const start = i + 1
    const scores = tokens.map((token, t) =>
      t < start || skip.includes(token) || freeBits(token, vocabSize) === 0
        ? Number.NaN
        : score(token, afterStart(tokensDigest(tokens, start), t)),
    )
    const scored = [...scores.keys()].filter((t) => !Number.isNaN(scores[t]))
    const statistic = scored.reduce((sum, t) => sum + scores[t]!, 0)
    const bits = scored.reduce((sum, t) => sum + freeBits(tokens[t]!, vocabSize), 0)
    return scored.length === 0
      ? []
      : [{ statistic, logTail: logGammaTail(statistic, bits), scored: scored.length, scores }]
  })
  const best = starts.toSorted((a, b) => a.logTail - b.logTail)[0]
  return { best, starts: starts.length }
}

const text = fc
  .record({
    vocabSize: fc.constantFrom(1, 2, 3, 5, 17, 1000, 50257, 2 ** 23),
    ids: fc.array(fc.nat(2 ** 23 - 1), { maxLength: 90, size: 'max' }),
    skipped: fc.array(fc.nat(20), { maxLength: 3 }),
  })
  .map(({ vocabSize, ids, skipped }): Text => {
    const tokens = ids.map((id) => id % vocabSize)
    // ids that occur, where there are any
    return { tokens, vocabSize, skip: skipped.flatMap((k) => tokens[k] ?? []) }
  })

/** Two tails that agree to the last bit would leave the choice of the start to rounding: less than 1e-9 in a whole run. */
function expectDefinition(given: Text): void {
  const { tokens, vocabSize, skip } = given
  const { best, starts } = definition(given)
  const found = detect(watermark, tokens, { key, vocabSize, skip })
  if (best === undefined) {
    expect(found).toMatchObject({ statistic: 0, scored: 0, logPValue: 0 })
    return
  }
  expect(found).toMatchObject({ statistic: best.statistic, scored: best.scored })
  expect([...found.perToken]).toEqual(best.scores)
  const x = Math.exp(best.logTail)
  const pValue = x < 1e-9 ? starts * x : 1 - (1 - x) ** starts
  expect(Math.abs(found.pValue - pValue)).toBeLessThanOrEqual(1e-9 * pValue + 1e-13)
}

test.each([platform(), plain])('detect is the definition, kernels: $kind', (kernels) => {
  withKernels(kernels, () => fc.assert(fc.property(text, expectDefinition), { numRuns: 60 }))
})

/** A text whose randomness begins after some surprise. */
function markedText(length: number, vocabSize: number): number[] {
  const mark = embedder(watermark, { key, vocabSize, seed: 1 })
  const stream = seededRandom('scan', 'marked')
  const p = new Float64Array(vocabSize).fill(1 / vocabSize)
  const q = new Float64Array(vocabSize)
  const tokens: number[] = []
  while (tokens.length < length) {
    mark.reweight(tokens, p, q)
    let left = stream.uniform()
    const token = q.findIndex((mass) => {
      left -= mass
      return left <= 0
    })
    mark.drew(token, p[token]!)
    tokens.push(token)
  }
  return tokens
}

test('detect is the definition on a marked text', () => {
  const given = { tokens: markedText(100, 300), vocabSize: 300, skip: [] }
  expectDefinition(given)
  expect(detect(watermark, given.tokens, { key, vocabSize: 300 }).logPValue).toBeLessThan(-50)
})

test('a score function without fast scores gives the same, only later', () => {
  const slow: Watermark<BitUniforms> = { ...watermark, score: (token, code) => watermark.score(token, code) }
  const tokens = markedText(80, 1000)
  const options = { key, vocabSize: 1000, skip: [tokens[70]!] }
  expect(detect(slow, tokens, options)).toEqual(detect(watermark, tokens, options))
})

test('fast scores that are wrong cannot make a p-value smaller, only larger', () => {
  const fast: FastPaths<BitUniforms> = {
    of: watermark,
    scoreEach(tokens, _, out) {
      for (let i = 0; i < tokens.length; i++) out[i] = 100 * (tokens[i]! % 7)
    },
  }
  const logPValues = ({ tokens, ...options }: Text) => ({
    right: detect(watermark, tokens, { key, ...options }).logPValue,
    wrong: detect({ ...watermark, fast }, tokens, { key, ...options }).logPValue,
  })
  fc.assert(
    fc.property(text, (given) => {
      const { right, wrong } = logPValues(given)
      expect(wrong).toBeGreaterThanOrEqual(right)
    }),
    { numRuns: 50 },
  )
  const { right, wrong } = logPValues({ tokens: markedText(80, 300), vocabSize: 300, skip: [] })
  expect(wrong).toBeGreaterThan(right + 10)
})
