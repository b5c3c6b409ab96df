/** Mistakes in what is promised about edited text. */
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
