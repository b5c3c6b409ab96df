/**
 * What the default settings need not see, with its true size, computed and not sampled: mistakes below what the sampled laws promise
 * to see, where no orbit makes them exact; and mistakes of any size where no law looks.
 */

import { Expansion } from '../../src/core/keys/random.ts'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { averageOf, totalVariation } from '../../src/gate/laws/average.ts'
import { fractions, probabilities } from '../../src/gate/laws/fractions.ts'
import { LONG_LENGTH } from '../../src/gate/laws/pair-plan.ts'
import { LENGTH as LONGEST } from '../../src/gate/laws/positions.ts'
import { sequenceLaw } from '../../src/gate/laws/sequence-law.ts'
import { biasAt, LARGEST, netBias } from '../../src/gate/laws/sizes.ts'
import { modelLaw, openingOf } from '../../src/gate/laws/toy-world.ts'
import { binomial, dipmark, kgw, ngram, sumDetector } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { arrival, dip, first, inverse, type Place, race } from './bases.ts'
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

/** The bias that is seen for sure on a few tokens, where a code reads words. */
const FEW = netBias({ effort: 'usual', bias: 0.02 })

/** The bias on a distribution, over codes with their weights. */
function biasOn<Code>(
  watermark: Watermark<Code>,
  w: readonly number[],
  codes: Iterable<{ code: Code; weight: number }>,
): Pick<Survivor, 'size' | 'where' | 'promised'> {
  const p = probabilities(w)
  const size = totalVariation(averageOf(watermark, codes, p), p)
  return { size, where: `bias on [${fractions(w).join(', ')}]`, promised: FEW }
}

const weakKgw = kgw({ delta: 0.1 })
survives(changed(weakKgw, { unbiased: true, enumerate: undefined }), {
  name: 'kgw(0.1) declared unbiased, its green sets not listed',
  ...biasOn(weakKgw, [30, 3, 2, 1, 1, 1], weakKgw.enumerate!(6)),
  seenWith: `bias: 0.005 in "${law.keys}", or enumerate`,
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
    seenWith: `bias: 0.01 in "${law.keys}"`,
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
    promised: FEW,
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

/** The chance that the largest of `tokens` values among `values` is drawn twice, at most: sum over values v of P(two at v, none above). */
function tiedShare(tokens: number, values: number): number {
  let share = 0
  for (let v = 0; v < values; v++) {
    const none = ((values - v) / values) ** tokens
    if (none < 1e-12) break
    const [mean, below] = [tokens / values, ((values - v - 1) / values) ** tokens]
    share += none - below - mean * ((values - v - 1) / values) ** (tokens - 1)
  }
  return share
}

// --- where no law looks
const MOST = 262_144
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
  raceAmong((i) => i < MOST),
  {
    name: 'race: ids beyond 262,143 never win',
    size: 1 - MOST / 400_000,
    where: 'bias on the uniform distribution over 400,000 tokens',
    seenWith: 'nothing: no larger vocabulary is tried',
  },
)
survives(
  raceAmong((i) => i !== 777),
  {
    name: 'race: token 777 never drawn',
    size: 0.3,
    where: 'bias on a distribution that gives it 0.3',
    seenWith: 'nothing: it is no special id, and seldom heavy where it is tried',
  },
)
survives(
  changed(race(), {
    draw: (random) => ({ u: (i) => (Math.floor(random.uniform(i) * 2 ** 20) + 0.5) / 2 ** 20 }),
  }),
  {
    name: 'race: uniforms of 20 bits',
    size: tiedShare(LARGEST, 2 ** 20) / 2,
    where: 'at most, bias on the uniform distribution over 50,257 tokens',
    promised: biasAt(LARGEST, { effort: 'usual', bias: 0.02 }),
    seenWith: `bias: 0.002 in "${law.keys}"`,
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
// 2^14 contexts have an equal pair with probability 2^-9
survives(
  changed(race(), {
    draw: (random) => {
      const seeded = new Expansion([random.uint32(0), random.uint32(1) >>> 28, 0, 0])
      return { u: (i) => seeded.uniform(i) }
    },
  }),
  {
    name: 'race: seeds of 36 bits in all',
    size: 2 ** -36,
    where: 'probability that two contexts share a code',
    promised: 2 ** -23,
    seenWith: `effort: 'thorough' in "${law.deterministic}", up to 2^-32`,
  },
)

export { mutants as survivors, sizes as survivorSizes }
