/** Scales and ticks: from data to pixels. */

/** Steps of 1, 2 or 5 times a power of ten that cut a range into about `count` parts. */
function stepOf(span, count) {
  const raw = span / count
  const power = 10 ** Math.floor(Math.log10(raw))
  const ratio = raw / power
  return (ratio >= 5 ? 10 : ratio >= 2 ? 5 : ratio >= 1 ? 2 : 1) * power
}

function linear([low, high], count) {
  const step = stepOf(high - low || 1, count)
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step)
}

function powers([low, high], count) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)]
  const step = Math.max(1, Math.ceil((last - first) / count))
  const ticks = []
  for (let e = last; e >= first; e -= step) ticks.unshift(10 ** e)
  return ticks
}

/** A little room around the data, unless the axis says where it ends. */
function extent(values, axis) {
  if (axis.domain) return axis.domain
  const finite = values.filter((v) => Number.isFinite(v) && (axis.scale !== 'log' || v > 0))
  let [low, high] = [Math.min(...finite), Math.max(...finite)]
  if (finite.length === 0) [low, high] = [0, 1]
  if (axis.scale === 'log') return [low / 1.5, Math.max(high * 1.5, low * 1.01)]
  const room = (high - low || Math.abs(high) || 1) * 0.06
  return [low - room, high + room]
}

/** A function from data to pixels with its ticks; values outside the domain stop at its ends. */
export function scaleOf(values, axis, range, count = 6) {
  const domain = extent(values, axis)
  const log = axis.scale === 'log'
  const at = log ? Math.log : Number
  const [a, b] = domain.map(at)
  const scale = (value) => {
    const clamped = Math.min(Math.max(value, domain[0]), domain[1])
    return range[0] + ((at(clamped) - a) / (b - a)) * (range[1] - range[0])
  }
  return Object.assign(scale, { ticks: log ? powers(domain, count) : linear(domain, count) })
}

/** A tick or a value as a person reads it. */
export function pretty(value, axis = {}) {
  if (axis.percent) return `${Number((100 * value).toFixed(1))}%`
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) {
    const [digits, power] = value.toExponential(1).split('e')
    return `${Number(digits)}e${Number(power)}`
  }
  return String(Number(value.toPrecision(3)))
}
