/**
 * Speculative decoding emits what the target would: with fixed distributions d of the draft and p of the target, tokens are
 * independent with law p, whichever of them were drafts, replacements or bonus tokens. Tested at every position
 * of a run of drafts and of the run after it, and for every two positions side by side, so that noise that two of them share shows.
 */
import { seededRandom } from '../../core/keys/index.ts'
import type { Speculation, Watermark } from '../../watermark.ts'
import { keySeed } from './arbitraries/index.ts'
import { codesOf, contextsOf, secretKey } from './codes.ts'
import { meanTest } from './engine/mean-test.ts'
import { fc } from './fast-check.ts'
import { forAll, resultOf, SAMPLED_SHRINKS, Violation } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { defineLaw, type Effort, notApplicable, sampledEvidence, type Trial } from './law.ts'

/** Drafts of a run; tokens that are looked at: a run of drafts that are all kept, its bonus token, and one of the next run. */
const DRAFTS = 3
const POSITIONS = DRAFTS + 2
/** The multiple of the trial's bias that is promised. */
const FACTOR: Record<Effort, number> = { quick: 2.5, usual: 1, thorough: 0.5 }
const GENERATED: Record<Effort, number> = { quick: 0, usual: 2, thorough: 8 }

interface Pair {
  /** Weights of the draft's and of the target's distribution. */
  readonly draft: number[]
  readonly target: number[]
  readonly keys: number
}

/** Tried first: a close draft, one that misses tokens of the target, one that has others, one without a common token, equal ones. */
const SHAPES: readonly (readonly [draft: number[], target: number[]])[] = [
  [
    [7, 2, 1],
    [5, 3, 2],
  ],
  // both tokens that may replace a draft take mass from it, only one of them was a draft that could have won
  [
    [6, 4, 0],
    [2, 5, 3],
  ],
  [
    [1, 1, 0],
    [1, 1, 2],
  ],
  [
    [2, 1, 1],
    [3, 1, 0],
  ],
  [
    [1, 0, 0],
    [0, 2, 1],
  ],
  [
    [3, 2, 1],
    [3, 2, 1],
  ],
]

const weightsOf = (size: number) =>
  fc.array(fc.nat({ max: 9 }), { minLength: size, maxLength: size }).filter((w) => w.some((x) => x > 0))

const pair = () =>
  fc
    .integer({ min: 2, max: 3 })
    .chain((size) => fc.record({ draft: weightsOf(size), target: weightsOf(size), keys: keySeed() }))

/** Emits the first tokens of a text, run after run. */
function emitted<Code>(
  { draft, accept, recover, bonus }: Speculation<Code>,
  p: Float64Array,
  d: Float64Array,
  codes: readonly Code[],
  own: () => number,
): number[] {
  const tokens: number[] = []
  for (let kept = 0; tokens.length < codes.length; ) {
    const code = codes[tokens.length]!
    if (kept === DRAFTS) {
      tokens.push(bonus(p, code, own))
      kept = 0
      continue
    }
    const token = draft(d, code, own)
    const isKept = accept(p, d, token, code, own)
    tokens.push(isKept ? token : recover(p, d, code, own))
    kept = isKept ? kept + 1 : 0
  }
  return tokens
}

const products = (p: Float64Array): Float64Array =>
  Float64Array.from({ length: p.length ** 2 }, (_, i) => p[Math.floor(i / p.length)]! * p[i % p.length]!)

/** Throws where tokens do not have the target's law; returns how many keys it took. */
async function checkPair<Code>(
  watermark: Watermark<Code>,
  { draft, target, keys }: Pair,
  share: number,
  trial: Trial,
): Promise<number> {
  const [p, d] = [probabilities(target), probabilities(draft)]
  const size = p.length
  const marked = contextsOf(watermark, size, POSITIONS, seededRandom(keys, 'contexts of drafts'))
  const contexts = marked.slice(0, watermark.unbiasedUpTo ?? POSITIONS)
  const rates = {
    falseAlarm: share / (2 * POSITIONS - 1),
    miss: trial.miss,
    bias: FACTOR[trial.effort] * trial.bias,
  }
  const tests = contexts.flatMap((_, t) => [
    { name: `token ${t + 1} does not have`, at: [t], test: meanTest(p, rates) },
    ...(t > 0
      ? [
          {
            name: `tokens ${t} and ${t + 1} are not independent with`,
            at: [t - 1, t],
            test: meanTest(products(p), rates),
          },
        ]
      : []),
  ])
  const one = new Float64Array(size * size)
  const { uniform } = seededRandom(keys, 'randomness that no key knows')
  let key = 0
  for (; tests.some(({ test }) => test.verdict === undefined); key++) {
    const codes = codesOf(watermark, secretKey(keys, key), size, contexts)
    const tokens = emitted(watermark.speculative!, p, d, codes, uniform)
    for (const { name, at, test } of tests) {
      if (test.verdict !== undefined) continue
      const outcome = at.reduce((index, t) => index * size + tokens[t]!, 0)
      one[outcome] = 1
      const verdict = test.add(one)
      one[outcome] = 0
      if (verdict === 'fails')
        throw new Violation(
          `${name} the target's law: total variation ${test.observed.toFixed(3)} after ${key + 1} keys`,
        )
    }
    await trial.breathe()
  }
  return key
}

/** The law of emitted tokens over keys is the target's. */
export const speculationLaw = defineLaw(
  {
    name: "speculation keeps the target's law",
    statement:
      'with drafts of another model, over random secret keys the emitted tokens have the law of the target, at every position of a run of drafts',
    sampled: true,
  },
  async (watermark, trial) => {
    if (watermark.speculative === undefined) return notApplicable('declares no speculative decoding')
    if (!watermark.unbiased) return notApplicable('declared biased')
    const examples = SHAPES.map(([draft, target], i) => ({ draft, target, keys: trial.seed + i }))
    const runs = examples.length + GENERATED[trial.effort]
    let keys = 0
    const found = await forAll(
      trial,
      {
        arbitrary: pair(),
        examples,
        runs,
        shrinks: SAMPLED_SHRINKS,
        show: ({ draft, target }) => ({
          p: fractions(target),
          also: `draft [${fractions(draft).join(', ')}]`,
        }),
      },
      async (one) => {
        keys += await checkPair(watermark, one, trial.falseAlarm / runs, trial)
      },
    )
    const smallestBias = FACTOR[trial.effort] * trial.bias
    return resultOf(
      found,
      sampledEvidence(trial, { keys, smallestBias, observedBias: 0 }),
      `${found.cases} pairs of distributions; bias: total variation of one token, or of two side by side`,
    )
  },
)
