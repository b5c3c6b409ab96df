/**
 * Interval arithmetic, as much of it as the scores need: a printed figure stands for every number that rounds
 * to it, and a score recomputed from printed figures stands for an interval.
 */
import type { Figure } from './figure.ts'

/** [low, high], closed: a rounded half may have gone either way. */
export type Interval = readonly [low: number, high: number]

export const point = (x: number): Interval => [x, x]
/** Every number that is printed as this figure. */
export const around = ({ value, halfUnit }: Figure): Interval => [value - halfUnit, value + halfUnit]
export const sum = (terms: readonly Interval[]): Interval =>
  terms.reduce<Interval>(([low, high], [l, h]) => [low + l, high + h], [0, 0])
export const times = (factor: number, [low, high]: Interval): Interval =>
  factor < 0 ? [factor * high, factor * low] : [factor * low, factor * high]
/** a / b for a >= 0 and b > 0. */
export const ratio = (a: Interval, b: Interval): Interval => [a[0] / b[1], a[1] / b[0]]
/** The image under a function that never decreases. */
export const increasing = (f: (x: number) => number, [low, high]: Interval): Interval => [f(low), f(high)]
/** The image under a function that never increases. */
export const decreasing = (f: (x: number) => number, [low, high]: Interval): Interval => [f(high), f(low)]
/** |x| over the interval. */
export const absolute = ([low, high]: Interval): Interval =>
  low >= 0 ? [low, high] : high <= 0 ? [-high, -low] : [0, Math.max(-low, high)]
export const meet = (a: Interval, b: Interval): boolean => a[0] <= b[1] && b[0] <= a[1]
