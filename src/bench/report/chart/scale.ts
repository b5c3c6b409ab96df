/** Scales and ticks: from data to pixels. */
import type { Axis } from '../report.ts'

export interface Scale {
  (value: number): number
  readonly ticks: readonly number[]
}

/** Steps of 1, 2 or 5 times a power of ten that cut a range into at most `count` parts or so. */
function stepOf(span: number, count: number): number {
  const raw = span / count
  const power = 10 ** Math.floor(Math.log10(raw))
  const ratio = raw / power
  return (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1) * power
}

function linearTicks(low: number, high: number, count: number): number[] {
  const span = high - low
  if (!(span > 1e-300 && span < 1e300)) return [low]
  const step = stepOf(span, count)
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step)
}

/** Powers of ten; 1, 2 and 5 times each where fewer than two of them lie inside. */
function logTicks(low: number, high: number, count: number): number[] {
  const inside = (x: number) => x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9)
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]
  const powers = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i)).filter(inside)
  if (powers.length < 2)
    return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i))
      .flatMap((power) => [power, 2 * power, 5 * power])
      .filter(inside)
  const exponents = powers.map((power) => Math.round(Math.log10(power)))
  const step = [1, 2, 3, 4, 5, 10, 20, 50, 100].find((s) => (powers.length - 1) / s < count) ?? 200
  return powers.filter((_, i) => exponents[i]! % step === 0)
}

/** A little room around the data, unless the axis says where it begins and ends. */
function extent(values: readonly number[], axis: Axis): readonly [number, number] {
  const log = axis.scale === 'log'
  if (axis.domain && (!log || Math.min(...axis.domain) > 0)) return axis.domain
  const finite = values.filter((v) => Number.isFinite(v) && (!log || v > 0))
  if (finite.length === 0) return log ? [1, 10] : [0, 1]
  const [low, high] = [Math.min(...finite), Math.max(...finite)]
  if (log) return [low / 1.3, high * 1.3]
  const room = (high - low || Math.abs(high) || 1) * 0.06
  return [low - room, high + room]
}

/**
 * A function from data to pixels, with its ticks. The first end of the domain lies at the first end of the range, so an axis whose
 * domain is [20, 0] runs downward. Values outside stop at the ends.
 *
 * ```ts
 * scaleOf([], { label: 'rank', domain: [20, 0] }, [0, 100])(5) // 75
 * ```
 */
export function scaleOf(
  values: readonly number[],
  axis: Axis,
  range: readonly [number, number],
  count = 6,
): Scale {
  const domain = extent(values, axis)
  const [low, high] = domain[0] <= domain[1] ? domain : [domain[1], domain[0]]
  const log = axis.scale === 'log'
  const at = (value: number) => (log ? Math.log(value) : value)
  const span = at(domain[1]) - at(domain[0]) || 1
  const scale = (value: number) => {
    const inside = Math.min(Math.max(value, low), high)
    return range[0] + ((at(inside) - at(domain[0])) / span) * (range[1] - range[0])
  }
  const ticks = axis.ticks ?? (log ? logTicks(low, high, count) : linearTicks(low, high, count))
  return Object.assign(scale, { ticks })
}

/** A tick or a value as a person reads it. */
export function readable(value: number, axis: Partial<Axis> = {}): string {
  if (axis.percent) return `${Number((100 * value).toFixed(1))}%`
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) {
    const [digits, power] = value.toExponential(1).split('e')
    return `${Number(digits)}e${Number(power)}`
  }
  return String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3)))
}

/** ` [0.8, 0.9]`, or nothing. */
export const readableRange = (range: readonly [number, number] | undefined, axis: Axis): string =>
  range ? ` [${readable(range[0], axis)}, ${readable(range[1], axis)}]` : ''
