/**
 * What the default settings need not see, with its true size, computed and not sampled: mistakes below what the sampled laws promise
 * to see, where no orbit makes them exact; and mistakes of any size where no law looks.
 */
import { binomial, dipmark, kgw, ngram, sumDetector } from '../../src/index.ts'
import { averageOf, totalVariation } from '../../src/laws/average.ts'
import { fractions, probabilities } from '../../src/laws/fractions.ts'
import { LONG_LENGTH } from '../../src/laws/pair-plan.ts'
import { LENGTH as LONGEST } from '../../src/laws/positions.ts'
import { sequenceLaw } from '../../src/laws/sequence-law.ts'
import { biasAt, LARGEST } from '../../src/laws/sizes.ts'
import { modelLaw, openingOf } from '../../src/laws/toy-world.ts'
import { logBinomialTail } from '../../src/stats/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { arrival, both, dip, first, inverse, type Place, race, sta, type Words } from './bases.ts'
import { changed, family, law } from './mutant.ts'
import { kgwAt, type Placed, shift, staAt } from './positions.ts'
import { last, rule, unbounded } from './rules.ts'
import { raceAmong } from './sizes.ts'

const { mutants, add } = family('not seen by default')

interface Survivor {
  readonly name: string
  /** How large the mistake is, what that is the size of, and how large it would have to be to be seen for sure; absent: any size. */
  readonly size: number
  readonly where: string
  readonly promised?: number
  /** What would show it. */
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

// --- where no law looks
/** The bias of one step of kgw(2), and of moving mass as `shift` does, over every green list of three tokens. */
const three = [5, 3, 2]
const lists = Array.from({ length: 8 }, (_, k) => ({
  code: { word: (i: number) => ((k >> i) & 1 ? 0 : 2 ** 31), t: 0 },
  weight: 1 / 8,
}))
const stepBias = (wrong: Watermark<Placed>): Pick<Survivor, 'size' | 'where'> => {
  const { size, where } = biasOn(wrong, three, lists)
  return { size, where: `${where} at each of these positions` }
}
survives(
  kgwAt((t) => t >= LONGEST),
  {
    name: `kgw(2) from position ${LONGEST} on`,
    ...stepBias(kgwAt(() => true)),
    seenWith: 'nothing: texts of this law end there',
  },
)
survives(
  staAt((t, q) => {
    if (t >= 16) shift(q, t % 4 < 2 ? 1 : -1)
  }),
  {
    name: 'biases from position 16 on that cancel among even positions and among odd ones',
    ...stepBias(staAt((_, q) => shift(q, 1))),
    seenWith: 'nothing: they share a class of positions',
  },
)
survives(
  raceAmong((i) => i < LARGEST),
  {
    name: 'race: ids beyond 50,256 never win',
    size: 1 - LARGEST / 128_000,
    where: 'bias on the uniform distribution over 128,000 tokens',
    seenWith: 'nothing: no larger vocabulary is tried',
  },
)
const FASTER = 1.1
const sevenths = Math.floor(1000 / 7)
survives(
  changed(race(), {
    choose: (p, { u }) =>
      first(p, (i) => arrival(p[i]! * (p.length > 100 && i % 7 === 3 ? FASTER : 1), u(i))),
  }),
  {
    name: 'race: every seventh id is 10% faster where there are more than 100',
    size: (sevenths * FASTER) / (1000 + sevenths * (FASTER - 1)) - sevenths / 1000,
    where: 'bias on the uniform distribution over 1,000 tokens, on a set that is in no family',
    promised: biasAt(1000, { effort: 'usual', bias: 0.02 }),
    seenWith: `bias: 0.005 in "${law.keys}"`,
  },
)
survives(
  changed(race(), {
    // the detector scores each context once, whatever the generator forgot
    context: {
      ...ngram(2),
      begin: rule('cleared', (tokens, t) => last(tokens, t, 2), {
        ...unbounded,
        nameOf: (context, _, t) => `${Math.floor(t / 2500)}/${context}`,
      }).begin,
    },
  }),
  {
    name: 'race: the memory of contexts is cleared every 2,500 tokens',
    size: 1 - 1 / 4,
    where: 'excess of P(x_s = x_t) where s and t share a context, four tokens',
    seenWith: `nothing: texts of "${law.pairs}" have at most ${LONG_LENGTH.toLocaleString('en')} tokens`,
  },
)
// two of 360 positions share one of 2^16 codes
survives(
  changed(race(), {
    draw: (random, _, { shared }) => {
      const code = random.uint32(0) >>> 16
      return { u: (i) => shared.uniform(2 ** 16 * i + code) }
    },
  }),
  {
    name: 'race: 65,536 codes per key',
    size: 2 ** -16 * (1 - 1 / 4),
    where: 'excess of P(x_s = x_t) over all pairs, four tokens',
    promised: 0.017,
    seenWith: 'more texts than the law affords',
  },
)

export { mutants as survivors, sizes as survivorSizes }
