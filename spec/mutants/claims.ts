/** Declarations that say something that is not so. */
import {
  defineWatermark,
  dipmark,
  gumbel,
  kgw,
  permuteAndFlip,
  sta1,
  synthid,
  unigram,
} from '../../src/index.ts'
import {
  complement,
  dip,
  dipBend,
  drawWords,
  first,
  half,
  increments,
  inverse,
  orderOf,
  sta,
  tournament,
  upperHalf,
  type Words,
} from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('claims')

export { mutants as claims }

for (const delta of [0.5, 1, 2])
  add(`kgw(${delta}) declared unbiased, its green sets listed`, changed(kgw({ delta }), { unbiased: true }), [
    law.orbit,
  ])
add('kgw(2) declared unbiased', changed(kgw({ delta: 2 }), { unbiased: true, enumerate: undefined }), [
  law.keys,
])
add('unigram(1) declared unbiased', changed(unigram({ delta: 1 }), { unbiased: true }), [
  law.orbit,
  law.texts,
])
add('three leaves declared unbiased', changed(synthid({ layers: 20, leaves: 3 }), { unbiased: true }), [
  law.keys,
])
add('gumbel declared biased', changed(gumbel(), { unbiased: false }), [law.biased])

// --- the decoder whose law is preserved
add('permute-and-flip that does not name its decoder', changed(permuteAndFlip(), { target: undefined }), [
  law.keys,
])
add('gumbel that names permute-and-flip', changed(gumbel(), { target: 'permute-and-flip' }), [law.orbit])
add(
  'permute-and-flip with temperature 1/2',
  changed(permuteAndFlip(), { choose: (p, { at }) => first(p, (i) => at(i) / p[i]! ** 2) }),
  [law.keys],
)
add('dipmark with alpha 0 declared biased', changed(dipmark({ alpha: 0 }), { unbiased: false }), [law.biased])
add('gamma 1/2 in the claim, 0.3 in the code', changed(sta1({ gamma: 0.3 }), { orbit: sta1().orbit }), [
  law.orbit,
])

add(
  'the identity, with a detector',
  defineWatermark<Words>({
    id: 'identity',
    unbiased: true,
    context: dip().context,
    draw: drawWords,
    reweight: (p, _, q) => q.set(p),
    score: upperHalf,
    detector: half,
    orbit: (code) => [code],
  }),
  [law.detectable],
)
add('dipmark with alpha 0', dipmark({ alpha: 0 }), [law.detectable])

// --- orbits that average to p but are not what keys draw
const upward = (p: Float64Array, code: Words, q: Float64Array): void =>
  increments(p, orderOf(p.length, code), dipBend(0.4), q)
const alwaysUp = { draw: () => ({ word: (i: number) => i * 1000 }) }
add('the reversed order is in the orbit but never drawn', changed(dip(), alwaysUp), [law.honest, law.keys])
const plain: Words & { plain?: true } = { word: () => 0, plain: true }
add(
  'an orbit of one made-up code that does nothing',
  changed(dip(), {
    reweight: (p, code: Words & { plain?: true }, q) => (code.plain ? q.set(p) : upward(p, code, q)),
    orbit: () => [plain],
  }),
  [law.honest],
)
add(
  'an orbit that adds what is missing',
  changed(sta(), {
    // strong reweight, and a made-up partner 2p - q wherever that is a distribution
    reweight: (p, code: Words & { partner?: true }, q) => {
      sta().reweight(p, code, q)
      if (code.partner) for (let i = 0; i < p.length; i++) q[i] = 2 * p[i]! - q[i]!
    },
    orbit: (code) => [code, { ...code, partner: true }],
  }),
  [law.honest],
)
add(
  'an orbit without the code itself',
  changed(dip(), {
    orbit: (code) => {
      const other: Words = { word: (i) => (code.word(i) ^ 0x5a5a5a5a) >>> 0 }
      return [other, complement(other)]
    },
  }),
  [law.honest],
)
add(
  'an orbit whose scores do not turn with its order',
  changed(dip(), {
    reweight: (p, code: Words & { turned?: true }, q) => upward(p, code.turned ? complement(code) : code, q),
    orbit: (code: Words & { turned?: true }) =>
      [code, { ...code, turned: code.turned ? undefined : true }] as Words[],
  }),
  [law.honest],
)
add(
  'an orbit whose weights do not sum to 1',
  changed(inverse(), { orbit: (code, p) => [...inverse().orbit!(code, p)].slice(0, -1) as never }),
  [law.orbit],
)
add(
  'an orbit that gives every token the same weight',
  changed(inverse(), {
    orbit: (code, p) => {
      const members = [...(inverse().orbit!(code, p) as Iterable<{ code: never; weight: number }>)]
      return members.map((member) => ({ ...member, weight: 1 / members.length }))
    },
  }),
  [law.orbit],
)
add(
  'an orbit that complements one layer of three',
  changed(tournament(), { orbit: (code) => [code, { ...code, mask: code.mask ^ 1 }] }),
  [law.orbit],
)
add(
  'a list of green sets with the wrong probabilities',
  changed(kgw({ delta: 1, gamma: 0.25 }), { enumerate: kgw({ delta: 1 }).enumerate }),
  [law.honest],
)
