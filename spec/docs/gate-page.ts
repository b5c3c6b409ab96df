/** The parts of docs/gate.md that follow from the laws. */
import { allLaws } from '../../src/laws/all-laws.ts'
import { plans } from '../../src/laws/drift.ts'
import { classesOf, lanesFor } from '../../src/laws/keys-test.ts'
import { EFFORTS, type Effort } from '../../src/laws/law.ts'
import { ledger } from '../../src/laws/ledger.ts'
import { SIZES } from '../../src/laws/null-law/one-score.ts'
import { coarse, fine } from '../../src/laws/null-law/whole-texts.ts'
import { COARSER } from '../../src/laws/orbit-is-honest.ts'
import { LENGTH, pairPlan } from '../../src/laws/pair-plan.ts'
import { searches } from '../../src/laws/power.ts'
import { RARE } from '../../src/laws/same-key-same-result.ts'
import { biasAt, GENERATED, LARGEST, rulesFor } from '../../src/laws/sizes.ts'
import { tokenSets } from '../../src/laws/token-sets.ts'
import { shapesOfFew } from '../../src/laws/unbiased-over-keys.ts'
import { coarser } from '../../src/laws/unbiased-sequences.ts'
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

/** Up to which size of vocabulary which bias is seen. */
function biasesOf(effort: Effort): string {
  const sizes = [8, 16, 1000, 4096, LARGEST]
  const biases = sizes.map((size) => digits(biasAt(size, { effort, bias: BIAS })))
  return sizes
    .flatMap((size, i) => (biases[i] === biases[i + 1] ? [] : [`${biases[i]} at ${count(size)} tokens`]))
    .join(', ')
}

/** The smallest and the largest excess, of a list of multiples of the bias. */
function excessOf(list: readonly { readonly times: number }[]): string {
  const [low, high] = [Math.min, Math.max].map((pick) => pick(...list.map(({ times }) => times * BIAS)))
  return `${digits(low!)} to ${digits(high!)}`
}

/** What is sure to be seen at the usual effort, but for `miss`, where it does not depend on the watermark. */
function seen(name: string): string {
  const trial = { effort: 'usual', bias: BIAS, falseAlarm: shareOf(name), miss: MISS } as const
  switch (name) {
    case law.keys:
      return `a bias of ${biasesOf('usual')}`
    case law.pairs: {
      const excesses = pairPlan(trial, LENGTH).sights.map(({ excess }) => excess)
      return `an excess of equal pairs of ${digits(Math.max(...excesses))} in texts of ${LENGTH} tokens`
    }
    case law.detectable:
      return `that less than ${digits(0.01)} of texts are detected, where ${digits(searches.usual.power)} must be`
    case law.deterministic:
      return `contexts that share a code, where codes differ under at least ${RARE} of the keys`
    case law.honest:
      return `a total variation of ${digits(COARSER * BIAS)} between the laws of what is compared`
    case law.texts:
      return `a total variation of ${digits(coarser.usual * BIAS)} in texts of four tokens; any difference where there is an orbit`
    case law.warping:
    case law.biased:
      return `a bias of ${digits(BIAS)} at 8 tokens, and as above on more; any difference where there is an orbit`
    case law.nullLaw:
      return `P(p <= a) above a by ${excessOf(SIZES)} for one score, by ${excessOf([...coarse, ...fine])} for whole texts (more where a detection draws many codes: see the result); for sums any wrong tail`
    case law.drift:
      return `a probability of repeated prompts that is ${digits(plans.usual.deviation)} off`
    default:
      return 'any difference, in the cases that are tried'
  }
}

/** Each law with its statement, its share of the false-alarm rate and what it sees. */
export const laws = (): string =>
  table(
    ['law', 'statement', 'false alarm', 'sure to be seen at the usual effort'],
    allLaws.map(({ name, statement }) => [
      name,
      statement,
      shareOf(name) === 0 ? 'none: exact' : shareOf(name).toPrecision(2),
      seen(name),
    ]),
  )

/** Keys that "unbiased over keys" takes at the most for a uniform distribution. */
function keysAt(size: number, effort: Effort): number {
  const p = new Float64Array(size).fill(1 / size)
  const { few, sizes } = GENERATED[effort]
  const tests = shapesOfFew.length + few + rulesFor({ effort, seed: 1 }).length + sizes
  const rates = {
    falseAlarm: shareOf(law.keys) / tests,
    miss: MISS,
    bias: biasAt(size, { effort, bias: BIAS }),
  }
  const { means, rounding } = tokenSets(p, 1)
  return classesOf(means, lanesFor(size), rates, rounding).classes[0]!.keys
}

/** The bias that is seen and the keys that it takes, by effort and size of vocabulary. */
export function keys(): string {
  const sizes = [2, 8, 16, 1000, LARGEST]
  return table(
    ['effort', ...sizes.map((size) => `${count(size)} tokens`)],
    EFFORTS.map((effort) => [
      effort,
      ...sizes.map(
        (size) =>
          `${digits(biasAt(size, { effort, bias: BIAS }))} with ${count(keysAt(size, effort))} keys at most`,
      ),
    ]),
  )
}

/** Mistakes that pass, with their sizes. */
export const unseen = (): string =>
  table(
    ['mistake', 'its size', 'of what', 'sure to be seen from', 'or with'],
    survivorSizes.map(({ name, size, where, promised, seenWith }) => [
      name,
      digits(size),
      where,
      promised === undefined ? 'no size' : digits(promised),
      seenWith,
    ]),
  )
