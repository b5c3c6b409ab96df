/** Mistakes in what a code is drawn from. */
import { Expansion } from '../../src/core/keys/random.ts'
import { labelSeed } from '../../src/core/keys/stream.ts'
import {
  CHANNELS,
  type Channels,
  channels,
  complement,
  dip,
  drawWords,
  inverse,
  race,
  sta,
  tournament,
  type Words,
} from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('randomness')

export { mutants as randomness }

add(
  'channels: partition and choice by modulo from three bits',
  changed(channels(), {
    draw: (random) => ({
      channel: (i) => (random.uint32(i) >>> 29) % 3,
      chosen: (random.uint32(2 ** 23) >>> 29) % 3,
    }),
  }),
  [law.keys, law.honest, law.nullLaw],
)
add(
  'channels: choice and partition from the same word',
  changed(channels(), {
    draw: (random) => ({ channel: (i) => random.uint32(i) % CHANNELS, chosen: random.uint32(0) % CHANNELS }),
  }),
  [law.keys, law.honest],
)
add(
  'channels: token id modulo channels as the partition',
  changed(channels(), {
    draw: (random): Channels => ({
      channel: (i) => i % CHANNELS,
      chosen: random.uint32(2 ** 23) % (CHANNELS - 1),
    }),
  }),
  [law.keys, law.honest],
)

/** The published constants of a linear congruential generator; its low bits have short periods. */
const lcg = (x: number): number => (Math.imul(x, 1103515245) + 12345) >>> 0
add(
  'race: low bits of a linear congruential generator',
  changed(race(), {
    draw: (random) => {
      const seed = random.uint32(0)
      return {
        u: (i) => {
          let x = seed
          for (let k = 0; k <= i; k++) x = lcg(x)
          return ((x & 15) + 0.5) / 16
        },
      }
    },
  }),
  [law.keys],
)
add(
  'race: two tokens share a value',
  changed(race(), { draw: (random) => ({ u: (i) => random.uniform(i >> 1) }) }),
  [law.keys],
)
add(
  'race: four bits per value',
  changed(race(), { draw: (random) => ({ u: (i) => ((random.uint32(i) >>> 28) + 0.5) / 16 }) }),
  [law.keys],
)
add(
  'race: consecutive words overlap',
  changed(race(), {
    draw: (random) => ({ u: (i) => (random.uniform(i) + random.uniform(i + 1)) / 2 }),
  }),
  [law.keys],
)
add('race: uniforms squared', changed(race(), { draw: (random) => ({ u: (i) => random.uniform(i) ** 2 }) }), [
  law.nullLaw,
])
add(
  'race: the values of the second half of the vocabulary repeat the first',
  changed(race(), { draw: (random, size) => ({ u: (i) => random.uniform(i % Math.ceil(size / 2)) }) }),
  [law.keys],
)

add(
  'dip: the key is not mixed in',
  changed(dip(), {
    draw: (_, __, { context }) => drawWords(new Expansion(labelSeed('context', context.join()))),
  }),
  [law.deterministic],
)
add(
  'dip: only the last token of the context counts',
  changed(dip(), {
    draw: (_, __, { context, shared }) =>
      drawWords(new Expansion([shared.uint32(1), shared.uint32(2), shared.uint32(3), context.at(-1)!])),
  }),
  [law.deterministic, law.texts],
)
add(
  'dip: a context counts by the sum of its tokens',
  changed(dip(0.5), {
    draw: (_, __, { context, shared }) =>
      drawWords(
        new Expansion([
          shared.uint32(1),
          shared.uint32(2),
          shared.uint32(3),
          context.reduce((a, b) => a + b, 0),
        ]),
      ),
  }),
  [law.texts],
)
add(
  'dip: randomness of the key alone, the same everywhere',
  changed(dip(0.5), { draw: (_, __, { shared }) => drawWords(shared) }),
  [law.deterministic, law.texts],
)
add(
  'dip: Math.random',
  changed(dip(), { draw: () => drawWords(new Expansion([Math.random() * 2 ** 32, 0, 0, 0])) }),
  [law.deterministic],
)
let drawn = 0
add(
  'dip: a counter that survives from call to call',
  changed(dip(), {
    draw: (random) => ({
      word: (
        (turn) => (i: number) =>
          random.uint32(i + turn)
      )(drawn++ % 7),
    }),
  }),
  [law.deterministic],
)
const remembered = new Map<string, Words>()
add(
  'dip: codes cached by context, without the key',
  changed(dip(), {
    draw: (random, size, { context }) => {
      const id = `${context.join()}/${size}`
      const known = remembered.get(id)
      if (known !== undefined) return known
      const words = Uint32Array.from({ length: size }, (_, i) => random.uint32(i))
      const code = { word: (i: number) => words[i]! }
      remembered.set(id, code)
      return code
    },
  }),
  [law.deterministic],
)
add(
  'dip: the order of token ids',
  changed(dip(), { draw: (random) => ({ word: (i) => (random.uint32(0) >>> 9) + i }) }),
  [law.keys, law.honest],
)
add(
  'dip: a shuffle that moves every token (Sattolo)',
  changed(dip(), {
    draw: (random, size) => {
      const place = Array.from({ length: size }, (_, i) => i)
      for (let i = size - 1; i > 0; i--) {
        const j = random.uint32(i) % i
        const held = place[i]!
        place[i] = place[j]!
        place[j] = held
      }
      return { word: (i) => Math.floor(((place[i]! + 0.5) / size) * 2 ** 32) }
    },
    orbit: (code) => [code, complement(code)],
  }),
  [law.keys, law.honest],
)
add(
  'dip: a shuffle by a comparator that flips coins',
  changed(dip(), {
    draw: (random, size) => {
      let toss = 0
      const place = Array.from({ length: size }, (_, i) => i).sort(() => (random.uint32(toss++) >>> 31) - 0.7)
      return { word: (i) => Math.floor(((place[i]! + 0.5) / size) * 2 ** 32) }
    },
  }),
  [law.keys],
)
add(
  'sta: green by the parity of the token id',
  changed(sta(), { draw: (random) => ({ word: (i) => (i % 2 === 0 ? random.uint32(0) >>> 1 : 2 ** 31) }) }),
  [law.keys, law.honest],
)
add(
  'sta: 45% green instead of half',
  changed(sta(), {
    draw: (random) => ({ word: (i) => Math.min(2 ** 32 - 1, Math.floor(random.uint32(i) / 0.9)) }),
  }),
  [law.nullLaw, law.honest],
)
add(
  'tournament: the same bit in every layer',
  changed(tournament(), { draw: (random) => ({ word: (i) => -(random.uint32(i) >>> 31) >>> 0, mask: 0 }) }),
  [law.honest, law.nullLaw],
)
add(
  'inverse: u from the word of token 0',
  changed(inverse(), { draw: (random) => ({ ...drawWords(random), u: (random.uint32(0) + 0.5) / 2 ** 32 }) }),
  [law.keys, law.honest],
)
add(
  'inverse: u from the middle half of [0, 1]',
  changed(inverse(), {
    draw: (random) => ({
      ...drawWords(random),
      u: 0.25 + random.uniform(2 ** 23) / 2,
    }),
  }),
  [law.honest],
)
