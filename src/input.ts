/**
 * Checks of arguments. Every error names the argument, shows the value and says what was expected:
 * `alpha: expected a number in [0, 0.5], got 0.6`.
 */

/** Control characters and lone surrogates as escapes: what an error shows may come from a file and end up on a terminal. */
export const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** One entry of a list: objects by their kind only, since they may not be printable. */
const showEntry = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? kindOf(value)
    : typeof value === 'function'
      ? 'a function'
      : printable(String(value)).slice(0, 60)

function showObject(value: object): string {
  if (value instanceof Error) return printable(String(value.message))
  if (isPromise(value)) return 'a promise (await it first)'
  if (isTypedArray(value) && isDetached(value)) return 'a typed array whose memory is gone'
  if ((ArrayBuffer.isView(value) && !(value instanceof DataView)) || Array.isArray(value)) {
    const list = value as unknown as ArrayLike<unknown>
    const head = Array.from({ length: Math.min(4, list.length) }, (_, i) => showEntry(list[i]))
    return `[${head.join(', ')}${list.length > 4 ? ', ...' : ''}] (length ${list.length})`
  }
  const keys = Object.keys(value)
  const some = keys.slice(0, 8).map((key) => printable(key.slice(0, 40)))
  return `an object with ${some.join(', ') || 'no keys'}${keys.length > 8 ? ', ...' : ''}`
}

/** A short printable form of any value, for error messages. Never throws, whatever the value's own methods do. */
export function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60 ? `'${printable(value.slice(0, 57))}...'` : `'${printable(value)}'`
  if (typeof value === 'bigint') {
    // a bigint of many digits takes long to print
    return value > -(10n ** 40n) && value < 10n ** 40n ? `${value}n (a bigint)` : 'a bigint of over 40 digits'
  }
  if (typeof value === 'function') return `a function`
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return printable(String(value))
  try {
    return showObject(value)
  } catch {
    return 'an object that cannot be read'
  }
}

/** Names the kind of a value, and nothing of its content: for values that may be secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value !== 'object') return `a ${typeof value}`
  try {
    if (Array.isArray(value)) return 'an array'
    if (isPromise(value)) return 'a promise (await it first)'
    return ArrayBuffer.isView(value) ? 'a typed array' : 'an object'
  } catch {
    return 'an object'
  }
}

const isPromise = (value: object): boolean =>
  typeof (value as { then?: unknown }).then === 'function' || value instanceof Promise

/** Returns whether a value may be an object of options: dates, patterns, errors, lists and promises have fields of their own and are not. */
const isOptions = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !(Symbol.iterator in value) &&
  !isPromise(value) &&
  ['[object Object]', '[object Module]'].includes(Object.prototype.toString.call(value))

type TypedArray = Uint8Array | Float64Array

const isTypedArray = (value: unknown): value is TypedArray =>
  ArrayBuffer.isView(value) && !(value instanceof DataView)

/** Returns whether a typed array lost its memory (it was transferred, or its buffer shrank): its length is then 0, which is not "empty". */
export function isDetached(array: TypedArray): boolean {
  if (array.length > 0) return false
  try {
    array.at(0) // checks that the memory is there
    return false
  } catch {
    return true
  }
}

/** The error for an argument of the wrong type. */
export const wrongType = (name: string, expected: string, value: unknown): TypeError =>
  new TypeError(`${name}: expected ${expected}, got ${show(value)}`)

/** The error for an argument of the right type but out of range. */
export const outOfRange = (name: string, expected: string, value: unknown): RangeError =>
  new RangeError(`${name}: expected ${expected}, got ${show(value)}`)

/** The longest text that the package reads as one: a longer one is a mistake, or an attempt to keep it busy. */
const MAX_TEXT = 2 ** 26

/** The longest list that the package reads as one. */
const MAX_LIST = 2 ** 27

/** The most entries of something that does not say how many it has. */
const MAX_ITERATED = 2 ** 21

/** Counts the letters that must be changed, added or left out to turn `a` into `b`. */
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
 * Returns the end of an error about an unknown word: `; did you mean 'gamma'?`, or nothing where no known word
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
  // by its kind only: a key given in place of the options must not be shown
  if (!isOptions(options))
    throw new TypeError(`${name}: expected an object of ${what}s (${expected}), got ${kindOf(options)}`)
  for (const option of Object.keys(options)) {
    if (known.includes(option) || (options as Record<string, unknown>)[option] === undefined) continue
    throw new TypeError(
      `${name}: unknown ${what} ${show(option)}, expected ${expected}${didYouMean(option, known)}`,
    )
  }
}

/** The options of a function, which needs them: an object with no others than those known. */
export function requireOptions<T extends object>(
  name: string,
  options: T,
  known: readonly (keyof T & string)[],
): void {
  if (options === undefined)
    throw new TypeError(`${name}: expected an object of options (${known.join(', ')}), got undefined`)
  refuseUnknown(name, options, known)
}

/** A list of anything: an array, a typed array or what looks like one. Lists that lost their memory are refused, not taken for empty. */
export function list<T = unknown>(name: string, value: unknown, expected: string): ArrayLike<T> {
  if (typeof value !== 'object' || value === null || isPromise(value)) throw wrongType(name, expected, value)
  const { length } = value as ArrayLike<T>
  if (!Number.isSafeInteger(length) || length < 0 || (isTypedArray(value) && isDetached(value)))
    throw wrongType(name, expected, value)
  // a getter may say another length each time, and a loop up to it would never end
  const iterate = (value as { [Symbol.iterator]?: unknown })[Symbol.iterator]
  if ((value as ArrayLike<T>).length !== length || (iterate !== undefined && typeof iterate !== 'function'))
    throw wrongType(name, expected, value)
  if (length > MAX_LIST) throw outOfRange(name, `${expected}, at most ${MAX_LIST} entries`, value)
  return value as ArrayLike<T>
}

/** The values of anything that can be iterated, but not the characters of a string. */
export function iterable<T = unknown>(name: string, value: unknown, expected: string): Iterable<T> {
  const fits = typeof value === 'object' && value !== null && Symbol.iterator in value
  if (!fits || (isTypedArray(value) && isDetached(value))) throw wrongType(name, expected, value)
  return bounded(name, value as unknown as Iterable<T>, expected)
}

/** Yields the values of an iterator that may be broken, or never end. */
function* bounded<T>(name: string, values: Iterable<T>, expected: string): Generator<T> {
  const { length, size, [Symbol.iterator]: begin } = values as unknown as Record<PropertyKey, unknown>
  const said = Number(length ?? size)
  const most = said >= 0 ? Math.min(said, MAX_LIST) : MAX_ITERATED
  const iterator = Object(typeof begin === 'function' && begin.call(values)) as Partial<Iterator<T>>
  for (let count = 0; ; count++) {
    const step: unknown = typeof iterator.next === 'function' && iterator.next()
    if (Object(step) !== step) throw wrongType(name, expected, values)
    const { done, value } = step as IteratorResult<T>
    if (done) return
    if (count === most) throw outOfRange(name, `${expected}, at most ${most} entries`, values)
    yield value
  }
}

/** Text of at most `most` characters. */
export function text(name: string, value: unknown, most: number = MAX_TEXT): string {
  if (typeof value !== 'string') throw wrongType(name, 'a string', value)
  if (value.length > most)
    throw outOfRange(name, `a string of at most ${most} characters`, `${value.length} characters`)
  return value
}

/** A function. */
export function callable<T>(name: string, value: T, expected: string): T {
  if (typeof value !== 'function') throw wrongType(name, expected, value)
  return value
}

/** True or false. */
export function boolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrongType(name, 'true or false', value)
  return value
}

/** Puts into words what `number` accepts. */
export function numberRange(low: number, high: number, open = false): string {
  if (high === Number.POSITIVE_INFINITY) return open ? `a number above ${low}` : `a number of at least ${low}`
  return `a number in ${open ? `(${low}, ${high})` : `[${low}, ${high}]`}`
}

/** A number in [low, high]; `open` leaves out both ends. */
export function number(name: string, value: unknown, low: number, high: number, open = false): number {
  // what was expected is put into words for errors only: they take longer than a tail
  if (typeof value !== 'number') throw wrongType(name, numberRange(low, high, open), value)
  const inside = open ? value > low && value < high : value >= low && value <= high
  if (!inside) throw outOfRange(name, numberRange(low, high, open), value)
  return value
}

/** Puts into words what `integer` accepts. */
export const integerRange = (low: number, high: number): string =>
  `an integer ${high >= Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `in [${low}, ${high}]`}`

/** An integer in [low, high]. */
export function integer(
  name: string,
  value: unknown,
  low: number,
  high: number = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value !== 'number') throw wrongType(name, integerRange(low, high), value)
  if (!Number.isSafeInteger(value) || value < low || value > high)
    throw outOfRange(name, integerRange(low, high), value)
  return value
}

/** Puts into words what `oneOf` accepts. */
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
