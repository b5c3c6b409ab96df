/** The bound for texts with insertions and deletions, against all ways to read a text, listed one by one with exact fractions. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logEditBound, logStake, Ways } from '../../src/core/detect/edit-bound.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import {
  type AnyWatermark,
  alignmentDetector,
  detect,
  expEdit,
  exponential,
  itsEdit,
  type NullLaw,
} from '../../src/index.ts'
import { centredUniform } from '../../src/watermarks/mechanisms/inverse.ts'
import { logRatio } from '../stats/exact.ts'
import { writeText } from '../theorems/texts.ts'

/** A fraction of integers. */
type Fraction = readonly [bigint, bigint]
const times = (a: Fraction, b: Fraction): Fraction => [a[0] * b[0], a[1] * b[1]]
const plus = (a: Fraction, b: Fraction): Fraction => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]]
const sum = (terms: readonly Fraction[]): Fraction => terms.reduce(plus, [0n, 1n])
const equal = (a: Fraction, b: Fraction): boolean => a[0] * b[1] === b[0] * a[1]

/** One way to read a text: its stake, and the entry that each token is paired with. */
interface Way {
  readonly stake: Fraction
  readonly entries: readonly (number | undefined)[]
}

/** Every way to read `tokens` tokens, as the header of edit-bound.ts defines them; `around`: a way may come round the list, and use an entry again. */
function* allWays(tokens: number, keyLength: number, rate: Fraction, around = false): Generator<Way> {
  const [n, half] = [BigInt(tokens), [1n, 2n] as Fraction]
  const size = Math.ceil(keyLength / 8)
  const rest = (count: number): undefined[] => new Array(count).fill(undefined)
  const turn = times(rate, half)
  /** From a way whose last pair is with place i of a list that ends at `end`; the next token is t. */
  function* from(way: Way, t: number, i: number, end: number, inserting: boolean): Generator<Way> {
    if (t === tokens) {
      yield way
      return
    }
    const then = (stake: Fraction, ...entries: (number | undefined)[]): Way => ({
      stake: times(way.stake, stake),
      entries: [...way.entries, ...entries],
    })
    yield then([1n, n], ...rest(tokens - t))
    const on = [n - 1n, n] as Fraction
    const pair = function* (place: number, stake: Fraction): Generator<Way> {
      if (place >= end) yield then(times(on, stake), ...rest(tokens - t))
      else yield* from(then(times(on, stake), place % keyLength), t + 1, place, end, false)
    }
    yield* from(then(times(on, inserting ? half : turn), undefined), t + 1, i, end, true)
    if (inserting) {
      yield* pair(i + 1, half)
      return
    }
    yield* pair(i + 1, [rate[1] - rate[0], rate[1]])
    let left = turn
    for (let d = 1; i + 1 + d < end; d++) {
      left = times(left, half)
      yield* pair(i + 1 + d, left)
    }
    // all longer ones: they lead beyond the end
    yield* pair(end, left)
  }
  for (let t = 0; t < tokens; t++)
    for (let entry = 0; entry < keyLength; entry++) {
      const begin: Fraction = tokens === 1 ? [1n, 1n] : t === 0 ? half : [1n, 2n * (n - 1n)]
      const first = entry - (entry % size)
      yield* from(
        { stake: times(begin, [1n, BigInt(keyLength)]), entries: [...rest(t), entry] },
        t + 1,
        entry,
        first + (around ? 3 : 1) * keyLength,
        false,
      )
    }
}

/** What a stake of 1 becomes, given what a pair of token t and entry j multiplies it by. */
const stakeOf = (ways: readonly Way[], factor: (t: number, j: number) => Fraction): Fraction =>
  sum(
    ways.map(({ stake, entries }) =>
      entries.reduce((product, j, t) => (j === undefined ? product : times(product, factor(t, j))), stake),
    ),
  )

const rate: Fraction = [1n, 8n]
const worlds = [
  [1, 3],
  [2, 2],
  [3, 3],
  [4, 2],
  [3, 9],
  [5, 4],
] as const

describe('the ways to read a text', () => {
  test.each(worlds)(
    '%i tokens, %i entries: stakes sum to 1, and no entry is used twice',
    (tokens, keyLength) => {
      const ways = [...allWays(tokens, keyLength, rate)]
      expect(equal(sum(ways.map(({ stake }) => stake)), [1n, 1n])).toBe(true)
      for (const { entries } of ways) {
        const used = entries.filter((j) => j !== undefined)
        expect(new Set(used).size).toBe(used.length)
      }
    },
  )
  test.each(worlds)('%i tokens, %i entries: one pass adds them all up', (tokens, keyLength) => {
    const ways = [...allWays(tokens, keyLength, rate)]
    fc.assert(
      fc.property(fc.array(fc.nat(40), { minLength: 45, maxLength: 45 }), (eighths) => {
        const [num, den] = stakeOf(ways, (t, j) => [BigInt(eighths[t * keyLength + j]!), 8n])
        const factors = (t: number, out: Float64Array): void => {
          for (let j = 0; j < keyLength; j++) out[j] = eighths[t * keyLength + j]! / 8
        }
        const computed = logStake(factors, tokens, keyLength, [1 / 8])
        if (num === 0n) expect(computed).toBe(Number.NEGATIVE_INFINITY)
        else expect(computed).toBeCloseTo(logRatio(num, den), 11)
      }),
      { numRuns: 10 },
    )
  })
  test('beyond the range of float64: a text of 32 tokens, each pair worth 2^40', () => {
    const [tokens, keyLength, one] = [32, 32, 1n << 300n]
    // the same chain with integers in units of 2^-300, one start at a time
    let total = 0n
    for (let part = 0; part < 8; part++) {
      let paired = new Array<bigint>(keyLength).fill(0n)
      let inserted = new Array<bigint>(keyLength).fill(0n)
      let ended = 0n
      for (let t = 0; t < tokens; t++) {
        const begin = t === 0 ? one / 64n : one / (2n * 31n * 32n)
        const next = new Array<bigint>(keyLength).fill(0n)
        const give = (place: number, stake: bigint): void => {
          if (place < keyLength) next[place]! += stake
          else ended += stake
        }
        const still = inserted.map((stake, i) => (stake * 31n) / 64n + (paired[i]! * 31n) / 512n)
        for (let i = 0; i < keyLength; i++) {
          ended += (paired[i]! + inserted[i]!) / 32n
          give(i + 1, (inserted[i]! * 31n) / 64n + (paired[i]! * 31n * 7n) / 256n)
          for (let d = 1; d < 150; d++) give(i + 1 + d, ((paired[i]! * 31n) / 512n) >> BigInt(d))
        }
        paired = next.map((stake, i) => (stake + (i < 4 ? begin : 0n)) << 40n)
        inserted = still
      }
      total += ended + [...paired, ...inserted].reduce((a, b) => a + b, 0n)
    }
    const computed = logStake((_, out) => out.fill(2 ** 40), tokens, keyLength, [1 / 8])
    expect(computed).toBeGreaterThan(800)
    expect(computed).toBeCloseTo(logRatio(total, one), 9)
  })
  test('with nothing to gain the stake stays what it is', () => {
    for (const [tokens, keyLength] of [
      [1, 1],
      [300, 5],
      [40, 256],
    ] as const)
      expect(logStake((_, out) => out.fill(1), tokens, keyLength, [1 / 64, 1 / 6])).toBeCloseTo(0, 11)
  })
})

/** The mean stake over all tables of fair factors 1/2 and 3/2, one per entry and token type, as the null has them. */
function meanStake(ways: readonly Way[], text: string, keyLength: number): Fraction {
  const types = [...new Set(text)]
  const cells = types.length * keyLength
  const tables = Array.from({ length: 2 ** cells }, (_, table) =>
    stakeOf(ways, (t, j) => [
      ((table >> (types.indexOf(text[t]!) * keyLength + j)) & 1 ? 3n : 1n) as bigint,
      2n,
    ]),
  )
  return times(sum(tables), [1n, BigInt(2 ** cells)])
}

describe('under the null the mean stake is 1, whatever the text repeats', () => {
  const texts = [
    ['aaa', 2],
    ['aba', 2],
    ['aab', 3],
    ['aaaa', 3],
  ] as const
  test.each(texts)('%s with %i entries', (text, keyLength) => {
    const ways = [...allWays(text.length, keyLength, rate)]
    expect(equal(meanStake(ways, text, keyLength), [1n, 1n])).toBe(true)
  })
  test('a mutant that comes round the list and uses entries again has more', () => {
    const [num, den] = meanStake([...allWays(4, 2, rate, true)], 'aaaa', 2)
    expect(Number((1000n * num) / den)).toBeGreaterThan(1020)
  })
  test('a mutant that does not divide its stake among the entries has more', () => {
    const undivided = new Ways(3, 0, 3, 1 / 8)
    for (let t = 0; t < 3; t++) undivided.add(Float64Array.of(1, 1, 1), t === 0 ? 1 / 2 : 1 / 4, 1 / 3)
    expect(undivided.logTotal).toBeGreaterThan(1)
  })
})

describe('bets', () => {
  test('scores of ITS-Edit: no place of a token has a larger moment-generating function', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 1e-3, max: 60, noNaN: true }),
        (v, h) => {
          // E e^(h (1 - |u - v|)), by parts
          const own = h + Math.log((2 - Math.exp(-h * v) - Math.exp(-h * (1 - v))) / h)
          expect(own).toBeLessThanOrEqual(centredUniform.logMgf!(h) + 1e-9)
        },
      ),
    )
    expect(centredUniform.logMgf!(2)).toBeCloseTo(2 + Math.log((2 - 2 * Math.exp(-1)) / 2), 12)
    expect(centredUniform.logMgf!(0)).toBe(0)
  })
  const laws: [string, NullLaw, (u: number) => number][] = [
    ['exponential', exponential(), (u) => -Math.log(u)],
    ['uniform', centredUniform, (u) => 1 - u / 2],
  ]
  /** P(bound <= 5%) <= 5%: 1,500 tables with fresh seeds, at a false-alarm rate of 1e-9; a true rate of 10.5% is found with probability 99.9%. The exact mean above says more. */
  test.each(laws)('%s: small bounds are rare under the null', (_, law, score) => {
    const random = seededRandom(crypto.getRandomValues(new Uint32Array(1))[0]!, 'edit bound')
    let small = 0
    for (let i = 0; i < 1500; i++) {
      const gain = Float64Array.from({ length: 6 * 8 }, () => score(random.uniform()))
      if (logEditBound(law, gain, 6, 8) <= Math.log(0.05)) small++
    }
    expect(logBinomialTail(small, 1500, 0.05)).toBeGreaterThan(Math.log(1e-9 / laws.length))
  })
})

describe('texts with insertions and deletions', () => {
  const [key, uniform] = ['a secret of sixteen bytes', new Float64Array(50).fill(1 / 50)]
  const edited = (tokens: readonly number[], kind: 'insert' | 'delete'): number[] =>
    tokens.flatMap((token, t) => (t % 9 !== 4 ? [token] : kind === 'delete' ? [] : [token, (7 * t) % 50]))
  const logP = (watermark: AnyWatermark, tokens: readonly number[]): number =>
    detect(watermark, tokens, { key, vocabSize: 50, runs: 19 }).logPValue
  test.each<[string, (detector: 'shift' | 'edits') => AnyWatermark, number]>([
    ['EXP-Edit', (detector) => expEdit({ keyLength: 128, detector }), 1e-24],
    ['ITS-Edit', (detector) => itsEdit({ keyLength: 128, detector }), 1e-4],
  ])('%s: p-values far below what the shift bound gives', (_, method, most) => {
    const tokens = writeText(method('shift'), uniform, 110, key, 1)
    for (const kind of ['insert', 'delete'] as const) {
      const found = logP(method('edits'), edited(tokens, kind))
      expect(found).toBeLessThan(Math.log(most))
      expect(found).toBeLessThan(logP(method('shift'), edited(tokens, kind)) - Math.log(1000))
    }
  })
  test('texts that were not edited lose a factor of 2 at most', () => {
    const tokens = writeText(expEdit({ keyLength: 64 }), uniform, 50, key, 2)
    const [shift, edits] = (['shift', 'edits'] as const).map((detector) =>
      logP(expEdit({ keyLength: 64, detector }), tokens),
    ) as [number, number]
    expect(edits).toBeLessThanOrEqual(shift + Math.LN2 + 1e-9)
  })
  test('the bound needs a law with a moment-generating function', () => {
    const { logMgf: _, ...law } = exponential()
    const options = { keyLength: 8, penalty: 1, edits: true }
    for (const shiftLaw of [undefined, law])
      expect(() => alignmentDetector({ ...options, ...(shiftLaw && { shiftLaw }) })).toThrow(
        'edits: expected false',
      )
  })
})
