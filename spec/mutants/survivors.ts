/**
 * What the default settings cannot see, with its true size: mistakes whose bias is below 0.02 in total variation and which
 * declare no orbit, so that only sampling could find them, and a null rate that is wrong by a hundredth of itself.
 */
import { binomial, dipmark, kgw, ngram, sumDetector } from '../../src/index.ts'
import { dip, inverse, race, sta } from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('not seen by default')

/** The size of the mistake, and the option that would show it. */
export interface Survivor {
  readonly name: string
  readonly size: string
  readonly seenWith: string
}

const sizes: Survivor[] = []
const survives = (
  name: string,
  watermark: Parameters<typeof add>[1],
  size: string,
  seenWith: string,
): void => {
  add(name, watermark, [])
  sizes.push({ name, size, seenWith })
}

survives(
  'kgw(0.5) declared unbiased, its green sets not listed',
  changed(kgw({ delta: 0.5 }), { unbiased: true, enumerate: undefined }),
  'bias at most 0.0089',
  `bias: 0.005 in "${law.keys}", or enumerate`,
)
survives(
  'inverse: u from eight bits, no orbit',
  changed(inverse(), {
    draw: (random) => ({ word: (i) => random.uint32(i), u: (random.uint32(2 ** 23) >>> 24) / 256 }),
    orbit: undefined,
  }),
  'bias at most 1/256 per boundary, 0.0026 at [1/3, 2/3]',
  `bias: 0.002 in "${law.keys}"`,
)
survives(
  'race: arrivals in float32',
  changed(race(), {
    draw: (random) => ({ u: (i) => Math.min(1 - 2 ** -24, Math.fround(random.uniform(i)) || 2 ** -24) }),
  }),
  'bias about 1e-7',
  'nothing that samples; an orbit would',
)
survives(
  'weak dipmark without repeated-context rule and without orbit',
  changed(dipmark({ alpha: 0.1, context: ngram(2, { repeated: 'reuse' }) }), {
    orbit: undefined,
    enumerate: undefined,
  }),
  '0.005 in total variation over texts of four tokens',
  `bias: 0.002 in "${law.texts}", or an orbit`,
)
survives(
  'sta: a 1% leak of uniform noise over the support, no orbit',
  changed(sta(), {
    reweight: (p, code, q) => {
      sta().reweight(p, code, q)
      const support = p.filter((mass) => mass > 0).length
      for (let i = 0; i < p.length; i++) q[i] = 0.99 * q[i]! + (p[i]! > 0 ? 0.01 / support : 0)
    },
    orbit: undefined,
  }),
  'bias below 0.01',
  `bias: 0.005 in "${law.keys}", or an orbit`,
)
survives(
  'null rate 0.495 for 0.5',
  changed(dip(), { detector: sumDetector({ nullLaw: binomial(0.495), bound: 1 }) }),
  'P(p <= 5%) is 6.1% at 600 tokens',
  `bias: 0.005 in "${law.nullLaw}"`,
)

export { mutants as survivors, sizes as survivorSizes }
