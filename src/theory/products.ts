/**
 * Total variation between m-fold laws, exact: the order of independent draws carries nothing, so the sum runs over count
 * vectors, C(m+V-1, V-1) of them, rather than over V^m texts. Tokens that all laws treat alike (in proportion) are one
 * outcome: only likelihood ratios matter.
 */
import { logFactorials } from '../core/stats/index.ts'
import { integer, number, outOfRange, requireOptions } from '../input.ts'
import { type Distribution, each, probabilities } from './checked.ts'
import type { StepMember } from './step-law.ts'

/** More count vectors than this are not listed. */
export const MAX_COUNT_VECTORS = 5_000_000

/** Returns the number of count vectors of m draws over `outcomes` outcomes. */
export function countVectors(outcomes: number, m: number): number {
  let c = 1
  for (let i = 1; i < outcomes; i++) c = (c * (m + i)) / i
  return c
}

/** Lists for each outcome its probability under p and under every member, alike ones added up. */
function columns(p: Distribution, members: readonly StepMember[]): number[][] {
  const alike = new Map<string, number[]>()
  for (let i = 0; i < p.length; i++) {
    const column = [p[i]!, ...members.map(({ q }) => q[i]!)]
    const total = column.reduce((a, b) => a + b, 0)
    if (total === 0) continue
    const key = column.map((x) => (x / total).toPrecision(12)).join()
    const known = alike.get(key)
    if (known) for (let k = 0; k < column.length; k++) known[k]! += column[k]!
    else alike.set(key, column)
  }
  return [...alike.values()]
}

/** Counts the outcomes that remain once tokens that all laws treat alike are one. */
export const distinctOutcomes = (p: Distribution, members: readonly StepMember[]): number =>
  columns(p, members).length

/**
 * Computes TV(sum_k w_k q_k^m, p^m): what m queries of one step tell an observer with the mixture but not the key.
 *
 * @example mixtureTotalVariation([{ q: Float64Array.of(1, 0), weight: 1 }], [0.5, 0.5], 3) // 7/8
 */
export function mixtureTotalVariation(members: readonly StepMember[], p: Distribution, m: number): number {
  integer('m', m, 0, MAX_COUNT_VECTORS)
  const law = probabilities('p', p)
  const checked = each('members', members, 'a list of { q, weight }', (name, member) =>
    checkMember(name, member as StepMember, law.length),
  )
  return distance(checked, law, m)
}

function checkMember(name: string, member: StepMember, outcomes: number): StepMember {
  requireOptions(name, member, ['q', 'weight'])
  const q = probabilities(`${name}.q`, member.q)
  if (q.length !== outcomes) throw outOfRange(`${name}.q`, `${outcomes} outcomes, as many as p`, member.q)
  return { q, weight: number(`${name}.weight`, member.weight, 0, 1) }
}

/** Computes the distance of arguments that are known to fit. */
export function distance(members: readonly StepMember[], p: Float64Array, m: number): number {
  const table = columns(p, members)
  const vectors = countVectors(table.length, m)
  if (vectors > MAX_COUNT_VECTORS)
    throw outOfRange('m', `few enough queries to list at most ${MAX_COUNT_VECTORS} count vectors`, m)
  const logs = table.map((column) => column.map(Math.log))
  const laws = members.length + 1
  const logFactorial = logFactorials(m)
  // one row of partial sums per depth: ln(m!/prod c_i!) + sum c_i ln x_i for p (place 0) and each member
  const partial = Array.from({ length: table.length + 1 }, () => new Float64Array(laws))
  partial[0]!.fill(logFactorial[m]!)
  let total = 0
  const leaf = (row: Float64Array): number => {
    let mixture = 0
    for (let k = 1; k < laws; k++) mixture += members[k - 1]!.weight * Math.exp(row[k]!)
    return Math.abs(mixture - Math.exp(row[0]!))
  }
  const walk = (depth: number, left: number): void => {
    const from = partial[depth]!
    const to = partial[depth + 1]!
    const log = logs[depth]!
    const last = depth === table.length - 1
    for (let count = last ? left : 0; count <= left; count++) {
      for (let k = 0; k < laws; k++)
        to[k] = from[k]! - logFactorial[count]! + (count === 0 ? 0 : count * log[k]!)
      if (last) total += leaf(to)
      else walk(depth + 1, left - count)
    }
  }
  walk(0, m)
  return Math.min(1, total / 2)
}

/**
 * Computes TV(q^m, p^m): what m queries of one step tell an observer with the key.
 *
 * @example productTotalVariation([1, 0], [0.5, 0.5], 3) // 7/8
 */
export const productTotalVariation = (q: Distribution, p: Distribution, m: number): number =>
  mixtureTotalVariation([{ q: probabilities('q', q), weight: 1 }], p, m)
