import { fastPathError } from '../../core/detect/index.ts'
import { keySeed, text } from './arbitraries/index.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, resultOf, Violation } from './for-all.ts'
import { type Asked, sameInTail, sameTwice, VOCAB } from './hidden-state.ts'
import { contextsMatter, keyMatters, missOfContexts } from './key-matters.ts'
import { defineLaw, type Shown, sampledEvidence } from './law.ts'
import { codesAreFresh } from './shared-codes.ts'

const CASES = 10
/** Sizes of vocabulary at which fast paths are compared: small, and odd with every lane of a kernel in use. */
const SIZES = [VOCAB, 257] as const
/** Long enough for a rule that begins late or marks rarely. */
const LONG = 200
/** Contexts that share their code are promised to be found where codes differ under this share of keys. */
export const RARE = 0.04

const show = ({ keys, tokens }: Asked): Shown => ({
  also: `key seed ${keys}, text ${tokens.length > 24 ? `of ${tokens.length} tokens` : `[${tokens}]`}`,
})

/**
 * Everything about a position follows from key and context, and nothing else (`hidden-state.ts`), by the plain functions and by
 * the fast ones (`fastPathError`). And it does follow from them: another key, or another context, gives another code
 * (`key-matters.ts`), and hardly any two of thousands share one (`shared-codes.ts`).
 */
export const sameKeySameResultLaw = defineLaw(
  {
    name: 'same key, same result',
    statement:
      'key and context determine the result, whatever was asked before and by whichever fast path; another key or context changes it',
    sampled: true,
  },
  async (watermark, trial) => {
    const short = text({ vocabSize: VOCAB, maxLength: 12 })
    const long = text({ vocabSize: VOCAB, minLength: LONG, maxLength: LONG })
    const arbitrary = fc.record({
      keys: keySeed(),
      tokens: fc.oneof({ arbitrary: short, weight: 4 }, { arbitrary: long, weight: 1 }),
    })
    const repetitive = Array.from({ length: LONG }, (_, t) => (t * t) % 7)
    const examples = [{ keys: trial.seed, tokens: repetitive }]
    let found: Found = await forAll(trial, { arbitrary, examples, runs: CASES, show }, (one) => {
      sameTwice(watermark, one)
      for (const vocabSize of SIZES) {
        const difference = fastPathError(watermark, { vocabSize, seed: one.keys })
        if (difference !== undefined) throw new Violation(difference)
      }
    })
    const { cases } = found
    let keys = 2 * cases
    const level = trial.falseAlarm / 3
    if (found.why === undefined)
      try {
        sameInTail(watermark, trial.seed)
        if (watermark.detector !== undefined) {
          keys += await keyMatters(watermark, level, trial)
          if (!watermark.context.sharesCodes) keys += contextsMatter(watermark, trial.seed, level)
          keys += await codesAreFresh(watermark, level, trial)
        }
      } catch (error) {
        if (!(error instanceof Violation)) throw error
        const counterexample = { ...show({ keys: trial.seed, tokens: [] }), path: '' }
        found = { cases, why: error.message, counterexample }
      }
    const rates = { falseAlarm: trial.falseAlarm, miss: missOfContexts(RARE, level / 8) }
    const evidence = sampledEvidence(rates, { keys, smallestBias: RARE, observedBias: 0 })
    return resultOf(found, evidence, `${cases} cases; bias: share of keys under which codes differ`)
  },
)
