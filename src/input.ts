/**
 * Checks of arguments. Every error names the argument, shows the value and says what was expected:
 * `alpha: expected a number in [0, 0.5], got 0.6`.
 */

/** A short printable form of any value, for error messages. */
export function show(value: unknown): string {
  if (typeof value === 'string') return value.length > 60 ? `'${value.slice(0, 57)}...'` : `'${value}'`
  if (typeof value === 'bigint') return `${value}n (a bigint)`
  if (value instanceof Error) return value.message
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    const list = value as unknown as ArrayLike<unknown>
    const head = Array.from({ length: Math.min(4, list.length) }, (_, i) => String(list[i]))
    return `[${head.join(', ')}${list.length > 4 ? ', ...' : ''}] (length ${list.length})`
  }
  if (typeof value === 'function') return `a function`
  if (value !== null && typeof value === 'object')
    return `an object with ${Object.keys(value).join(', ') || 'no keys'}`
  return String(value)
}

/** The error for an argument of the wrong type. */
export const wrongType = (name: string, expected: string, value: unknown): TypeError =>
  new TypeError(`${name}: expected ${expected}, got ${show(value)}`)

/** The error for an argument of the right type but out of range. */
export const outOfRange = (name: string, expected: string, value: unknown): RangeError =>
  new RangeError(`${name}: expected ${expected}, got ${show(value)}`)

/** A number in [low, high]; `open` leaves out both ends. */
export function number(name: string, value: unknown, low: number, high: number, open = false): number {
  const range = open ? `(${low}, ${high})` : `[${low}, ${high}]`
  if (typeof value !== 'number') throw wrongType(name, `a number in ${range}`, value)
  const inside = open ? value > low && value < high : value >= low && value <= high
  if (!inside) throw outOfRange(name, `a number in ${range}`, value)
  return value
}

/** A whole number in [low, high]. */
export function integer(
  name: string,
  value: unknown,
  low: number,
  high: number = Number.MAX_SAFE_INTEGER,
): number {
  const range = high === Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `in [${low}, ${high}]`
  if (typeof value !== 'number') throw wrongType(name, `a whole number ${range}`, value)
  if (!Number.isInteger(value) || value < low || value > high)
    throw outOfRange(name, `a whole number ${range}`, value)
  return value
}

/** One of a few strings. */
export function oneOf<const T extends string>(name: string, value: unknown, options: readonly T[]): T {
  if (!options.includes(value as T))
    throw outOfRange(name, `one of ${options.map((o) => `'${o}'`).join(', ')}`, value)
  return value as T
}
