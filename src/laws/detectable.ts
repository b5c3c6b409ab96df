/**
 * "Unbiased" is not won by doing nothing: there is a model and a length at which the detector has power. Marks may be rare, begin
 * late or leave texts alone: longer and longer texts are tried before the law says no.
 */
import type { Watermark } from '../watermark.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { findPower, type World } from './power.ts'
import { replayOf } from './result.ts'

const NAME = 'detectable'

const shown = ({ vocabSize, length }: World): string => `${length} (of ${vocabSize})`

async function detectable<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (watermark.detector === undefined) return notApplicable(NAME, 'declares no detector')
  const { plan, tried, found, keys, detected, texts, share } = await findPower(watermark, trial)
  const evidence = {
    kind: 'sampled',
    keys,
    falseAlarm: plan.falseAlarm,
    miss: trial.miss,
    smallestBias: plan.power,
    observedBias: share,
  } as const
  if (found !== undefined) {
    const detail = `${detected} of ${texts} texts of ${found.length} tokens detected at 1%; bias: power`
    return { law: NAME, verdict: 'holds', detail, evidence }
  }
  const lengths = tried.map(shown).join(', ')
  return {
    law: NAME,
    verdict: 'fails',
    detail: `the detector has no power: at lengths ${lengths} of a uniform model fewer than ${plan.needed} of ${plan.texts} texts are detected at 1%`,
    evidence,
    counterexample: {
      also: `the uniform distribution over ${[...new Set(tried.map(({ vocabSize }) => vocabSize))].join(' and ')} tokens`,
      seed: trial.seed,
      path: '',
      replay: replayOf(NAME, trial.seed, ''),
    },
  }
}

export const detectableLaw = {
  name: NAME,
  statement: 'there is a model and a length at which the detector has power',
  sampled: true,
  check: detectable,
}
