/** Values that no function expects, or that few do. Made anew for every call, so that none is changed by the one before. */
import * as fc from 'fast-check'

/** What the getters and traps of hostile values throw: an error of the caller's own making. */
export class OwnError extends Error {}

const fail = (): never => {
  throw new OwnError('thrown by the value itself')
}

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
