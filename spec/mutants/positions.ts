/** Mistakes that show at some positions of a text only. In the first dozen most of them do nothing. */

import type { ContextRule } from '../../src/core/keys/rule.ts'
import type { Context } from '../../src/core/keys/schedule.ts'
import { ngram } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { isGreen, sta, type Words } from './bases.ts'
import { changed, family, law } from './mutant.ts'
import { favour } from './shapes.ts'

const { mutants, add } = family('sizes')

export { mutants as positions }

/** A rule that also tells the position. */
export const withPosition = (rule: ContextRule): ContextRule => ({
  ...rule,
  id: `${rule.id} and position`,
  begin(perText) {
    const cursor = rule.begin(perText)
    return {
      next(tokens) {
        const context = cursor.next(tokens)
        return context && [...context, tokens.length]
      },
      drew: (token, probability) => cursor.drew?.(token, probability),
    }
  },
  scored: (tokens, skip) => rule.scored(tokens, skip).map((context, t) => context && [...context, t]),
})

export interface Placed extends Words {
  readonly t: number
}
/** sta, but for what `wrong` does with its q at a position. */
export const staAt = (
  wrong: (t: number, q: Float64Array, p: Float64Array, code: Words) => void,
): Watermark<Placed> =>
  changed(sta() as unknown as Watermark<Placed>, {
    context: withPosition(ngram(2)),
    draw: (random, _, { context }) => ({ word: (i) => random.uint32(i), t: (context as Context).at(-1)! }),
    reweight: (p, code, q) => {
      sta().reweight(p, code, q)
      wrong(code.t, q, p, code)
    },
    orbit: undefined,
  })
/** Moves 40% of the smaller of the first two masses from one to the other. */
export const shift = (q: Float64Array, sign: number): void => {
  const moved = sign * 0.4 * Math.min(q[0]!, q[1] ?? 0)
  q[0]! += moved
  if (q.length > 1) q[1]! -= moved
}
export const kgwAt = (isWrong: (t: number) => boolean): Watermark<Placed> =>
  staAt((t, q, p, code) => {
    if (isWrong(t)) favour(p, (i) => isGreen(i, code), Math.exp(2), q)
  })

add(
  '0.4 min(q0, q1) moved one way at even positions, the other way at odd ones',
  staAt((t, q) => shift(q, t % 2 === 0 ? 1 : -1)),
  [law.keys],
)
add(
  'kgw(2) from the 13th position on',
  kgwAt((t) => t >= 13),
  [law.keys],
)
add(
  'kgw(2) beyond 128 tokens',
  kgwAt((t) => t >= 128),
  [law.keys],
)
add(
  'kgw(2) at one position of three',
  kgwAt((t) => t % 3 === 0),
  [law.keys],
)
add(
  'the first two tokens, even chances at position 7 only',
  staAt((t, q, p) => {
    if (t !== 7 || p[0] === 0 || !(p[1]! > 0)) return
    const mean = (q[0]! + q[1]!) / 2
    q[0] = mean
    q[1] = mean
  }),
  [law.keys],
)
add(
  '0.4 min(q0, q1) one way at positions 16 to 31, the other way at 32 to 63',
  staAt((t, q) => {
    if (t >= 16 && t < 64) shift(q, t < 32 ? 1 : -1)
  }),
  [law.keys],
)
