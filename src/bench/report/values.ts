/** Numbers with their uncertainty, from trials: the only way values get into a report. */
import {
  bettingInterval,
  clopperPearson,
  meanInterval,
  median,
  normalQuantile,
  quantileInterval,
} from '../../core/stats/index.ts'
import { guardTail } from './compare.ts'
import type { Value } from './report.ts'

interface Extra {
  readonly paper?: number | undefined
  readonly note?: string
}

const extra = ({ paper, note }: Extra) => ({
  ...(paper === undefined ? {} : { paper }),
  ...(note === undefined ? {} : { note }),
})

/** A share of trials, with the exact (Clopper-Pearson) interval. */
export const proportion = (hits: number, n: number, more: Extra = {}): Value => ({
  kind: 'proportion',
  value: hits / n,
  hits,
  n,
  ...clopperPearson(hits, n),
  ...extra(more),
})

/** A mean of trials, with Student's interval. */
export function mean(values: readonly number[], more: Extra = {}): Value {
  const { mean: value, standardError, low, high, n } = meanInterval(values)
  return { kind: 'mean', value, sd: standardError * Math.sqrt(n), n, low, high, ...extra(more) }
}

/**
 * A mean of shares, numbers in [0, 1]: Student's interval inside [0, 1]. Where all are 0, or all 1, that would have no width: then
 * the exact interval of the proportion of shares above 0 (below 1), which covers the mean as well.
 */
export function meanShare(shares: readonly number[], more: Extra = {}): Value {
  const { value, low, high, ...rest } = mean(shares, more) as Value & { kind: 'mean' }
  const interval =
    value === 0 || value === 1
      ? clopperPearson(value * shares.length, shares.length)
      : { low: Math.max(0, low), high: Math.min(1, high) }
  return { ...rest, value, ...interval }
}

/**
 * A mean of shares that are each of one cluster of trials, such as one text under many keys, with an interval over clusters that holds
 * whatever the laws of the shares are.
 */
export function clusteredShare(shares: readonly number[], more: Extra = {}): Value {
  const { value, ...rest } = mean(shares, more) as Value & { kind: 'mean' }
  const { low, high } = bettingInterval(shares)
  return { ...rest, value, low: Math.min(value, low), high: Math.max(value, high) }
}

/** A median of trials, with order-statistic intervals; values lie in [low, high]. */
export function medianValue(
  values: readonly number[],
  range: readonly [number, number],
  more: Extra = {},
): Value {
  const inside = (x: number) => Math.min(Math.max(x, range[0]), range[1])
  const at = (confidence: number) => quantileInterval(values, 0.5, confidence)
  const [shown, guard] = [at(0.95), at(1 - 2 * guardTail)]
  return {
    kind: 'median',
    value: median(values),
    n: values.length,
    low: inside(shown.low),
    high: inside(shown.high),
    guard: [inside(guard.low), inside(guard.high)],
    ...extra(more),
  }
}

/** An estimate with its standard error; a normal interval unless one is given. */
export function estimate(
  value: number,
  se: number,
  n: number,
  more: Extra & { low?: number; high?: number } = {},
): Value {
  const reach = normalQuantile(0.975) * se
  return {
    kind: 'estimate',
    value,
    se,
    n,
    low: more.low ?? value - reach,
    high: more.high ?? value + reach,
    ...extra(more),
  }
}

export const exact = (value: number, more: Extra = {}): Value => ({ kind: 'exact', value, ...extra(more) })

/** A number computed from sampled ones. */
export const derived = (value: number, more: Extra = {}): Value => ({
  kind: 'derived',
  value,
  ...extra(more),
})

export const text = (value: string): Value => ({ kind: 'text', value })

/** A verdict on sampled numbers. */
export const verdict = (value: string): Value => ({ kind: 'text', value, derived: true })
