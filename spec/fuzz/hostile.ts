/** Values that no function expects, or that few do. Made anew for every call, so that none is changed by the one before. */
import * as fc from 'fast-check'

/** What a value that never ends throws in the end: whoever sees it has asked without a bound. */
export class EndlessError extends Error {}

/** What the getters and traps of hostile values throw: an error of the caller's own making. */
export class OwnError extends Error {}

const fail = (): never => {
  throw new OwnError('thrown by the value itself')
}

/** More than any function may ask for. */
const ENDLESS = 5e7

/** Counts calls; one that asks without an end is caught. */
function endlessly<T>(value: (i: number) => T): () => T {
  let calls = 0
  return () => {
    if (calls++ > ENDLESS) throw new EndlessError('asked without an end')
    return value(calls)
  }
}

/** An iterator whose `next` is the given function. */
const iterating = (next: unknown) => ({ [Symbol.iterator]: () => ({ next }) })

/** A proxy whose every property is another, all the way down. */
const proxies = (target: object, ask = endlessly(() => undefined)): object =>
  new Proxy(target, {
    get(_, name) {
      ask()
      if (name === Symbol.toPrimitive) return fail
      return name === Symbol.iterator ? undefined : proxies(target, ask)
    },
    has: () => true,
  })

function detached(): Uint8Array {
  const array = new Uint8Array(8)
  structuredClone(array, { transfer: [array.buffer] })
  return array
}

const makers: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  false: () => false,
  NaN: () => Number.NaN,
  '-0': () => -0,
  '0': () => 0,
  '1': () => 1,
  '2': () => 2,
  '-1': () => -1,
  '0.5': () => 0.5,
  '1.5': () => 1.5,
  '1e-300': () => 1e-300,
  '5e-324': () => Number.MIN_VALUE,
  '2^31': () => 2 ** 31,
  '2^32': () => 2 ** 32,
  '2^53': () => 2 ** 53,
  '1e308': () => 1e308,
  Infinity: () => Number.POSITIVE_INFINITY,
  '-Infinity': () => Number.NEGATIVE_INFINITY,
  bigint: () => 3n,
  'a huge bigint': () => 10n ** 5000n,
  symbol: () => Symbol('hostile'),
  'an empty string': () => '',
  'a string': () => 'hostile',
  'a number as a string': () => '3',
  'control characters': () => '\u0000\u001b[31m\r\n\u202e',
  'a lone surrogate': () => '\ud800',
  '100 kB of blanks': () => ' '.repeat(100_000),
  '100 kB of letters': () => 'a'.repeat(100_000),
  '100 kB of parentheses': () => '('.repeat(100_000),
  'a function': () => () => 0,
  'a class': () => class {},
  'an object': () => ({}),
  'an object without a prototype': () => Object.create(null),
  'a frozen object': () => Object.freeze({ a: 1 }),
  'an object with a prototype of options': () => Object.create({ key: 'inherited', vocabSize: 4 }),
  __proto__: () => JSON.parse('{"__proto__": {"polluted": true}}'),
  'an unknown option': () => ({ hostile: 1 }),
  'a getter that throws': () => Object.defineProperty({}, 'length', { get: fail, enumerable: true }),
  'a proxy that throws': () =>
    new Proxy(
      {},
      { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail, getPrototypeOf: fail },
    ),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  'an empty array': () => [],
  'an array of one': () => [1],
  'numbers as text': () => ['1', '2'],
  'an array of NaN': () => [Number.NaN, Number.NaN],
  'an array of Infinity': () => [Number.POSITIVE_INFINITY, 1],
  'a sparse array': () => new Array(5),
  'a long sparse array': () => new Array(2 ** 32 - 1),
  'an array of arrays': () => [[1], [2, [3]]],
  'an array of null': () => [null, undefined],
  'an array of symbols': () => [Symbol('a')],
  'an array of bigints': () => [1n, 2n],
  'an array of objects': () => [Object.create(null)],
  'an array like no other': () => ({ length: -1 }),
  'an endless array': () => ({ length: Number.POSITIVE_INFINITY, 0: 1 }),
  'a long array-like': () => ({ length: 2 ** 53 - 1, 0: 1 }),
  'a detached array': detached,
  'a Float64Array': () => Float64Array.of(0.5, 0.5),
  'an empty Float64Array': () => new Float64Array(0),
  'negative probabilities': () => Float64Array.of(-1, 2),
  'a BigInt64Array': () => BigInt64Array.of(1n, 2n),
  'a DataView': () => new DataView(new ArrayBuffer(8)),
  'a Map': () => new Map([[1, 2]]),
  'a Set': () => new Set([1]),
  'a Date': () => new Date(0),
  'an invalid Date': () => new Date(Number.NaN),
  'a regular expression': () => /a/,
  'an error': () => new Error('hostile'),
  'a promise': () => Promise.resolve(1),
  'a cycle': () => {
    const list: unknown[] = []
    list.push(list)
    return list
  },
  'a deeply nested array': () => {
    let list: unknown[] = [1]
    for (let depth = 0; depth < 20_000; depth++) list = [list]
    return list
  },
  'a generator': () => [1, 2][Symbol.iterator](),
  'an iterator that throws': () => ({ [Symbol.iterator]: fail }),
  'an endless iterator of one id': () => iterating(endlessly(() => ({ done: false, value: 1 }))),
  'an endless iterator of new ids': () => iterating(endlessly((value) => ({ done: false, value }))),
  'an endless iterator of texts': () => iterating(endlessly(() => ({ done: false, value: [1, 2, 3] }))),
  'an iterator without next': () => ({ [Symbol.iterator]: () => ({}) }),
  'an iterator of undefined': () => iterating(() => undefined),
  'an iterator that breaks off': () =>
    iterating(endlessly((i) => (i > 3 ? fail() : { done: false, value: i }))),
  'an iterator that is a number': () => ({ [Symbol.iterator]: () => 7 }),
  'an iterator that is no function': () => ({ [Symbol.iterator]: 7 }),
  'proxies without an end': () => proxies({}),
  'a list of proxies without an end': () => [proxies({}), proxies([])],
  'a proxy of a list whose length grows': () => {
    const length = endlessly((i) => i + 2)
    return new Proxy([1, 2], { get: (list, name) => (name === 'length' ? length() : Reflect.get(list, 0)) })
  },
  'a list whose length changes': () => {
    let length = 3
    return {
      get length() {
        return length--
      },
      0: 1,
      1: 2,
      2: 3,
    }
  },
  'a getter that changes': () => {
    let value = 0
    return {
      get key() {
        return value++ ? undefined : 'a secret of sixteen bytes'
      },
      get vocabSize() {
        return 20 - 7 * value++
      },
    }
  },
  'a value that cannot be text': () => ({ toString: fail, valueOf: fail, [Symbol.toPrimitive]: fail }),
}

export interface Hostile {
  readonly name: string
  make(): unknown
}

const named: readonly Hostile[] = Object.entries(makers).map(([name, make]) => ({ name, make }))

/** A hostile value from the list, or any that fast-check comes up with. */
export const hostile = (): fc.Arbitrary<Hostile> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...named) },
    {
      weight: 1,
      arbitrary: fc
        .anything({
          withBigInt: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          maxDepth: 2,
        })
        .map((value) => ({ name: 'anything', make: () => value })),
    },
    {
      weight: 1,
      arbitrary: fc
        .oneof(fc.double(), fc.integer(), fc.string({ unit: 'binary', maxLength: 20 }))
        .map((value) => ({ name: 'a number or text', make: () => value })),
    },
  )
