/** Mistakes that show on some distributions only: above some entropy, where the model is nearly sure, for some numbers of tokens. */
import type { Watermark } from '../../src/watermark.ts'
import { isGreen, sta, type Words } from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('sizes')

export { mutants as shapes }

export const entropyOf = (p: Float64Array): number =>
  -p.reduce((sum, mass) => sum + (mass > 0 ? mass * Math.log(mass) : 0), 0)

const top = (p: Float64Array): number => p.reduce((most, mass) => Math.max(most, mass), 0)

/** p with the mass of favoured tokens times `factor`, normalised: a green list on logits. */
export function favour(
  p: Float64Array,
  isFavoured: (token: number) => boolean,
  factor: number,
  q: Float64Array,
): void {
  let sum = 0
  for (let i = 0; i < p.length; i++) sum += q[i] = p[i]! * (isFavoured(i) ? factor : 1)
  for (let i = 0; i < p.length; i++) q[i]! /= sum
}

/** sta where the mistake is not, a green list where it is. */
const kgwWhere = (isWrong: (p: Float64Array) => boolean, delta = 2): Watermark<Words> =>
  changed(sta(), {
    reweight: (p, code, q) => {
      if (isWrong(p)) favour(p, (i) => isGreen(i, code), Math.exp(delta), q)
      else sta().reweight(p, code, q)
    },
    orbit: undefined,
  })

add(
  'sta: green mass by count where there are more than 100 tokens',
  changed(sta(), {
    reweight: (p, code, q) => {
      if (p.length <= 100) return sta().reweight(p, code, q)
      const green = p.reduce((n, _, i) => n + (isGreen(i, code) ? 1 : 0), 0)
      const rest = 1 - green / p.length
      favour(p, (i) => isGreen(i, code), (1 + rest) / rest, q)
    },
    orbit: undefined,
  }),
  [law.keys],
)
add(
  'kgw(2) where entropy exceeds 2.2 nats',
  kgwWhere((p) => entropyOf(p) > 2.2),
  [law.keys],
)
add(
  'kgw(2) where one of more than 100 tokens has half',
  kgwWhere((p) => p.length > 100 && top(p) > 0.5),
  [law.keys],
)
add(
  'kgw(2) where more than 100 tokens have no mass',
  kgwWhere((p) => p.filter((mass) => mass === 0).length > 100),
  [law.keys],
)
add(
  'kgw(2) where a token has more than 0.9',
  kgwWhere((p) => top(p) > 0.9),
  [law.keys],
)
add(
  'kgw(2) where one of more than 100 tokens has more than 0.9',
  kgwWhere((p) => p.length > 100 && top(p) > 0.9),
  [law.keys],
)
add(
  'kgw(2) where fewer than 100 of more than 1,000 tokens have mass',
  kgwWhere((p) => p.length > 1000 && p.filter((mass) => mass > 0).length < 100),
  [law.keys],
)
for (const [from, to] of [
  [9, 15],
  [17, 63],
  [1001, 9999],
] as const)
  add(
    `kgw(2) where there are ${from.toLocaleString('en')} to ${to.toLocaleString('en')} tokens`,
    kgwWhere(({ length }) => length >= from && length <= to),
    [law.keys],
  )
add(
  'kgw(4) where there are more than 10,000 tokens',
  kgwWhere(({ length }) => length > 10_000, 4),
  [law.keys],
)
