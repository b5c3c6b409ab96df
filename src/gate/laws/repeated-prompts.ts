/**
 * Single-prompt multi-generation on toy models, with the key held. The law P_k of texts under a key is computed text by text
 * from the embedder; generations of repeated prompts must come from it. Three numbers are computed from P_k, and what is observed
 * over keys is bet against them:
 *
 * - the share of generations that are likelier under the key than under the model, P_k(A) with A = {P_k > P_M}. The model has
 *   P_M(A) = P_k(A) - TV(P_k, P_M) of them: this is the drift itself;
 * - the mean of the SPMG gap, where the metric is the number of zeros in a text;
 * - the power of DetWmk, at the smallest threshold that a clone reaches with probability at most 5%.
 */
import { type Stream, seededRandom } from '../../core/keys/index.ts'
import type { Watermark } from '../../watermark.ts'
import { type ToyModel, textsOf } from './arbitraries/index.ts'
import { secretKey } from './codes.ts'
import { meanBets } from './engine/mean-bets.ts'
import { chanceOfAtLeast, convolve, detWmkLaw, type Masses, meanDistance, sumLaw } from './engine/spmg-law.ts'
import { Violation } from './for-all.ts'
import { generation, hasOwnRandomness, lawUnderKey, type Query } from './held-key.ts'
import type { Trial } from './law.ts'
import { modelLaw, type Opening } from './toy-world.ts'

const LENGTH = 3
const PROMPTS = 2
const GENERATIONS = 12
/** Generations under one key. */
export const PER_KEY = PROMPTS * GENERATIONS
/** Zeros that the generations of one prompt can have. */
const MOST = GENERATIONS * LENGTH
/** The level of DetWmk. */
const SPMG_LEVEL = 0.05

const prompts: readonly number[] = Array.from({ length: PROMPTS }, (_, i) => i)
const generations: readonly number[] = Array.from({ length: GENERATIONS }, (_, j) => j)

/** Everything that does not depend on the key: the model's laws, and the threshold of DetWmk in zeros over all prompts. */
interface World {
  readonly queries: readonly Query[]
  readonly size: number
  readonly texts: Float64Array
  /** Zeros of each text. */
  readonly zeros: Uint8Array
  /** Of the sum over the generations of one prompt. */
  readonly original: Masses
  readonly threshold: number
  /** The chance that a clone reaches it. */
  readonly level: number
  /** True if a rule reads the text's own randomness: then each generation has a law of its own. */
  readonly own: boolean
}

/** The law of the number of zeros, from a law of texts. */
function zerosLaw(law: Float64Array, zeros: Uint8Array): Masses {
  const out = new Float64Array(LENGTH + 1)
  for (let i = 0; i < law.length; i++) out[zeros[i]!]! += law[i]!
  return out
}

/** The law of DetWmk over all prompts, shifted by PROMPTS * MOST. */
const overPrompts = (original: Masses, tests: readonly Masses[]): Masses =>
  tests.map((test) => detWmkLaw(original, test, original)).reduce(convolve)

function worldOf<Code>(watermark: Watermark<Code>, model: ToyModel, { prompt, forced }: Opening): World {
  const size = model.vocabSize
  const queries = prompts.map((i) => {
    const asked = prompt.length === 0 ? [] : prompt.with(-1, i % size)
    return { model, length: LENGTH, opening: { prompt: asked, forced } }
  })
  const texts = modelLaw(model, LENGTH, watermark)
  const zeros = Uint8Array.from(textsOf(size, LENGTH), (text) => text.filter((token) => token === 0).length)
  const one = zerosLaw(texts, zeros)
  const original = sumLaw(generations.map(() => one))
  const clone = overPrompts(
    original,
    prompts.map(() => original),
  )
  let threshold = clone.length
  while (chanceOfAtLeast(clone, threshold - 1) <= SPMG_LEVEL) threshold--
  const level = chanceOfAtLeast(clone, threshold)
  return { queries, size, texts, zeros, original, threshold, level, own: hasOwnRandomness(watermark) }
}

/** A number with a given law. */
function drawn(law: Masses, stream: Stream): number {
  let left = stream.uniform()
  let value = 0
  while (value < law.length - 1 && left >= law[value]!) left -= law[value++]!
  return value
}

/** One key: what is computed, and what is observed. */
interface Held {
  /** Mean total variation between the laws of texts and the model's. */
  readonly distance: number
  readonly gap: number
  readonly power: number
  readonly seenGap: number
  readonly alarmed: boolean
}

/** Holds a key; `likelier(seen, chance)` is told of each generation whether it lies in A, and P_k(A). */
function hold<Code>(
  watermark: Watermark<Code>,
  { queries, size, texts, zeros, original, threshold, own }: World,
  key: string,
  likelier: (seen: boolean, chance: number) => void,
): Held {
  const stream = seededRandom(key, 'generations')
  let distance = 0
  let seenGap = 0
  let detWmk = 0
  const tests = queries.map((query) => {
    const laws: Masses[] = []
    let sum = 0
    let law: Float64Array | undefined
    for (const j of generations) {
      const seed = own ? `${j}` : 'any'
      if (own || law === undefined) law = lawUnderKey(watermark, query, key, seed)
      laws.push(zerosLaw(law, zeros))
      const text = generation(watermark, query, key, own ? seed : `any ${j}`, stream)
      const at = text.reduce((index, token) => index * size + token, 0)
      let chance = 0
      for (let i = 0; i < law.length; i++)
        if (law[i]! > texts[i]!) {
          chance += law[i]!
          distance += (law[i]! - texts[i]!) / PER_KEY
        }
      likelier(law[at]! > texts[at]!, Math.min(1, chance))
      sum += zeros[at]!
    }
    const [x, z] = [drawn(original, stream), drawn(original, stream)]
    seenGap += Math.abs(x - sum) / (PROMPTS * MOST)
    detWmk += Math.abs(x - sum) - Math.abs(x - z)
    return sumLaw(laws)
  })
  return {
    distance,
    gap: tests.reduce((sum, test) => sum + meanDistance(original, test), 0) / (PROMPTS * MOST),
    power: chanceOfAtLeast(overPrompts(original, tests), threshold),
    seenGap,
    alarmed: detWmk + PROMPTS * MOST >= threshold,
  }
}

/** Means over keys of what was computed; the largest deviation of what was observed. */
export interface Repeated {
  readonly distance: number
  readonly gap: number
  readonly clonesGap: number
  readonly power: number
  readonly level: number
  readonly deviation: number
}

/** Holds one key after the other on one toy model; throws where what is observed does not come from what is computed. */
export async function repeatPrompts<Code>(
  watermark: Watermark<Code>,
  model: ToyModel,
  opening: Opening,
  { keys, count, level }: { readonly keys: number; readonly count: number; readonly level: number },
  trial: Trial,
): Promise<Repeated> {
  const world = worldOf(watermark, model, opening)
  const likelier = meanBets()
  const gaps = meanBets()
  const alarms = meanBets()
  const all = [
    ['share of texts that are likelier under the key', likelier],
    ['SPMG gap', gaps],
    ['power of DetWmk', alarms],
  ] as const
  const total = { distance: 0, gap: 0, power: 0 }
  for (let i = 0; i < count; i++) {
    const held = hold(watermark, world, secretKey(keys, i), (seen, chance) =>
      likelier.add(seen ? 1 : 0, chance),
    )
    gaps.add(held.seenGap, held.gap)
    alarms.add(held.alarmed ? 1 : 0, held.power)
    total.distance += held.distance / count
    total.gap += held.gap / count
    total.power += held.power / count
    for (const [what, bets] of all)
      if (bets.logWealth() >= Math.log(all.length / level))
        throw new Violation(
          `over ${i + 1} keys the ${what} is ${Math.abs(bets.deviation).toPrecision(2)} ${bets.deviation > 0 ? 'above' : 'below'} what the law of texts under each key says`,
        )
    await trial.breathe()
  }
  const clonesGap = meanDistance(world.original, world.original) / MOST
  return { ...total, clonesGap, level: world.level, deviation: Math.abs(likelier.deviation) }
}
