/**
 * SimplexWater (Tsur et al. 2025): the side information of a position is a number s, uniform on 1 .. 2^n - 1 with n = ceil(log2(V + 1)). Token x scores the parity of the bits that x + 1 and s share, a bit of the
 * simplex code, and x is drawn from a coupling of p with s that makes scores large: an entropic optimal transport (Sinkhorn), rounded so that its mean over s is p exactly (mechanisms/coupling.ts).
 *
 * The kernel has two values at each s, so its sums over tokens and over s are Walsh-Hadamard transforms: a round of Sinkhorn costs n 2^n additions instead of V 2^n.
 */
import { binomial, sumDetector } from '../core/detect/index.ts'
import { below, ngram, OWN } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import type { NullLaw, Weighted } from '../watermark.ts'
import { type Rounding, roundingOf, roundOff, type Side, sameNumbers } from './mechanisms/coupling.ts'
import { bitCount } from './mechanisms/layers.ts'

/** The factor of a token that scores: e^(1/reg), the regularisation being 1/8. */
const BOOST = Math.exp(8)
/** Rounds of Sinkhorn. What they leave is rounded off: more rounds give a little more power and nothing else. */
const ROUNDS = 12

/** n: token x has the code word x + 1, and the word 0, which never scores, belongs to none. At least two: with one bit nothing is secret. */
const bitsOf = (vocabSize: number): number => Math.max(2, Math.ceil(Math.log2(vocabSize + 1)))

const parity = (token: number, { s }: Side): number => bitCount((token + 1) & s) & 1

/** The Walsh-Hadamard transform, in place: a[s] becomes the sum of a[x] (-1)^parity(x, s). */
function walshHadamard(a: Float64Array): Float64Array {
  for (let half = 1; half < a.length; half *= 2)
    for (let from = 0; from < a.length; from += 2 * half)
      for (let i = from; i < from + half; i++) {
        const [x, y] = [a[i]!, a[i + half]!]
        a[i] = x + y
        a[i + half] = x - y
      }
  return a
}

/** The coupling at one p: weights of tokens, the mass of the kernel at each s, and the rounding. */
interface Coupling {
  readonly p: Float64Array
  readonly weights: Float64Array
  readonly masses: Float64Array
  readonly rounding: Rounding
}

function coupling(p: Float64Array): Coupling {
  const size = 2 ** bitsOf(p.length)
  const weights = p.slice()
  const masses = new Float64Array(size)
  let means = weights
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) for (let x = 0; x < p.length; x++) if (means[x]! > 0) weights[x]! *= p[x]! / means[x]!
    masses.fill(0)
    masses.set(weights, 1)
    walshHadamard(masses)
    const total = masses[0]!
    const shares = new Float64Array(size)
    for (let s = 1; s < size; s++) {
      // (total - masses[s]) / 2 is the weight of the tokens that score
      masses[s] = total + (BOOST - 1) * Math.max(0, (total - masses[s]!) / 2)
      shares[s] = 1 / masses[s]!
    }
    walshHadamard(shares)
    const sum = shares[0]!
    means = weights.map(
      (weight, x) => (weight * (sum + ((BOOST - 1) * (sum - shares[x + 1]!)) / 2)) / (size - 1),
    )
  }
  return { p: p.slice(), weights, masses, rounding: roundingOf(p, means) }
}

/** The coupling that was asked for last: the same p is asked about under many keys. */
let last: Coupling | undefined

function reweight(p: Float64Array, side: Side, q: Float64Array): void {
  if (last === undefined || !sameNumbers(last.p, p)) last = coupling(p)
  const { weights, masses, rounding } = last
  for (let x = 0; x < p.length; x++)
    q[x] = (weights[x]! * (parity(x, side) === 1 ? BOOST : 1)) / masses[side.s]!
  roundOff(q, rounding)
}

/** Of 2^n - 1 values of s 2^(n-1) let a token score. Tokens under one s are not independent: there is no law for contexts that recur. */
function parityLaw(vocabSize: number): NullLaw {
  const words = 2 ** bitsOf(vocabSize)
  const { logTailOfCounts: _, ...law } = binomial(words / 2 / (words - 1))
  return law
}

function* allSides(vocabSize: number): Generator<Weighted<Side>> {
  const count = 2 ** bitsOf(vocabSize) - 1
  for (let s = 1; s <= count; s++) yield { code: { s }, weight: 1 / count }
}

/**
 * SimplexWater (Tsur et al., 2025): bits of the simplex code, and a coupling that makes them ones; its marginals hold exactly.
 * @example simplexWater().unbiased // true
 */
export const simplexWater = defineMethod('simplexWater', {
  parameters: {
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  make: (): MethodParts<Side> => ({
    unbiased: true,
    seedBits: 2, // side information is one of 2^n - 1 words, and n is at least 2
    draw: (random, vocabSize) => ({ s: 1 + below(random, OWN, 2 ** bitsOf(vocabSize) - 1) }),
    reweight,
    score: parity,
    detector: sumDetector({ nullLaw: parityLaw, bound: 1 }),
    enumerate: allSides,
    orbit: (_, p) => allSides(p.length),
  }),
})
