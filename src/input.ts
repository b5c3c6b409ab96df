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

/** How many letters must be changed, added or left out to turn one word into the other. */
function lettersApart(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const here = [i]
    for (let j = 1; j <= b.length; j++)
      here[j] = Math.min(above[j]! + 1, here[j - 1]! + 1, above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    above = here
  }
  return above[b.length]!
}

/**
 * The end of an error about a word that is none of the known ones: `; did you mean 'gamma'?`, or nothing where no known word
 * is close (at most a third of the letters differ, upper and lower case count as the same).
 * @example didYouMean('gama', ['delta', 'gamma']) // "; did you mean 'gamma'?"
 */
export function didYouMean(word: unknown, known: Iterable<string>): string {
  if (typeof word !== 'string') return ''
  const near = Array.from(known, (name) => ({
    name,
    apart: lettersApart(word.slice(0, 60).toLowerCase(), name.toLowerCase()),
  })).sort((a, b) => a.apart - b.apart)[0]
  return near === undefined || near.apart > Math.max(1, Math.round(near.name.length / 3))
    ? ''
    : `; did you mean '${near.name}'?`
}

/**
 * Refuses options that nobody would read: a misspelt one would otherwise be ignored without a word. Options that are undefined
 * count as not given.
 * @example refuseUnknown('kgw', { gamma: 0.25 }, ['delta', 'gamma']) // undefined; with `gama` it throws a TypeError
 */
export function refuseUnknown(
  name: string,
  options: unknown,
  known: readonly string[],
  what: 'option' | 'parameter' = 'option',
): void {
  if (options === undefined) return
  const expected = known.length === 0 ? `no ${what}s` : known.join(', ')
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw wrongType(name, `an object of ${what}s (${expected})`, options)
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || known.includes(option)) continue
    throw new TypeError(
      `${name}: unknown ${what} '${option}', expected ${expected}${didYouMean(option, known)}`,
    )
  }
}

/** What `number` accepts, in words. */
export function numberRange(low: number, high: number, open = false): string {
  if (high === Number.POSITIVE_INFINITY) return open ? `a number above ${low}` : `a number of at least ${low}`
  return `a number in ${open ? `(${low}, ${high})` : `[${low}, ${high}]`}`
}

/** A number in [low, high]; `open` leaves out both ends. */
export function number(name: string, value: unknown, low: number, high: number, open = false): number {
  const expected = numberRange(low, high, open)
  if (typeof value !== 'number') throw wrongType(name, expected, value)
  const inside = open ? value > low && value < high : value >= low && value <= high
  if (!inside) throw outOfRange(name, expected, value)
  return value
}

/** What `integer` accepts, in words. */
export const integerRange = (low: number, high: number): string =>
  `a whole number ${high >= Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `in [${low}, ${high}]`}`

/** A whole number in [low, high]. */
export function integer(
  name: string,
  value: unknown,
  low: number,
  high: number = Number.MAX_SAFE_INTEGER,
): number {
  const expected = integerRange(low, high)
  if (typeof value !== 'number') throw wrongType(name, expected, value)
  if (!Number.isSafeInteger(value) || value < low || value > high) throw outOfRange(name, expected, value)
  return value
}

/** What `oneOf` accepts, in words. */
export const choices = (options: readonly unknown[]): string => `one of ${options.map(show).join(', ')}`

/** One of a few strings or numbers. */
export function oneOf<const T extends string | number>(
  name: string,
  value: unknown,
  options: readonly T[],
): T {
  if (options.includes(value as T)) return value as T
  const { message } = outOfRange(name, choices(options), value)
  throw new RangeError(`${message}${didYouMean(value, options.map(String))}`)
}
