/**
 * A pseudorandom code (Christ and Gunn 2024) as a watermark of texts: every text gets a random codeword, and token t is drawn with the code bit xi at t mod n. The vocabulary is
 * in two secret halves; with p1 the mass of half 1, the half of the token is 1 with probability
 *
 *   2 xi p1               if p1 <= 1/2
 *   1 - 2 (1 - xi) (1 - p1)   else
 *
 * which is p1 in the mean over a fair xi; within the half tokens are drawn by p. The codeword obeys sparse secret parity checks, then gets a secret one-time pad and noise. The
 * pad makes every bit fair, whatever the codeword: texts of at most n tokens are unbiased. The detector counts the checks that a text obeys. Without the mark
 * the padded halves of a text are fair coins and the checks independent, since each has a last position of its own: the count is Binomial(r, 1/2), exactly.
 */

import { siphash128 } from '../core/kernels/index.ts'
import { below, type ContextRule, Expansion, OWN, type Random, STRIDE } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { logBinomialTail } from '../core/stats/index.ts'
import type { Detector, Evidence } from '../watermark.ts'

/** The halves of the vocabulary, the code bit of a position and its part of the pad, and the earlier positions of its check, where it ends one. */
export interface CodeBit {
  readonly halves: Pick<Random, 'uint32'>
  readonly bit: number
  readonly pad: number
  readonly earlier: readonly number[] | undefined
}

/** The longest code: positions and the words that they need lie in one part of the key's randomness. */
const MAX_LENGTH = 2 ** 16
/** Sets of words for the earlier positions of a check. */
const SETS = 64

/** The position of a token in its block, with the text's own number in generation; the detector does not know that number, and does not need it. */
function codewords(length: number): ContextRule {
  return {
    id: `codewords(length=${length})`,
    reach: Number.POSITIVE_INFINITY,
    recurs: true,
    freshUpTo: length,
    foundBy: 'checks',
    begin(perText) {
      const own = [perText.uint32(0), perText.uint32(1)]
      let at = 0
      return { next: () => [at++ % length, ...own] }
    },
    scored: (tokens, skip) =>
      Array.from({ length: tokens.length }, (_, t) => (skip(tokens[t]!) ? undefined : [t % length])),
  }
}

/** Returns the earlier positions of the check that ends at a position, secret ones: odd positions end a check, the others are free. */
function earlierOf(shared: Random, at: number, weight: number): readonly number[] | undefined {
  if (at < weight || at % 2 === 0) return undefined
  const found = new Set<number>()
  for (let set = 1; found.size < weight - 1 && set < SETS; set++)
    found.add(below(shared, OWN + MAX_LENGTH * set + at, at))
  return [...found]
}

/** The bits of the last codeword that were asked for, and those that they follow from: texts are written in order. */
let last: { readonly name: string; readonly bits: (number | undefined)[] } | undefined

/** Returns the bit of a text's codeword: free, or what its check asks for. */
function codeBit(shared: Random, own: readonly number[], at: number, weight: number): number {
  const key = Uint32Array.from({ length: 4 }, (_, i) => shared.uint32(STRIDE - 4 + i))
  const seed = siphash128(key, own, new Uint32Array(4))
  const name = [weight, ...seed].join()
  if (last?.name !== name) last = { name, bits: [] }
  const { bits } = last
  const free = new Expansion(seed)
  const bitAt = (j: number): number =>
    (bits[j] ??= earlierOf(shared, j, weight)?.reduce((sum, i) => sum ^ bitAt(i), 0) ?? free.uint32(j) & 1)
  return bitAt(at)
}

const halfOf = (token: number, { halves }: CodeBit): number => halves.uint32(token) & 1

function reweight(p: Float64Array, code: CodeBit, q: Float64Array): void {
  const mass = [0, 0]
  for (let i = 0; i < p.length; i++) mass[halfOf(i, code)]! += p[i]!
  const ones = mass[1]! / (mass[0]! + mass[1]!)
  const one = ones <= 1 / 2 ? 2 * code.bit * ones : 1 - 2 * (1 - code.bit) * (1 - ones)
  const factors = [mass[0] === 0 ? 0 : (1 - one) / mass[0]!, mass[1] === 0 ? 0 : one / mass[1]!]
  for (let i = 0; i < p.length; i++) q[i] = p[i]! * factors[halfOf(i, code)]!
}

/** The checks of one block of a text: how many lie in it, and how many it obeys. */
interface Counted {
  readonly checks: number
  readonly obeyed: number
}

/** Counts the checks of one block, given the padded half of each scored position; writes to `perToken` which are obeyed. */
function countChecks(
  { contexts, codeOf, score, tokens }: Evidence,
  from: number,
  to: number,
  perToken: Float64Array,
): Counted {
  if (codeOf === undefined) throw new TypeError('prc: expected evidence with codes, as detect gives it')
  const bits = new Map<number, number>()
  let [checks, obeyed] = [0, 0]
  for (let t = from; t < to; t++) {
    const context = contexts[t]
    if (context === undefined) continue
    bits.set(context[0]!, score(tokens[t]!, context))
    const { earlier } = codeOf(context, 0) as CodeBit
    if (!earlier?.every((i) => bits.has(i))) continue
    const parity = earlier.reduce((sum, i) => sum ^ bits.get(i)!, bits.get(context[0]!)!)
    perToken[t] = 1 - parity
    checks++
    obeyed += 1 - parity
  }
  return { checks, obeyed }
}

/** Tests each block of `length` tokens by the number of checks that it obeys; the smallest p-value, times the number of blocks. */
const checksDetector = (length: number): Detector => ({
  id: 'checks',
  bound: Number.POSITIVE_INFINITY,
  follows: ({ foundBy }) => foundBy === 'checks',
  test(evidence) {
    const { tokens, contexts } = evidence
    const perToken = new Float64Array(tokens.length).fill(Number.NaN)
    const blocks: Counted[] = []
    for (let from = 0; from < tokens.length; from += length)
      blocks.push(countChecks(evidence, from, Math.min(tokens.length, from + length), perToken))
    const tested = blocks.filter(({ checks }) => checks > 0)
    const logTails = tested.map(({ checks, obeyed }) => logBinomialTail(obeyed, checks, 1 / 2))
    const scored = contexts.filter((context) => context !== undefined).length
    const excess = tested.map(({ checks, obeyed }) => (2 * obeyed - checks) / Math.sqrt(checks))
    return {
      statistic: excess.length === 0 ? 0 : excess.reduce((a, b) => Math.max(a, b)),
      logPValue: logTails.reduce((least, tail) => Math.min(least, tail + Math.log(logTails.length)), 0),
      // without a gap the number of checks does not depend on the key
      exact: tested.length <= 1 && scored === tokens.length,
      scored,
      perToken,
    }
  },
})

/**
 * A pseudorandom code (Christ and Gunn, 2024): every text carries a random codeword that obeys secret sparse parity checks.
 * @example prc({ length: 512 }).unbiasedUpTo // 512
 */
export const prc = defineMethod('prc', {
  parameters: {
    /** Bits of the code: longer texts use bits again, and are not unbiased as wholes. */
    length: parameter.integer(8, MAX_LENGTH, { default: 1024 }),
    /** Positions of a parity check: more hide the code better, fewer need shorter texts. */
    weight: parameter.integer(2, 14, { default: 3 }),
    /** The share of code bits that are flipped. */
    noise: parameter.number(0, 0.5, { default: 0.05 }),
  },
  rows: [], // not in the paper
  small: { length: 64 },
  make: ({ length, weight, noise }): MethodParts<CodeBit> => ({
    unbiased: true,
    context: codewords(length),
    draw(random, _, { shared, context }) {
      const [at = 0, ...own] = context
      const pad = shared.uint32(OWN + at) & 1
      const flip = random.uniform(OWN) < noise ? 1 : 0
      const bit = own.length === 0 ? pad : codeBit(shared, own, at, weight) ^ pad ^ flip
      return { halves: shared, bit, pad, earlier: earlierOf(shared, at, weight) }
    },
    reweight,
    score: (token, code) => halfOf(token, code) ^ code.pad,
    detector: checksDetector(length),
    orbit: (code) => [code, { ...code, bit: 1 - code.bit, pad: 1 - code.pad }],
  }),
})
