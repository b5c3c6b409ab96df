/**
 * "Unbiased" is not won by doing nothing: there is a model and a length at which the detector has power. Texts are generated
 * from the uniform distribution, the easiest there is, each under a key of its own.
 */
import { detect } from '../detect/index.ts'
import type { Watermark } from '../watermark.ts'
import { secretKey } from './codes.ts'
import { type PowerPlan, powerPlan } from './engine/index.ts'
import { generated } from './generated.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { replayOf } from './result.ts'

const NAME = 'detectable'
const VOCAB = 64
const ALPHA = 0.01
const LENGTHS = [40, 160, 600] as const

/** How many of a plan's texts are detected; stops when enough are, or when enough no longer can be. */
async function detections<Code>(
  watermark: Watermark<Code>,
  length: number,
  { texts, needed }: PowerPlan,
  trial: Trial,
): Promise<{ detected: number; tried: number }> {
  let detected = 0
  let tried = 0
  while (tried < texts && detected < needed && detected + texts - tried >= needed) {
    const key = secretKey(trial.seed, length * 1000 + tried++)
    const tokens = generated(watermark, VOCAB, length, key)
    if (detect(watermark, tokens, { key, vocabSize: VOCAB, alpha: ALPHA }).logPValue <= Math.log(ALPHA))
      detected++
    await trial.breathe()
  }
  return { detected, tried }
}

async function detectable<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (watermark.detector === undefined) return notApplicable(NAME, 'declares no detector')
  const share = (rate: number): number => rate / LENGTHS.length
  const plan = powerPlan(ALPHA, { falseAlarm: trial.falseAlarm, miss: share(trial.miss) })
  let keys = 0
  const evidence = (power: number) =>
    ({
      kind: 'sampled',
      keys,
      falseAlarm: plan.falseAlarm,
      miss: LENGTHS.length * plan.miss,
      smallestBias: 1 / 2,
      observedBias: power,
    }) as const
  let power = 0
  for (const length of LENGTHS) {
    const { detected, tried } = await detections(watermark, length, plan, trial)
    keys += tried
    power = Math.max(power, detected / tried)
    if (detected >= plan.needed) {
      const detail = `${detected} of ${tried} texts of ${length} tokens detected at 1%; bias: power`
      return { law: NAME, verdict: 'holds', detail, evidence: evidence(power) }
    }
  }
  return {
    law: NAME,
    verdict: 'fails',
    detail: `the detector has no power: at ${LENGTHS.join(', ')} tokens of a uniform model fewer than ${plan.needed} of ${plan.texts} texts are detected at 1%`,
    evidence: evidence(power),
    counterexample: {
      also: `uniform over ${VOCAB} tokens`,
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
