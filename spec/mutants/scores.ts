import { OWN, type Random } from '../../src/core/keys/random.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { binomial, type Detector, kgw, ngram, sta1, sumDetector, synthid, unigram } from '../../src/index.ts'
import { synthidContexts } from '../../src/watermarks/published/index.ts'
import { dip, drawWords, orderOf, sta, type Words } from './bases.ts'
import { changed, family, law } from './mutant.ts'

import { fair, summed } from './p-values.ts'

const { mutants, add } = family('p-values')

export { mutants as scores }

/** Exactly `size(V)` green tokens, the lowest words. */
interface Green extends Words {
  readonly green: ReadonlySet<number>
}
const greenList = (
  size: (vocabSize: number) => number,
  detector: Detector,
  context: ContextRule = ngram(2),
) =>
  changed(
    sta() as never,
    {
      context,
      draw: (random: Random, vocabSize: number): Green => {
        const words = drawWords(random)
        return { ...words, green: new Set(orderOf(vocabSize, words).slice(0, size(vocabSize))) }
      },
      score: (token: number, { green }: Green) => (green.has(token) ? 1 : 0),
      detector,
      orbit: undefined,
    } as never,
  )
add(
  'ceil(V / 4) green against a rate of 1/4',
  greenList((vocabSize) => Math.ceil(vocabSize / 4), summed(binomial(1 / 4), 1)),
  [law.nullLaw],
)
add(
  'another rate for more than 1,000 tokens',
  changed(sta(), {
    detector: sumDetector({ nullLaw: (vocabSize) => binomial(vocabSize > 1_000 ? 0.3 : 1 / 2), bound: 1 }),
  }),
  [law.nullLaw],
)
for (const [sizes, rate, isThere] of [
  ['1,100 to 9,999 tokens', 0.4, (size: number) => size >= 1_100 && size < 10_000],
  ['10,000 tokens and more', 0.3, (size: number) => size >= 10_000],
] as const)
  add(
    `another rate for ${sizes}`,
    changed(sta(), {
      detector: sumDetector({
        nullLaw: (vocabSize) => binomial(isThere(vocabSize) ? rate : 1 / 2),
        bound: 1,
      }),
    }),
    [law.nullLaw],
  )
for (const from of [2 ** 15, 45_000])
  add(
    `tokens from ${from.toLocaleString('en')} on always green`,
    changed(dip(), { score: (token, { word }) => (token >= from || word(token) >= 2 ** 31 ? 1 : 0) }),
    [law.nullLaw],
  )
add(
  'the last token of the vocabulary is never green',
  changed(dip(), {
    draw: (random, vocabSize) => ({ word: (i) => (i === vocabSize - 1 ? 0 : random.uint32(i)) }),
  }),
  [law.nullLaw],
)
add(
  'a score that is NaN from token 2^15 on',
  changed(dip(), {
    score: (token, { word }) => (token >= 2 ** 15 ? Number.NaN : word(token) >= 2 ** 31 ? 1 : 0),
  }),
  [law.nullLaw],
)
add(
  'just half of the tokens green, contexts reused, taken for independent',
  greenList(
    (vocabSize) => Math.floor(vocabSize / 2),
    sumDetector({ nullLaw: (vocabSize) => binomial(Math.floor(vocabSize / 2) / vocabSize), bound: 1 }),
    ngram(1, { repeated: 'reuse' }),
  ),
  [law.nullLaw],
)
add(
  'one u for all tokens of a context, contexts reused, taken for independent',
  changed(dip(), {
    context: ngram(1, { repeated: 'reuse' }),
    score: (_token, { word }) => (word(OWN) >= 2 ** 31 ? 1 : 0),
  }),
  [law.nullLaw],
)
add(
  'tokens after token 0 scored under the published KGW list, which no key changes',
  changed(kgw({ delta: 2, codes: 'reference' }), {
    detector: { ...kgw({ delta: 2, codes: 'reference' }).detector!, ...summed(binomial(1 / 2), 1) },
  }),
  [law.nullLaw],
)
add(
  'a type that occurs c times counted as c bits, in the law only',
  changed(unigram({ delta: 2 }), {
    detector: summed(
      {
        ...fair,
        logTailOfCounts: (sum, counts) =>
          fair.logTail(
            sum,
            counts.reduce((a, b) => a + b, 0),
          ),
      },
      1,
    ),
  }),
  [law.nullLaw],
)
add(
  'a mean of the null law that is too small',
  changed(unigram({ delta: 2 }), { detector: summed({ ...fair, mean: 0.4 }, 1) }),
  [law.nullLaw],
)
add(
  'a bound one below the number of layers',
  changed(synthid({ layers: 20 }), { detector: { ...synthid({ layers: 20 }).detector!, bound: 19 } }),
  [law.nullLaw],
)
const forgetful = (history: number): ContextRule => ({
  ...synthidContexts({ ngramLength: 3, history }),
  reach: 5,
  memory: undefined,
  recurs: false,
})
add(
  '1,024 contexts remembered, and said to be all',
  changed(sta1({ gamma: 0.5 }), { context: forgetful(1_024) }),
  [law.nullLaw, law.reach],
)
add(
  'eight contexts remembered, and said to be all',
  changed(sta1({ gamma: 0.5 }), { context: forgetful(8) }),
  [law.nullLaw, law.reach],
)
add(
  'the reach of 2n + 1 for 8,192 remembered contexts',
  changed(synthid({ layers: 2 }), {
    context: { ...synthidContexts({ history: 8_192 }), reach: 9, memory: undefined },
  }),
  [law.reach],
)
add(
  'a memory said to last twice as long',
  changed(synthid({ layers: 2 }), {
    context: { ...synthidContexts(), memory: { tokens: 2_000, reach: 9 } },
  }),
  [law.reach],
)
