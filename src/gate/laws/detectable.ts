import { defineLaw, notApplicable, sampledEvidence } from './law.ts'
import { findPower } from './power.ts'

/**
 * "Unbiased" is not won by doing nothing: there is a model and a length at which the detector has power. Marks may be rare, begin
 * late or leave texts alone: longer and longer texts are tried before the law says no.
 */
export const detectableLaw = defineLaw(
  {
    name: 'detectable',
    statement: 'there is a model and a length at which the detector has power',
    sampled: true,
  },
  async (watermark, trial) => {
    if (watermark.detector === undefined) return notApplicable('declares no detector')
    const { plan, tried, found, keys, detected, texts, share } = await findPower(watermark, trial)
    const rates = { falseAlarm: plan.falseAlarm, miss: trial.miss }
    const evidence = sampledEvidence(rates, { keys, smallestBias: plan.power, observedBias: share })
    if (found !== undefined) {
      const detail = `${detected} of ${texts} texts of ${found.length} tokens detected at 1%; bias: power`
      return { verdict: 'holds', detail, evidence }
    }
    const lengths = tried.map(({ vocabSize, length }) => `${length} (of ${vocabSize})`).join(', ')
    const sizes = [...new Set(tried.map(({ vocabSize }) => vocabSize))].join(' and ')
    return {
      verdict: 'fails',
      detail: `the detector has no power: at lengths ${lengths} of a uniform model fewer than ${plan.needed} of ${plan.texts} texts are detected at 1%`,
      evidence,
      counterexample: { also: `the uniform distribution over ${sizes} tokens`, path: '' },
    }
  },
)
