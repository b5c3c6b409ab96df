/**
 * The paper's three scores from our numbers, with its formulas and weights, and their standard errors by the bootstrap: prompts
 * of table 1, prompts of table 2 and texts of tables 3 to 6 are resampled.
 */
import { seededRandom } from '../../keys/stream.ts'
import { detectabilityScore, robustnessScore, unbiasednessScore } from '../../paper/index.ts'
import { auroc, median } from '../../stats/index.ts'
import type { Method } from '../methods.ts'
import { none } from '../methods.ts'
import type { Plan } from '../plan.ts'
import type { Results } from '../results.ts'
import type { Task } from '../study.ts'
import { hits, pValue, tested } from './detectability.ts'
import { inScores, measuresOf, oneShotValues } from './one-shot.ts'
import { driftOf } from './repeated.ts'
import { attackedLogP } from './robustness.ts'

export const axes = ['unbiasedness', 'detectability', 'robustness'] as const
export type Axis = (typeof axes)[number]

interface Score {
  readonly value: number
  readonly se: number
  readonly n: number
}

export type Scores = Readonly<Record<Axis, Score>>

type Index = (n: number) => number[]
const all: Index = (n) => Array.from({ length: n }, (_, i) => i)
const pick = <T>(values: readonly T[], at: readonly number[]): T[] => at.map((i) => values[i]!)
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length
const rate = (logP: readonly number[], level: number): number => hits(logP, level) / logP.length

function deviation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(values.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (values.length - 1))
}

/** The score as a function of which trials are used; resampled trials give its error. */
function score(compute: (index: Index) => number, n: number, seed: string, resamples = 200): Score {
  const random = seededRandom(seed)
  const resample: Index = (size) => Array.from({ length: size }, () => random.below(size))
  const draws = Array.from({ length: resamples }, () => compute(resample))
  return { value: compute(all), se: deviation(draws), n }
}

/** Deviations are relative: a rescaled BERTScore below 0, as a handful of texts may have, counts as 0, and the base as this. */
const LEAST_BASE = 1e-6

function unbiasedness(plan: Plan, results: Results, method: Method): Score {
  const measures = measuresOf(plan).filter(inScores)
  const own = measures.map((m) => oneShotValues(plan, results, method, m))
  const base = measures.map((m) => oneShotValues(plan, results, none, m))
  const drifts = measures.map((m) => driftOf(plan, results, method, m))
  const compute = (index: Index): number => {
    // both sides of a difference use the same prompts, task by task
    const size = (task: Task) => own[measures.findIndex((m) => m.task === task)]?.length ?? 0
    const chosen = new Map(plan.study.tasks.map((task) => [task, index(size(task))]))
    const prompts = index(plan.study.repeated.prompts)
    const means = (lists: readonly (readonly number[])[], least = 0) =>
      lists.map((list, i) => Math.max(least, mean(pick(list, chosen.get(measures[i]!.task)!))))
    return unbiasednessScore({
      oneShot: means(own),
      repeated: drifts.map(({ gaps }) => mean(pick(gaps, prompts))),
      none: {
        oneShot: means(base, LEAST_BASE),
        repeated: drifts.map(({ copyGaps }) => mean(pick(copyGaps, prompts))),
      },
    })
  }
  return score(compute, own[0]!.length, `${plan.study.seed} unbiasedness ${method.id}`)
}

function detectability(plan: Plan, results: Results, method: Method): Score {
  const { marked, plain } = tested(plan, results).find((one) => one.method.id === method.id)!
  const compute = (index: Index): number => {
    const [ours, theirs] = [pick(marked, index(marked.length)), pick(plain, index(plain.length))]
    return detectabilityScore({
      tpr5: rate(ours, 0.05),
      tpr1: rate(ours, 0.01),
      tpr01: rate(ours, 0.001),
      medianP: median(ours.map(pValue)),
      auroc: auroc(
        ours.map((x) => -x),
        theirs.map((x) => -x),
      ).auroc,
    })
  }
  return score(compute, marked.length, `${plan.study.seed} detectability ${method.id}`)
}

function robustness(plan: Plan, results: Results, method: Method): Score {
  const attacks = plan.study.attacks.filter((attack) => attack.paper !== undefined)
  const lists = attacks.map((attack) => attackedLogP(plan, results, method, attack))
  const compute = (index: Index): number => {
    // attacks on the same texts share the sample; an attack that is tried on fewer texts has its own, and all of them count
    const chosen = new Map(lists.map(({ length }) => [length, index(length)]))
    const rates = attacks.map((attack, i) => {
      const logP = pick(lists[i]!, chosen.get(lists[i]!.length)!)
      return [
        attack.paper!,
        { at5: rate(logP, 0.05), at1: rate(logP, 0.01), at01: rate(logP, 0.001) },
      ] as const
    })
    return robustnessScore(Object.fromEntries(rates) as unknown as Parameters<typeof robustnessScore>[0])
  }
  return score(compute, lists[0]!.length, `${plan.study.seed} robustness ${method.id}`)
}

const known = new WeakMap<Results, Map<string, Scores>>()

/** The three scores of a method; computed once per set of results. */
export function scoresOf(plan: Plan, results: Results, method: Method): Scores {
  const kept = known.get(results) ?? new Map<string, Scores>()
  known.set(results, kept)
  const name = JSON.stringify([plan.study.name ?? '', method.id])
  const scores = kept.get(name) ?? {
    unbiasedness: unbiasedness(plan, results, method),
    detectability: detectability(plan, results, method),
    robustness: robustness(plan, results, method),
  }
  kept.set(name, scores)
  return scores
}
