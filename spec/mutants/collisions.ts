/** Codes that collide: fewer of them than contexts or keys. */
import { siphash128 } from '../../src/core/kernels/siphash.ts'
import { Expansion, OWN, type Random } from '../../src/core/keys/random.ts'
import type { Context, Site } from '../../src/core/keys/schedule.ts'
import { ngram } from '../../src/index.ts'
import { dip, drawWords, race, sta, tournament, type Uniforms } from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('collisions')

export { mutants as collisions }

const uniforms = (random: Random): Uniforms => ({ u: (i) => random.uniform(i) })
/** Randomness of the key and a number. */
const seeded = ({ shared }: Pick<Site, 'shared'>, ...seed: number[]): Expansion =>
  new Expansion([shared.uint32(0), shared.uint32(1), ...seed, 0, 0].slice(0, 4))
const keyedHash = ({ shared, context }: Pick<Site, 'shared' | 'context'>): number =>
  siphash128(
    Uint32Array.from({ length: 4 }, (_, i) => shared.uint32(i)),
    context,
    new Uint32Array(4),
  )[0]!
/** One hash of a list of numbers, without a key. */
const plainHash = (numbers: Iterable<number>, start = 17): number => {
  let hash = start
  for (const x of numbers) hash = Math.imul(hash ^ x, 0x9e3779b1) ^ (hash >>> 15)
  return hash >>> 0
}

add(
  'race: sixteen codes per key where the vocabulary is large',
  changed(race(), {
    draw: (random, vocabSize, site) =>
      uniforms(vocabSize > 60_000 ? seeded(site, random.uint32(OWN) & 15) : random),
  }),
  [law.deterministic],
)
add(
  'dip: ids of the context hashed as bytes',
  changed(dip(), {
    draw: (_, __, site) => drawWords(seeded(site, plainHash(site.context.map((id) => id & 255)))),
  }),
  [law.deterministic],
)
add(
  'race: ids of the context kept in 16 bits',
  changed(race(), {
    draw: (_, __, site) => uniforms(seeded(site, ...site.context.map((id) => id & 0xffff))),
  }),
  [law.deterministic],
)
add(
  'race: a hash in floating point beyond 2^53',
  changed(race(), {
    draw: (_, __, site) => {
      const [a, b] = site.context as [number, number]
      return uniforms(seeded(site, ((site.shared.uint32(5) * 2 ** 21 + a) * 4096 + b) % 2 ** 32))
    },
  }),
  [law.deterministic],
)
add(
  'sta: a keyed context hash of 12 bits',
  changed(sta(), { draw: (_, __, site) => drawWords(seeded(site, keyedHash(site) & 4095)) }),
  [law.deterministic],
)
add(
  'race: a keyed context hash of 20 bits',
  changed(race(), { draw: (_, __, site) => uniforms(seeded(site, keyedHash(site) >>> 12)) }),
  [law.deterministic],
)
add(
  'race: 12 bits of the key used',
  changed(race(), {
    needsKey: true,
    draw: (_, __, { key, context }) =>
      uniforms(new Expansion([plainHash(key) & 4095, plainHash(context), plainHash(context, 3), 1])),
  }),
  [law.deterministic],
)
add(
  'tournament: the key as a number of 16 bits',
  changed(tournament(), {
    needsKey: true,
    draw: (_, __, { key, context }) => ({
      ...drawWords(new Expansion([plainHash(key) >>> 16, ...context, 1])),
      mask: 0,
    }),
  }),
  [law.deterministic],
)
const shortSeed =
  (bits: number) =>
  (random: Random): Expansion =>
    new Expansion([random.uint32(OWN) >>> (32 - bits), 1, 2, 3])
add('race: seeds of 16 bits in all', changed(race(), { draw: (random) => uniforms(shortSeed(16)(random)) }), [
  law.deterministic,
])
add('dip: seeds of 22 bits in all', changed(dip(), { draw: (random) => drawWords(shortSeed(22)(random)) }), [
  law.deterministic,
])
add(
  'race: the sum of the ids of a context',
  changed(race(), {
    context: ngram(3),
    draw: (_, __, site) =>
      uniforms(
        seeded(
          site,
          site.context.reduce((a, b) => a + b, 0),
        ),
      ),
  }),
  [law.deterministic],
)
const mersenne = (context: Context): number => context.reduce((hash, id) => (hash * 31 + id) % 8191, 7)
add(
  'tournament: a rolling hash modulo 8,191',
  changed(tournament(), {
    draw: (_, __, site) => ({ ...drawWords(seeded(site, mersenne(site.context))), mask: 0 }),
  }),
  [law.deterministic],
)
add(
  'race: 65,536 codes per key',
  changed(race(), {
    draw: (random, _, { shared }) => {
      const code = random.uint32(0) >>> 16
      return { u: (i) => shared.uniform(2 ** 16 * i + code) }
    },
  }),
  [law.deterministic],
)
add(
  'race: sixteen codes per key where there are more than 200,000 tokens',
  changed(race(), {
    draw: (random, vocabSize, site) =>
      uniforms(vocabSize > 200_000 ? seeded(site, random.uint32(OWN) & 15) : random),
  }),
  [law.deterministic],
)
add(
  'race: ids of the context modulo 50,257',
  changed(race(), {
    draw: (_, __, site) => uniforms(seeded(site, ...site.context.map((id) => id % 50_257))),
  }),
  [law.deterministic],
)
