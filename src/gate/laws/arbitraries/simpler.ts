/**
 * Lists simpler than a list of integer weights. A counterexample is read by a person: fewer tokens first, then a smaller total,
 * which is the denominator of its fractions.
 */

import { gcd } from '../fractions.ts'

export interface Limits {
  /** Fewest and most tokens, and the largest weight. */
  readonly min: number
  readonly max: number
  readonly top: number
}

/** The simplest lists, simplest first: a failure on one of them needs no further shrinking. */
const ladder: readonly (readonly number[])[] = [
  [1],
  [0, 1],
  [1, 0],
  [1, 1],
  [1, 2],
  [2, 1],
  [1, 3],
  [3, 1],
  [0, 1, 1],
  [1, 0, 1],
  [1, 1, 0],
  [1, 1, 1],
  [1, 1, 2],
  [1, 2, 1],
  [2, 1, 1],
  [1, 1, 1, 1],
]

const sum = (list: readonly number[]): number => list.reduce((total, w) => total + w, 0)
const areIntegers = (list: readonly number[]): boolean => list.every(Number.isInteger)
/** Weights that are not integers are the least simple. */
const totalOf = (list: readonly number[]): number =>
  areIntegers(list) ? sum(list) : Number.POSITIVE_INFINITY

const isSimpler = (a: readonly number[], b: readonly number[]): boolean =>
  a.length < b.length || (a.length === b.length && totalOf(a) < totalOf(b))

/** Returns whether a list is a distribution within the limits. */
export const isWithin = (list: readonly number[], { min, max, top }: Limits): boolean =>
  list.length >= min && list.length <= max && list.every((w) => w >= 0 && w <= top) && sum(list) > 0

/** The lists of the ladder below a list, simplest first. */
export function simplest(list: readonly number[], limits: Limits): number[][] {
  const at = ladder.findIndex((step) => step.join() === list.join())
  const below = at >= 0 ? ladder.slice(0, at) : ladder.filter((step) => isSimpler(step, list))
  return below.filter((step) => isWithin(step, limits)).map((step) => [...step])
}

/** Without a run of tokens: half of them, a quarter, ... one. */
function* shorter(list: readonly number[]): Generator<number[]> {
  for (let run = Math.floor(list.length / 2); run >= 1; run = Math.floor(run / 2))
    for (let from = list.length - run; from >= 0; from -= run)
      yield list.filter((_, i) => i < from || i >= from + run)
}

/** About the same proportions with a smaller total; every token that has mass keeps some. */
function* rougher(list: readonly number[]): Generator<number[]> {
  const total = sum(list)
  const scaled = (to: number): number[] =>
    list.map((w) => (w === 0 ? 0 : Math.max(1, Math.round((w / total) * to))))
  yield list.map((w) => Math.sign(w))
  const divisor = areIntegers(list) ? list.reduce(gcd) : 1
  if (divisor > 1) yield list.map((w) => w / divisor)
  for (let to = list.length; to < Math.min(totalOf(list), 2 ** 20); to *= 2) yield scaled(to)
}

/** One weight less: 0, then closer and closer to what it was. */
function* lighter(list: readonly number[]): Generator<number[]> {
  for (let i = 0; i < list.length; i++)
    for (let less = list[i]!; less >= 1; less = Math.floor(less / 2)) yield list.with(i, list[i]! - less)
}

/** Simpler lists that are close to a list. */
export function* simplerNear(list: readonly number[], limits: Limits): Generator<number[]> {
  for (const steps of [shorter, rougher, lighter])
    for (const near of steps(list)) if (isSimpler(near, list) && isWithin(near, limits)) yield near
}
