/** The parts of docs/gate.md derived from the laws. */

import { allLaws } from '../../src/gate/laws/all-laws.ts'
import { plans } from '../../src/gate/laws/drift.ts'
import { classesOf, lanesFor } from '../../src/gate/laws/keys-test.ts'
import { EFFORTS, type Effort } from '../../src/gate/laws/law.ts'
import { ledger } from '../../src/gate/laws/ledger.ts'
import { unmarkedExcess } from '../../src/gate/laws/messages.ts'
import { SIZES } from '../../src/gate/laws/null-law/one-score.ts'
import { coarse, fine } from '../../src/gate/laws/null-law/whole-texts.ts'
import { COARSER } from '../../src/gate/laws/orbit-is-honest.ts'
import { LENGTH, pairPlan } from '../../src/gate/laws/pair-plan.ts'
import { searches } from '../../src/gate/laws/power.ts'
import { RARE } from '../../src/gate/laws/same-key-same-result.ts'
import { biasAt, GENERATED, LARGEST, netBias, rulesFor } from '../../src/gate/laws/sizes.ts'
import { tokenSets } from '../../src/gate/laws/token-sets.ts'
import { netShapes, shapesOfFew } from '../../src/gate/laws/unbiased-over-keys.ts'
import { coarser } from '../../src/gate/laws/unbiased-sequences.ts'
import { law } from '../mutants/mutant.ts'
import { survivorSizes } from '../mutants/survivors.ts'
import { table } from './parts.ts'

const FALSE_ALARM = 1e-9
const MISS = 1e-3
const BIAS = 0.02

const shareOf = (name: string): number =>
  ledger(allLaws, FALSE_ALARM).find((entry) => entry.law === name)!.falseAlarm
const count = (x: number): string => x.toLocaleString('en')
const digits = (x: number): string => `${+x.toPrecision(2)}`

/** Lists the smallest bias that is caught, by size of vocabulary. */
function biasesOf(effort: Effort): string {
  const sizes = [16, 1000, 4096, LARGEST, 151_936, 262_144]
  const biases = sizes.map((size) => digits(biasAt(size, { effort, bias: BIAS })))
  return sizes
    .flatMap((size, i) => (biases[i] === biases[i + 1] ? [] : [`${biases[i]} at ${count(size)} tokens`]))
    .join(', ')
}

/** Returns the smallest and the largest excess in a list of multiples of the bias. */
function excessOf(list: readonly { readonly times: number }[]): string {
  const [low, high] = [Math.min, Math.max].map((pick) => pick(...list.map(({ times }) => times * BIAS)))
  return `${digits(low!)} to ${digits(high!)}`
}

/** Returns the smallest error that the default effort catches except with probability `miss`, if it does not depend on the watermark. */
function seen(name: string): string {
  const trial = { effort: 'usual', bias: BIAS, falseAlarm: shareOf(name), miss: MISS } as const
  switch (name) {
    case law.keys:
      return `a bias of ${digits(netBias(trial))} at up to 8 tokens (nets; the result says if a code needs more), ${biasesOf('usual')}`
    case law.pairs: {
      const excesses = pairPlan(trial, LENGTH).sights.map(({ excess }) => excess)
      return `an excess of equal pairs of ${digits(Math.max(...excesses))} in texts of ${LENGTH} tokens`
    }
    case law.detectable:
      return `a power below ${digits(0.01)}, where ${digits(searches.usual.power)} is required`
    case law.deterministic:
      return `contexts that share a code, if codes differ under at least ${RARE} of the keys; fewer than 2^23 codes of contexts or keys`
    case law.honest:
      return `a total variation of ${digits(COARSER * BIAS)} between the compared laws`
    case law.texts:
      return `a total variation of ${digits(coarser.usual * BIAS)} in texts of four tokens; any difference if there is an orbit`
    case law.warping:
    case law.biased:
      return `a bias of ${digits(BIAS)} at 8 tokens, and as above for more; any difference if there is an orbit`
    case law.nullLaw:
      return `P(p <= a) above a by ${excessOf(SIZES)} for one score, by ${excessOf([...coarse, ...fine])} for whole texts (more if a detection draws many codes: see the result); any wrong tail of a sum`
    case law.speculation:
      return `a total variation of ${digits(BIAS)} in one token, or in two side by side`
    case law.everyMessage:
      return `a bias of ${digits(BIAS)} at 8 tokens, for the messages tried`
    case law.decoded:
      return `a power below ${digits(0.01)}, where ${digits(searches.usual.power)} is required`
    case law.noMessage:
      return `P(p <= 5%) above 5% by ${digits(unmarkedExcess(trial))}`
    case law.drift:
      return `an error of ${digits(plans.usual.deviation)} in a probability of repeated prompts`
    default:
      return 'any difference on the distributions tested'
  }
}

/** Lists each law with its statement, its share of the false-alarm rate and the smallest error it catches. */
export const laws = (): string =>
  table(
    ['law', 'statement', 'false alarm', 'smallest error the default effort is certain to catch'],
    allLaws.map(({ name, statement }) => [
      name,
      statement,
      shareOf(name) === 0 ? '0: exact' : shareOf(name).toPrecision(2),
      seen(name),
    ]),
  )

/** Returns the largest number of keys that "unbiased over keys" takes for a uniform distribution. */
function keysAt(size: number, effort: Effort): number {
  const p = new Float64Array(size).fill(1 / size)
  const { few, sizes } = GENERATED[effort]
  const tests =
    shapesOfFew.length + netShapes(effort).length + few + rulesFor({ effort, seed: 1 }).length + sizes
  const rates = {
    falseAlarm: shareOf(law.keys) / tests,
    miss: MISS,
    bias: biasAt(size, { effort, bias: BIAS }),
  }
  const { means, rounding } = tokenSets(p, 1)
  return classesOf(means, lanesFor(size), rates, rounding).classes[0]!.keys
}

/** Lists the smallest bias that is caught and its number of keys, by effort and size of vocabulary. */
export function keys(): string {
  const sizes = [2, 8, 16, 1000, LARGEST, 151_936, 262_144]
  return table(
    ['effort', ...sizes.map((size) => `${count(size)} tokens`)],
    EFFORTS.map((effort) => [
      effort,
      ...sizes.map(
        (size) =>
          `${digits(biasAt(size, { effort, bias: BIAS }))} with at most ${count(keysAt(size, effort))} keys`,
      ),
    ]),
  )
}

/** Lists mistakes that pass, with their sizes. */
export const unseen = (): string =>
  table(
    ['mistake', 'size', 'measure', 'certain to be caught from', 'or with'],
    survivorSizes.map(({ name, size, where, promised, seenWith }) => [
      name,
      digits(size),
      where,
      promised === undefined ? 'never' : digits(promised),
      seenWith,
    ]),
  )
