/** Mistakes in which position gets which code, and in the order of a decoder's parts. */

import { type Decoder, markThenWarp } from '../../src/gate/laws/warping-order.ts'
import { christ, dipmark, expEdit, fixed, gumbel, mcmark, ngram, sta1, synthid } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { dip, inverse, race, sta, tournament } from './bases.ts'
import { changed, family, law } from './mutant.ts'
import { last, never, rule, unbounded } from './rules.ts'

const { mutants, add } = family('sequence')

export { mutants as sequence }

const reuse = ngram(2, { repeated: 'reuse' })
/** The claim without the limit that the method puts on it. */
const atAnyLength = <Code>(watermark: Watermark<Code>): Watermark<Code> =>
  changed(watermark, { unbiasedUpTo: undefined })
add('gumbel: no repeated-context rule', atAnyLength(gumbel({ context: reuse })), [law.texts, law.pairs])
add('dipmark: no repeated-context rule', atAnyLength(dipmark({ alpha: 0.5, context: reuse })), [
  law.texts,
  law.pairs,
])
add('weak dipmark: no repeated-context rule', atAnyLength(dipmark({ alpha: 0.1, context: reuse })), [
  law.texts,
  law.pairs,
])
add('synthid: no repeated-context rule', atAnyLength(synthid({ layers: 20, context: reuse })), [
  law.texts,
  law.pairs,
])
add('sta1: no repeated-context rule', atAnyLength(sta1({ context: reuse })), [law.texts, law.pairs])
add('mcmark: no repeated-context rule', atAnyLength(mcmark({ channels: 10, context: reuse })), [
  law.texts,
  law.pairs,
])
add('gumbel: the same code at every position', atAnyLength(gumbel({ context: fixed() })), [
  law.texts,
  law.pairs,
])

add(
  'dip: used contexts remembered by a longer n-gram',
  changed(dip(0.5), {
    context: rule('longer memory', (tokens, t) => last(tokens, t, 2), {
      ...unbounded,
      nameOf: (_, tokens, t) => `${last(tokens, t, 3)}`,
    }),
  }),
  [law.texts],
)
for (const capacity of [1, 2])
  add(
    `dip: used contexts forgotten after ${capacity}`,
    changed(dip(0.5), {
      context: rule('short memory', (tokens, t) => last(tokens, t, 1), { ...unbounded, capacity }),
    }),
    [law.texts],
  )
add(
  'tournament: every second position shares its code with the one before',
  changed(tournament(), {
    context: rule('pairs', (_, t) => [t >> 1], never),
  }),
  [law.texts],
)
add(
  'race: position modulo two as the context',
  changed(race(), {
    context: rule('parity', (_, t) => [t % 2], never),
  }),
  [law.texts],
)
add(
  'inverse: the context is the set of the last two tokens',
  changed(inverse(), {
    context: rule('sets', (tokens, t) => last(tokens, t, 2)?.toSorted(), {
      ...unbounded,
      nameOf: (_, tokens, t) => `${last(tokens, t, 2)}`,
    }),
  }),
  [law.texts],
)
add('expEdit: a key list shorter than the text', atAnyLength(expEdit({ keyLength: 2 })), [
  law.texts,
  law.pairs,
])
add(
  'christ: the position is missing from the context',
  changed(christ(), {
    context: {
      ...christ().context,
      begin: (perText) => {
        const cursor = christ().context.begin(perText)
        return { ...cursor, next: (tokens) => cursor.next(tokens)?.slice(0, 4) }
      },
    },
  }),
  [law.texts],
)

const sharpen: Decoder = (p, warp, mark) => {
  const q = mark(warp(p)).map((mass) => mass ** 1.25)
  const sum = q.reduce((a, b) => a + b, 0)
  return q.map((mass) => mass / sum)
}
add('decoder: top-k after dipmark', dipmark({ alpha: 0.5 }), [law.warping], markThenWarp)
add('decoder: top-k after synthid', synthid({ layers: 20 }), [law.warping], markThenWarp)
add('decoder: top-k after mcmark', mcmark({ channels: 10 }), [law.warping], markThenWarp)
add('decoder: top-k after sta1', sta(), [law.warping], markThenWarp)
add('decoder: a temperature after dipmark', dipmark({ alpha: 0.4 }), [law.warping], sharpen)
add('decoder: top-k after gumbel', gumbel(), [law.warping], (p, warp, mark) => {
  const [q, kept] = [mark(p), warp(p)]
  // the winner was cut off: take the most likely token
  return q.some((mass, i) => mass > 0 && kept[i]! > 0)
    ? q
    : kept.map((mass) => (mass === Math.max(...kept) ? 1 : 0))
})
