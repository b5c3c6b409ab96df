/** Mistakes in what is promised about edited text. */

import type { ContextRule } from '../../src/core/keys/rule.ts'
import { fixed, kgw, ngram, synthid, unigram } from '../../src/index.ts'
import { dip } from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('robustness')

export { mutants as robustness }

add(
  'the published reach n + 1, under the repeated-context rule',
  changed(dip(), { context: { ...ngram(2), reach: 3 } }),
  [law.reach],
)
add('a reach of one score', changed(kgw({ delta: 4 }), { context: { ...ngram(2), reach: 1 } }), [
  law.reach,
  law.certificate,
])
add(
  'the reach of a shorter context',
  changed(kgw({ delta: 2 }), { context: { ...ngram(4), reach: ngram(1).reach } }),
  [law.reach],
)
add(
  'no reach where every token is scored',
  changed(unigram({ delta: 2 }), { context: { ...fixed(), reach: 0 } }),
  [law.reach],
)
add(
  'a bound that forgets the number of layers',
  changed(synthid({ layers: 20 }), { detector: { ...synthid({ layers: 20 }).detector!, bound: 1 } }),
  [law.certificate, law.nullLaw],
)

/** Scores nothing between two tokens that open and close a stretch. */
const fenced = (fence: number): ContextRule => {
  const { id, recurs, seesPrompt, ...rule } = ngram(2)
  return {
    ...rule,
    id: `fenced(${fence})`,
    recurs,
    seesPrompt,
    reach: 5,
    follow: undefined,
    lookback: undefined,
    scored(tokens, skip, start = 0) {
      let isOpen = false
      const isInside = Array.from(tokens, (token) => {
        if (token === fence) isOpen = !isOpen
        return isOpen && token !== fence
      })
      return rule.scored(tokens, skip, start).map((one, t) => (isInside[t + start] ? undefined : one))
    },
  }
}
for (const fence of [0, 198, 50_256])
  add(
    `nothing is scored between two tokens ${fence}, declared to reach five scores`,
    changed(dip(), { context: fenced(fence) }),
    [law.reach],
  )
