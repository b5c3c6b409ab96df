/**
 * What the default settings cannot see, with its true size, computed and not sampled: mistakes whose bias lies below what the
 * sampled laws promise to see and which declare no orbit, so that only sampling could find them, and a null rate that is wrong by
 * half of a hundredth.
 */
import { binomial, dipmark, kgw, ngram, sumDetector } from '../../src/index.ts'
import { averageOf, totalVariation } from '../../src/laws/average.ts'
import { fractions, probabilities } from '../../src/laws/fractions.ts'
import { sequenceLaw } from '../../src/laws/sequence-law.ts'
import { modelLaw, openingOf } from '../../src/laws/toy-world.ts'
import { logBinomialTail } from '../../src/stats/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { both, dip, inverse, type Place, race, sta, type Words } from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('not seen by default')

interface Survivor {
  readonly name: string
  /** How large the mistake is, what that is the size of, and how large it would have to be to be seen for sure. */
  readonly size: number
  readonly where: string
  readonly promised: number
  /** The option that would show it. */
  readonly seenWith: string
}

const sizes: Survivor[] = []
function survives(watermark: Parameters<typeof add>[1], mistake: Survivor): void {
  add(mistake.name, watermark, [])
  sizes.push(mistake)
}

/** The bias on a distribution, over codes with their weights. */
function biasOn<Code>(
  watermark: Watermark<Code>,
  w: readonly number[],
  codes: Iterable<{ code: Code; weight: number }>,
): Pick<Survivor, 'size' | 'where' | 'promised'> {
  const p = probabilities(w)
  const size = totalVariation(averageOf(watermark, codes, p), p)
  return { size, where: `bias on [${fractions(w).join(', ')}]`, promised: 0.02 }
}

const weakKgw = kgw({ delta: 0.3 })
survives(changed(weakKgw, { unbiased: true, enumerate: undefined }), {
  name: 'kgw(0.3) declared unbiased, its green sets not listed',
  ...biasOn(weakKgw, [30, 3, 2, 1, 1, 1], weakKgw.enumerate!(6)),
  seenWith: `bias: 0.002 in "${law.keys}", or enumerate`,
})

/** Both orders of two tokens, and every place of eight bits. */
const places = [0, 1].flatMap((flip) =>
  Array.from({ length: 256 }, (_, k) => ({
    code: { word: (i: number) => i ^ flip, u: k / 256 } satisfies Place,
    weight: 1 / 512,
  })),
)
survives(
  changed(inverse(), {
    draw: (random) => ({ word: (i) => random.uint32(i), u: (random.uint32(2 ** 23) >>> 24) / 256 }),
    orbit: undefined,
  }),
  {
    name: 'inverse: u from eight bits, no orbit',
    ...biasOn(inverse(), [1, 2], places),
    seenWith: `bias: 0.0005 in "${law.keys}", 1e8 keys`,
  },
)

survives(
  changed(race(), {
    draw: (random) => ({ u: (i) => Math.min(1 - 2 ** -24, Math.fround(random.uniform(i)) || 2 ** -24) }),
  }),
  {
    name: 'race: arrivals in float32',
    size: 2 ** -24,
    where: 'largest error of a uniform value',
    promised: 0.02,
    seenWith: 'nothing that samples',
  },
)

const weakDip = changed(dipmark({ alpha: 0.05, context: ngram(2, { repeated: 'reuse' }) }), {
  unbiasedUpTo: undefined,
})
const coin = { vocabSize: 2, rows: [[1, 1]] }
survives(changed(weakDip, { orbit: undefined, enumerate: undefined }), {
  name: 'weak dipmark without repeated-context rule and without orbit',
  size: totalVariation(sequenceLaw(weakDip, coin, 4, openingOf(weakDip)!, 'any'), modelLaw(coin, 4)),
  where: 'bias over texts of four fair coins',
  promised: 0.05,
  seenWith: `bias: 0.002 in "${law.texts}", or an orbit`,
})

const leaking = changed(sta(), {
  reweight: (p, code, q) => {
    sta().reweight(p, code, q)
    const reached = p.map((mass) => (mass > 1e-9 ? 1 : 0))
    const support = reached.reduce((sum, one) => sum + one, 0)
    for (let i = 0; i < p.length; i++) q[i] = 0.995 * q[i]! + (0.005 * reached[i]!) / support
  },
  orbit: undefined,
})
const anyWords: Words = { word: (i) => Math.imul(i, 0x9e3779b9) >>> 0 }
survives(leaking, {
  name: 'sta: half a percent of uniform noise over the support, no orbit',
  ...biasOn(
    leaking,
    [30, 3, 2, 1, 1, 1],
    both(anyWords).map((code) => ({ code, weight: 1 / 2 })),
  ),
  seenWith: `bias: 0.002 in "${law.keys}", or an orbit`,
})

/** The chance that p <= 5% when counts of `n` fair coins are compared with a rate below 1/2. */
function sizeAt5Percent(n: number, rate: number): number {
  let least = n
  while (logBinomialTail(least - 1, n, rate) <= Math.log(0.05)) least--
  return Math.exp(logBinomialTail(least, n, 1 / 2))
}
survives(changed(dip(), { detector: sumDetector({ nullLaw: binomial(0.4975), bound: 1 }) }), {
  name: 'null rate 0.4975 for 0.5',
  size: sizeAt5Percent(600, 0.4975) - 0.05,
  where: 'excess of P(p <= 5%) over 5% at 600 tokens',
  promised: 0.18,
  seenWith: 'more keys than the law affords',
})

export { mutants as survivors, sizes as survivorSizes }
