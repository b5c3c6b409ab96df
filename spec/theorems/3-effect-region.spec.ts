import fc from 'fast-check'
import { expect } from 'vitest'
import { fixed } from '../../src/core/keys/fixed.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import { tokensDigest } from '../../src/core/keys/prefix.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { applyEdit, type Edit, type EditKind, editKinds } from '../../src/theory/edits.ts'
import {
  effectRegion,
  expectedDrop,
  type Scoring,
  scoredPairs,
  scoresChanged,
} from '../../src/theory/effect-region.ts'
import { expectedScores } from '../../src/theory/expected-score.ts'
import { type AnyWatermark, sta1, synthid } from '../../src/watermarks/entry.ts'
import { section } from './statement.ts'
import { saltedTexts } from './texts.ts'

const statement = section('Robustness: effect region and expected drop')

/** Scores each (context, token) pair once: no shipped rule does, the table of regions has it. */
function pairsOnce(n: number): ContextRule {
  const every = ngram(n, { repeated: 'reuse' })
  return {
    ...every,
    id: `pairs(${n})`,
    scored(tokens, skip) {
      const seen = new Set<string>()
      return every.scored(tokens, skip).map((context, t) => {
        const pair = `${context?.join()}|${tokens[t]}`
        if (context === undefined || seen.has(pair)) return undefined
        seen.add(pair)
        return context
      })
    },
  }
}
const rules: Record<Scoring, (n: number) => ContextRule> = {
  'every token': (n) => ngram(n, { repeated: 'reuse' }),
  'first occurrence': (n) => ngram(n),
  'distinct pairs': pairsOnce,
}
const scorings = Object.keys(rules) as Scoring[]

/** A text over a few tokens and one edit of it. */
const editedText = fc
  .record({
    tokens: fc.array(fc.nat(6), { minLength: 1, maxLength: 14 }),
    kind: fc.constantFrom(...editKinds),
    at: fc.nat(13),
    token: fc.nat(6),
  })
  .map(({ tokens, kind, at, token }) => {
    const place = at % (tokens.length + (kind === 'insertion' ? 1 : 0))
    const edit: Edit = kind === 'deletion' ? { kind, at: place } : { kind, at: place, token }
    return { tokens, edit }
  })
type EditedText = { tokens: number[]; edit: Edit }

/** Texts at which the regions of first-occurrence scoring are attained, for n = 1 and 2. */
const extremes: [n: number, EditedText][] = [
  [1, { tokens: [3, 1, 0, 4, 2, 0], edit: { kind: 'substitution', at: 2, token: 4 } }],
  [1, { tokens: [3, 0, 2, 1, 1, 0, 2, 3, 2, 2], edit: { kind: 'insertion', at: 1, token: 1 } }],
  [1, { tokens: [2, 3, 5, 4], edit: { kind: 'deletion', at: 2 } }],
  [2, { tokens: [6, 4, 4, 5, 5, 4, 3, 2, 3, 3, 5, 2], edit: { kind: 'substitution', at: 2, token: 3 } }],
  [2, { tokens: [1, 2, 0, 1, 0, 2, 1, 2], edit: { kind: 'insertion', at: 2, token: 1 } }],
  [2, { tokens: [2, 0, 3, 2, 1, 0, 2, 2, 3, 4], edit: { kind: 'deletion', at: 2 } }],
]
const plain: [n: number, EditedText][] = editKinds.map((kind) => [
  2,
  { tokens: [0, 1, 2, 3, 4, 5, 6], edit: kind === 'deletion' ? { kind, at: 3 } : { kind, at: 3, token: 6 } },
])

for (const scoring of scorings)
  statement({
    name: `one edit takes and adds at most as many scores as the table says, ${scoring} scored`,
    how: 'bounded: 3000 random texts and edits, n = 0, 1, 2; the bounds are attained',
    claim: 0,
    check: (off) => {
      const attained: Record<EditKind, { lost: number; gained: number }> = {
        substitution: { lost: 0, gained: 0 },
        insertion: { lost: 0, gained: 0 },
        deletion: { lost: 0, gained: 0 },
      }
      fc.assert(
        fc.property(fc.nat(2), editedText, (n, { tokens, edit }) => {
          const { lost, gained } = scoresChanged(rules[scoring](n), tokens, applyEdit(tokens, edit))
          const most = effectRegion(scoring, n, edit.kind)
          expect(lost).toBeLessThanOrEqual(most.lost + off)
          expect(gained).toBeLessThanOrEqual(most.gained + off)
          if (n < 2) return
          attained[edit.kind].lost = Math.max(attained[edit.kind].lost, lost)
          attained[edit.kind].gained = Math.max(attained[edit.kind].gained, gained)
        }),
        { numRuns: 3000, examples: scoring === 'first occurrence' ? extremes : plain },
      )
      const region = editKinds.map(
        (kind) => `${kind} ${attained[kind].lost}/${effectRegion(scoring, 2, kind).lost}`,
      )
      for (const kind of editKinds) expect(attained[kind].lost).toBe(effectRegion(scoring, 2, kind).lost)
      return `lost at n = 2, attained/allowed: ${region.join(', ')}`
    },
    falsehood: { what: 'regions one shorter', claim: -1 },
  })

statement({
  name: 'one edit moves the number of scored tokens by 0, +1, -1 (every token), at most n (first occurrence), n + 1 (pairs)',
  how: 'bounded: 3000 random texts and edits, n = 1, 2; positions before the first context left out',
  claim: 0,
  check: (off) => {
    const count = (rule: ContextRule, tokens: readonly number[]): number =>
      [...scoredPairs(rule, tokens).values()].reduce((a, b) => a + b, 0)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 }), editedText, (n, { tokens, edit }) => {
        fc.pre(tokens.length > n + 1)
        const after = applyEdit(tokens, edit)
        const moved = (scoring: Scoring) => count(rules[scoring](n), after) - count(rules[scoring](n), tokens)
        expect(moved('every token')).toBe({ substitution: 0, insertion: 1, deletion: -1 }[edit.kind])
        expect(Math.abs(moved('first occurrence'))).toBeLessThanOrEqual(n + off)
        expect(Math.abs(moved('distinct pairs'))).toBeLessThanOrEqual(n + 1 + off)
      }),
      {
        numRuns: 3000,
        examples: [[1, { tokens: [0, 0, 0, 0, 0], edit: { kind: 'insertion', at: 2, token: 1 } }]],
      },
    )
    return undefined
  },
  falsehood: { what: 'one less', claim: -1 },
})

const shipped: readonly ContextRule[] = [
  ngram(1),
  ngram(2),
  ngram(4),
  ngram(2, { short: true }),
  ngram(2, { repeated: 'reuse' }),
  ngram(3, { repeated: 'reuse', short: true }),
  fixed(),
]

statement({
  name: 'one edit touches at most the number of scores that the context rule declares (reach)',
  how: 'bounded: 3000 random texts and edits, 7 rules, special tokens skipped',
  claim: (rule: ContextRule): number => rule.reach,
  check: (reach) => {
    const skip = (token: number): boolean => token === 6
    fc.assert(
      fc.property(fc.constantFrom(...shipped), editedText, (rule, { tokens, edit }) => {
        const { lost, gained } = scoresChanged(rule, tokens, applyEdit(tokens, edit), skip)
        expect(Math.max(lost, gained)).toBeLessThanOrEqual(reach(rule))
      }),
      { numRuns: 3000, examples: [[ngram(1), extremes[0]![1]]] },
    )
    return shipped.map((rule) => `${rule.id} ${rule.reach}`).join(', ')
  },
  falsehood: {
    what: "the paper's n + 1 for all",
    claim: (rule) => (rule.recurs ? rule.reach : (rule.reach + 1) / 2),
  },
})

/** A rolling key: the context of a position is all that was written before it. */
const rolling: ContextRule = {
  id: 'rolling()',
  reach: Number.POSITIVE_INFINITY,
  recurs: false,
  begin: () => ({ next: (tokens) => tokensDigest(tokens) }),
  scored: (tokens, skip) =>
    Array.from(tokens, (token, t) => (skip(token) ? undefined : tokensDigest(tokens, t))),
}

statement({
  name: 'with a rolling key a substitution at position i touches R_i = T - i + 1 scores: all from there on',
  how: 'bounded: 1000 random texts of up to 14 tokens and substitutions; equality every time',
  claim: (length: number, i: number): number => length - i + 1,
  check: (region) => {
    fc.assert(
      fc.property(fc.array(fc.nat(6), { minLength: 1, maxLength: 14 }), fc.nat(13), (tokens, place) => {
        const at = place % tokens.length
        const edited = applyEdit(tokens, { kind: 'substitution', at, token: (tokens[at]! + 1) % 7 })
        const { lost, gained } = scoresChanged(rolling, tokens, edited)
        // positions count from 1 in the paper
        expect([lost, gained]).toEqual([region(tokens.length, at + 1), region(tokens.length, at + 1)])
      }),
      { numRuns: 1000, examples: [[[0, 1, 2, 3, 4, 5], 1]] },
    )
    return undefined
  },
  falsehood: {
    what: 'n + 1 = 3 scores, as with contexts of two tokens',
    claim: (length, i) => Math.min(3, length - i + 1),
  },
})

const order = 2
const trials = 12_000
const length = 7
/** Interior: n tokens follow it. */
const interior = 4
const vocabSize = 100
const flat = new Float64Array(vocabSize).fill(1 / vocabSize)
const green = sta1()
/** Share of green tokens: gamma + gamma (1 - gamma)(1 - sum p^2). */
const greenShare = 1 / 2 + (1 / 4) * (1 - 1 / vocabSize)

/**
 * Mean fall of the sum over many watermarked texts, one edit each, and the half-width of its interval: Maurer and Pontil's
 * empirical Bernstein bound for falls within a range of 2n + 2 (times the largest score), at 1e-9 for the five checks together.
 */
function simulateDrop(
  kind: EditKind,
  at: number,
  watermark: AnyWatermark = green,
  most = 1,
): { mean: number; slack: number } {
  const stream = seededRandom('expected drop', kind, at)
  const texts = saltedTexts(watermark, flat, order, 'secret')
  const drops = Float64Array.from({ length: trials }, (_, salt) => {
    const text = texts.write(length, salt, stream)
    const token = stream.below(vocabSize)
    const edited = applyEdit(text, kind === 'deletion' ? { kind, at } : { kind, at, token })
    return texts.sum(text, salt) - texts.sum(edited, salt)
  })
  const mean = drops.reduce((a, b) => a + b, 0) / trials
  const variance = drops.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (trials - 1)
  const log = Math.log((2 * 2 * 5) / 1e-9)
  return {
    mean,
    slack: Math.sqrt((2 * variance * log) / trials) + (7 * most * (2 * order + 2) * log) / (3 * (trials - 1)),
  }
}
const simulated = new Map<string, { mean: number; slack: number }>()
/** One simulation serves the statement and its false variant. */
function meanDrop(kind: EditKind, at: number): { mean: number; slack: number } {
  const name = `${kind} ${at}`
  if (!simulated.has(name)) simulated.set(name, simulateDrop(kind, at))
  return simulated.get(name)!
}
const predicted = (kind: EditKind, n = order): number =>
  expectedDrop({ mean: greenShare, nullMean: 1 / 2, n, edit: kind })

statement({
  name: 'one edit lowers the sum by (P - gamma)(n + 1), n P - (n + 1) gamma or (n + 1) P - n gamma in expectation',
  how: `simulated: ${trials} watermarked texts per kind of edit (sta1, n = 2, flat over ${vocabSize} tokens), empirical Bernstein interval, false alarm 1e-9`,
  claim: order,
  check: (n) => {
    const found = editKinds.map((kind) => {
      const drop = predicted(kind, n)
      const { mean, slack } = meanDrop(kind, interior)
      expect(Math.abs(mean - drop)).toBeLessThan(slack)
      return `${kind} ${mean.toFixed(2)} +- ${slack.toFixed(2)} (predicted ${drop.toFixed(3)})`
    })
    return found.join(', ')
  },
  falsehood: { what: 'a region one shorter', claim: order - 1 },
})

statement({
  name: 'outside its conditions the formula fails: a substitution at the last position costs (P - gamma), not (P - gamma)(n + 1)',
  how: `simulated: ${trials} texts, empirical Bernstein interval, false alarm 1e-9`,
  claim: predicted('substitution', 0),
  check: (drop) => {
    const { mean, slack } = meanDrop('substitution', length - 1)
    expect(Math.abs(mean - drop)).toBeLessThan(slack)
    return `${mean.toFixed(2)} +- ${slack.toFixed(2)}; the formula for an interior position says ${predicted('substitution').toFixed(2)}`
  },
  falsehood: { what: 'the formula holds there', claim: predicted('substitution') },
})

const bits = 2
const synthidMean = expectedScores.synthid(flat, bits)

statement({
  name: 'SynthID: one substitution lowers the sum of its m bits per token by (P_s - m/2) R in expectation, R = n + 1',
  how: `simulated: ${trials} watermarked texts (m = ${bits}, n = 2, flat over ${vocabSize} tokens), empirical Bernstein interval, false alarm 1e-9`,
  claim: (synthidMean - bits / 2) * (order + 1),
  check: (drop) => {
    simulated.set(
      'synthid',
      simulated.get('synthid') ?? simulateDrop('substitution', interior, synthid({ layers: bits }), bits),
    )
    const { mean, slack } = simulated.get('synthid')!
    expect(Math.abs(mean - drop)).toBeLessThan(slack)
    return `${mean.toFixed(2)} +- ${slack.toFixed(2)} (predicted ${drop.toFixed(3)}, P_s = ${synthidMean.toFixed(3)})`
  },
  falsehood: { what: 'the bits of one token only', claim: synthidMean - bits / 2 },
})
