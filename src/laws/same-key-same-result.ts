/**
 * Everything about a position follows from key and context, and nothing else (`hidden-state.ts`). And it does follow from them:
 * another key, or another context, gives another code (`key-matters.ts`).
 */
import type { Watermark } from '../watermark.ts'
import { keySeed, text } from './arbitraries/index.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, Violation } from './for-all.ts'
import { type Asked, sameTwice, VOCAB } from './hidden-state.ts'
import { contextsMatter, keyMatters, missOfContexts } from './key-matters.ts'
import type { LawResult, Trial } from './law.ts'
import { resultOf, type Shown } from './result.ts'

const NAME = 'same key, same result'
const CASES = 10
/** Long enough for a rule that begins late or marks rarely. */
const LONG = 200
/** Contexts that share their code are promised to be found where codes differ under this share of keys. */
export const RARE = 0.04

const show = ({ keys, tokens }: Asked): Shown => ({
  also: `key seed ${keys}, text ${tokens.length > 24 ? `of ${tokens.length} tokens` : `[${tokens}]`}`,
})

async function sameKeySameResult<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  const short = text({ vocabSize: VOCAB, maxLength: 12 })
  const long = text({ vocabSize: VOCAB, minLength: LONG, maxLength: LONG })
  const arbitrary = fc.record({
    keys: keySeed(),
    tokens: fc.oneof({ arbitrary: short, weight: 4 }, { arbitrary: long, weight: 1 }),
  })
  const repetitive = Array.from({ length: LONG }, (_, t) => (t * t) % 7)
  const examples = [{ keys: trial.seed, tokens: repetitive }]
  let found: Found<Asked> = await forAll(trial, { arbitrary, examples, runs: CASES }, (one) =>
    sameTwice(watermark, one),
  )
  let keys = 2 * found.cases
  const level = trial.falseAlarm / 2
  if (found.why === undefined && watermark.detector !== undefined)
    try {
      keys += await keyMatters(watermark, level, trial)
      if (!watermark.context.sharesCodes) keys += contextsMatter(watermark, trial.seed, level)
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      found = { cases: found.cases, value: { keys: trial.seed, tokens: [] }, path: '', why: error.message }
    }
  const evidence = {
    kind: 'sampled',
    keys,
    falseAlarm: trial.falseAlarm,
    miss: missOfContexts(RARE, level / 8),
    smallestBias: RARE,
    observedBias: 0,
  } as const
  const detail = `${found.cases} cases; bias: share of keys under which codes differ`
  return resultOf(NAME, trial, found, show, evidence, detail)
}

export const sameKeySameResultLaw = {
  name: NAME,
  statement:
    'key and context determine the result, whatever was asked before; another key or context changes it',
  sampled: true,
  check: sameKeySameResult,
}
