/**
 * The paper's three scores from our numbers, with its formulas and weights, and their standard errors by the bootstrap: prompts
 * of table 1, prompts of table 2 and texts of tables 3 to 6 are resampled.
 */
import { median } from '../../core/stats/index.ts'
import { detectabilityScore, robustnessScore, unbiasednessScore } from '../paper/index.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import { area, pValue, share } from '../report/rates.ts'
import { type Method, none } from '../study/methods.ts'
import type { StudiedAttack, Task } from '../study/study.ts'
import { bootstrap, type Index, meanOf, pick } from './bootstrap.ts'
import { tested } from './detectability.ts'
import { inScores, measuresOf, oneShotValues } from './one-shot.ts'
import { driftOf } from './repeated.ts'
import { attackedLogP } from './robustness.ts'

export const axes = ['unbiasedness', 'detectability', 'robustness'] as const
type Axis = (typeof axes)[number]

interface Score {
  readonly value: number
  readonly se: number
  readonly n: number
}

export type Scores = Readonly<Record<Axis, Score>>

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
      lists.map((list, i) => Math.max(least, meanOf(pick(list, chosen.get(measures[i]!.task)!))))
    return unbiasednessScore({
      oneShot: means(own),
      repeated: drifts.map(({ gaps }) => meanOf(pick(gaps, prompts))),
      none: {
        oneShot: means(base, LEAST_BASE),
        repeated: drifts.map(({ copyGaps }) => meanOf(pick(copyGaps, prompts))),
      },
    })
  }
  return { ...bootstrap(compute, `${plan.study.seed} unbiasedness ${method.id}`), n: own[0]!.length }
}

function detectability(plan: Plan, results: Results, method: Method): Score {
  const { marked, plain } = tested(plan, results).find((one) => one.method.id === method.id)!
  const compute = (index: Index): number => {
    const [ours, theirs] = [pick(marked, index(marked.length)), pick(plain, index(plain.length))]
    return detectabilityScore({
      tpr5: share(ours, 0.05),
      tpr1: share(ours, 0.01),
      tpr01: share(ours, 0.001),
      medianP: median(ours.map(pValue)),
      auroc: area(ours, theirs).auroc,
    })
  }
  return { ...bootstrap(compute, `${plan.study.seed} detectability ${method.id}`), n: marked.length }
}

type Scored = StudiedAttack & { readonly paper: NonNullable<StudiedAttack['paper']> }

/** The attacks of the robustness score, one for each of the paper's; 'instead': with those that take the place of one. */
export function attacksOfScore({ study }: Plan, which: 'paper' | 'instead' = 'paper'): Scored[] | undefined {
  const others = study.attacks.filter(({ instead }) => instead !== undefined)
  if (which === 'instead' && others.length === 0) return undefined
  const own = study.attacks.filter((attack): attack is Scored => attack.paper !== undefined)
  return which === 'paper'
    ? own
    : own.map(({ paper, ...attack }) => ({
        ...(others.find(({ instead }) => instead === paper) ?? attack),
        paper,
      }))
}

export function robustnessOf(
  plan: Plan,
  results: Results,
  method: Method,
  attacks: readonly Scored[],
): Score {
  const lists = attacks.map((attack) => attackedLogP(plan, results, method, attack))
  const compute = (index: Index): number => {
    // attacks on the same texts share the sample; an attack that is tried on fewer texts has its own, and all of them count
    const chosen = new Map(lists.map(({ length }) => [length, index(length)]))
    const rates = attacks.map((attack, i) => {
      const logP = pick(lists[i]!, chosen.get(lists[i]!.length)!)
      return [
        attack.paper,
        { at5: share(logP, 0.05), at1: share(logP, 0.01), at01: share(logP, 0.001) },
      ] as const
    })
    return robustnessScore(Object.fromEntries(rates) as unknown as Parameters<typeof robustnessScore>[0])
  }
  return { ...bootstrap(compute, `${plan.study.seed} robustness ${method.id}`), n: lists[0]!.length }
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
    robustness: robustnessOf(plan, results, method, attacksOfScore(plan)!),
  }
  kept.set(name, scores)
  return scores
}
