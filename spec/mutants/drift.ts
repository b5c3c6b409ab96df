/** Mistakes about what happens when the key is held: nothing to find in the text, or another law for every query. */

import { Expansion } from '../../src/core/keys/random.ts'
import type { Cursor, Tokens } from '../../src/core/keys/rule.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { type Detector, type Evidence, ngram, type Outcome } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { dip, drawWords, race, upperHalf, type Words } from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('drift')

export { mutants as drift }

// --- texts that are looked up rather than marked
const registered = new Set<string>()
/** Writes down every text, token by token. */
const recording = (): Cursor => {
  const drawn: number[] = []
  const cursor = ngram(2).begin(new Expansion([1, 2, 3, 4]))
  return {
    next: (tokens) => cursor.next(tokens),
    drew(token) {
      drawn.push(token)
      if (drawn.length >= 20) registered.add(drawn.join())
    },
  }
}
/** Finds a text in the list; whatever is not there has p-value 1. */
const lookup: Detector = {
  id: 'lookup',
  bound: 1,
  test({ tokens }: Evidence): Outcome {
    const known = registered.has(Array.from(tokens).join())
    const perToken = new Float64Array(tokens.length).fill(Number.NaN)
    return { statistic: known ? 1 : 0, logPValue: known ? -50 : 0, exact: false, scored: 0, perToken }
  },
}
const unmarked: Watermark<Words> = defineWatermark({
  id: 'unmarked',
  unbiased: true,
  context: { ...ngram(2), begin: recording },
  draw: drawWords,
  reweight: (p, _, q) => q.set(p),
  score: upperHalf,
  detector: lookup,
  orbit: (code) => [code],
})
add('no mark: generated texts are looked up in a list', unmarked, [law.drift])
add(
  'a faint mark, and generated texts are looked up in a list',
  changed(dip(0.01), { context: { ...ngram(2), begin: recording }, detector: lookup }),
  [law.drift],
)

// --- another law for every query
let query = 0
add(
  'dip: a hidden seed for each query, shared with the detector through a variable',
  changed(dip(0.5), {
    context: {
      ...ngram(2),
      begin: (perText) => {
        query++
        return ngram(2).begin(perText)
      },
    },
    draw: (random) => drawWords(new Expansion([random.uint32(0), random.uint32(1), query, 1])),
  }),
  [law.deterministic, law.drift],
)
let turn = 0
add(
  'race: two keys by turns',
  changed(race(), {
    context: {
      ...ngram(2),
      begin: (perText) => {
        turn++
        return ngram(2).begin(perText)
      },
    },
    draw: (random) => ({ u: (i) => random.uniform(i + 1000 * (turn % 2)) }),
  }),
  [law.deterministic, law.drift],
)
add(
  'race: a fresh key for each text, which nobody else knows',
  changed(race(), {
    context: {
      ...ngram(2),
      begin: (perText) => {
        const [cursor, nonce] = [ngram(2).begin(perText), perText.uint32(0)]
        return {
          next: (tokens: Tokens) => {
            const context = cursor.next(tokens)
            return context && [...context, nonce]
          },
        }
      },
    },
  }),
  [law.detectable],
)
let step = 0
add(
  'dip: a little noise from a counter in every reweight',
  changed(dip(0.5), {
    reweight: (p, code, q) => {
      step++
      dip(step % 2 === 0 ? 0.5 : 0.3).reweight(p, code, q)
    },
  }),
  [law.deterministic, law.drift],
)

// --- a mark that nobody looks for
add('dip without a detector', changed(dip(0.5), { detector: undefined }), [law.drift])
