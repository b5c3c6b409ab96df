/** The search for power of a detector: models and lengths that are tried in turn, each text under a key of its own. */
import { detect } from '../../core/detect/index.ts'
import type { Watermark } from '../../watermark.ts'
import { secretKey } from './codes.ts'
import { type PowerPlan, powerPlan } from './engine/power-test.ts'
import { generated } from './iid-texts.ts'
import type { Effort, Trial } from './law.ts'

/** The level of the detections that are counted. */
export const ALPHA = 0.01

/** Texts of `length` tokens from the uniform distribution, the easiest there is. */
export interface World {
  readonly vocabSize: number
  readonly length: number
}

const short: readonly World[] = [40, 160, 600].map((length) => ({ vocabSize: 64, length }))
/** For marks that wait for a very uncertain token, and for rare ones. */
const long: readonly World[] = [
  { vocabSize: 1000, length: 200 },
  { vocabSize: 64, length: 2400 },
]

/** The worlds to try, and the share of texts that must be detected in one of them. */
export const searches: Record<Effort, { readonly worlds: readonly World[]; readonly power: number }> = {
  quick: { worlds: [...short, ...long], power: 1 / 4 },
  usual: { worlds: [...short, ...long], power: 1 / 4 },
  thorough: { worlds: [...short, ...long, { vocabSize: 64, length: 9600 }], power: 1 / 10 },
}

export interface PowerSearch {
  readonly plan: PowerPlan
  /** Worlds that were tried; the last is the one with power, if any has. */
  readonly tried: readonly World[]
  readonly found: World | undefined
  readonly keys: number
  /** Detected texts of the last world, and the largest share of any. */
  readonly detected: number
  readonly texts: number
  readonly share: number
}

export const detects = <Code>(
  watermark: Watermark<Code>,
  tokens: readonly number[],
  key: string,
  vocabSize: number,
): boolean => detect(watermark, tokens, { key, vocabSize, alpha: ALPHA }).logPValue <= Math.log(ALPHA)

/** Counts detections in one world; stops when there are enough, or when there no longer can be. */
async function countIn<Code>(
  watermark: Watermark<Code>,
  { vocabSize, length }: World,
  { texts, needed }: PowerPlan,
  trial: Trial,
): Promise<{ readonly detected: number; readonly texts: number }> {
  let detected = 0
  let taken = 0
  while (taken < texts && detected < needed && detected + texts - taken >= needed) {
    const key = secretKey(trial.seed, length * 1000 + taken++)
    const tokens = generated(watermark, vocabSize, length, key)
    if (detects(watermark, tokens, key, vocabSize)) detected++
    await trial.breathe()
  }
  return { detected, texts: taken }
}

/** Looks for a world in which the detector has power. */
export async function findPower<Code>(watermark: Watermark<Code>, trial: Trial): Promise<PowerSearch> {
  const { worlds, power } = searches[trial.effort]
  const rates = { falseAlarm: trial.falseAlarm, miss: trial.miss / worlds.length }
  const plan = powerPlan(ALPHA, rates, power)
  const tried: World[] = []
  let [keys, share] = [0, 0]
  let last = { detected: 0, texts: 0 }
  for (const world of worlds) {
    tried.push(world)
    last = await countIn(watermark, world, plan, trial)
    keys += last.texts
    share = Math.max(share, last.detected / last.texts)
    if (last.detected >= plan.needed) return { plan, tried, found: world, keys, ...last, share }
  }
  return { plan, tried, found: undefined, keys, ...last, share }
}
