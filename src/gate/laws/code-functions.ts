/**
 * Functions of what a code does, each with values in [0, 1]: how laws of codes are compared. What a code does is its q and the
 * scores of the tokens that p allows. Two laws that give every such function the same mean are the same law; here is a family that is
 * fixed before the keys of a test are drawn:
 * - cells: a random one of eight for each (q, scores), for laws of few outcomes;
 * - q and scores in random directions, apart and together, above their median or not, for laws of many outcomes;
 * - q(A) on the sets of tokens on which a bias is looked for;
 * - q and score of one token together, and the score that q expects: whether a mark is where the detector looks for it.
 */
import type { Stream } from '../../core/keys/index.ts'
import type { Watermark } from '../../watermark.ts'
import { Violation } from './for-all.ts'
import { tokenSets } from './token-sets.ts'

export interface CodeFunctions<Code> {
  readonly count: number
  /** Writes the value of each function at a code. */
  values(code: Code, out: Float64Array): void
  /** Says in words what a function is about. */
  describe(index: number): string
  /** Returns whether two codes do the same, up to rounding. */
  alike(a: Code, b: Code): boolean
}

const CELLS = 8
const DIRECTIONS = 8
/** Tokens whose q and score are looked at together. */
const SINGLE = 8

/** A cut between values that were seen, near their median: no value lies on it, so rounding cannot move one across. */
function cutBetween(values: readonly number[], share = 1 / 2): number {
  const sorted = [...values].sort((a, b) => a - b)
  const distinct = sorted.filter((v, i) => i === 0 || v - sorted[i - 1]! > 1e-6)
  if (distinct.length < 2) return Number.POSITIVE_INFINITY
  const near = sorted[Math.floor(share * (sorted.length - 1))]!
  const at = Math.min(
    distinct.length - 2,
    Math.max(
      0,
      distinct.findLastIndex((v) => v <= near),
    ),
  )
  return (distinct[at]! + distinct[at + 1]!) / 2
}

/** Murmur3's finaliser over one more number. */
function mixIn(hash: number, value: number): number {
  let h = Math.imul(hash ^ value, 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** q on a grid whose lines lie at no fraction: rounding in the last digit cannot cross one. */
const gridded = (q: number): number => Math.round(q * 1e6 * Math.SQRT1_2 + 0.2345)

/** The behaviour of a code: q, and scores as the share of cuts that lie below them. */
interface Behaviour {
  readonly q: Float64Array
  readonly level: Float64Array
}

/** One function: its name, and its value at what a code does. */
interface Function_ {
  readonly name: string
  value(behaviour: Behaviour): number
}

type Direction = Float64Array
function dot(a: Float64Array, b: Direction): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** Signs, larger on tokens that p holds improbable: a direction in which every token counts. */
const directionOf = (p: Float64Array, { uniform }: Stream): Direction =>
  Float64Array.from(p, (mass) => (mass === 0 ? 0 : (2 * uniform() - 1) / Math.sqrt(mass)))

const isAbove = (name: string, number: (b: Behaviour) => number, pilot: readonly Behaviour[]): Function_ => {
  const cut = cutBetween(pilot.map(number))
  return { name, value: (b) => (number(b) > cut ? 1 : 0) }
}

function inDirections(p: Float64Array, pilot: readonly Behaviour[], stream: Stream): Function_[] {
  return Array.from({ length: DIRECTIONS }, (_, i) => i).flatMap((i) => {
    const [r, s] = [directionOf(p, stream), directionOf(p.map(Math.sign), stream)]
    const spread = (values: readonly number[]): number => {
      const mean = values.reduce((a, b) => a + b, 0) / values.length
      return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length) || 1
    }
    const scale = spread(pilot.map(({ q }) => dot(q, r))) / spread(pilot.map(({ level }) => dot(level, s)))
    return [
      isAbove(`q in random direction ${i}`, ({ q }) => dot(q, r), pilot),
      isAbove(`scores in random direction ${i}`, ({ level }) => dot(level, s), pilot),
      isAbove(
        `q and scores in random direction ${i}`,
        ({ q, level }) => dot(q, r) + scale * dot(level, s),
        pilot,
      ),
    ]
  })
}

function ofTokens(tokens: readonly number[], pilot: readonly Behaviour[]): Function_[] {
  return tokens.slice(0, SINGLE).flatMap((i) => {
    const cut = cutBetween(pilot.map(({ q }) => q[i]!))
    return [
      {
        name: `q[${i}] times the score of token ${i}`,
        value: ({ q, level }: Behaviour) => q[i]! * level[i]!,
      },
      {
        name: `the score of token ${i} where q[${i}] is large`,
        value: ({ q, level }: Behaviour) => (q[i]! > cut ? level[i]! : 0),
      },
    ]
  })
}

function cells(tokens: readonly number[], { uint32 }: Stream): Function_[] {
  const salt = uint32()
  // the cell of the behaviour that was asked about last
  const last: { behaviour: Behaviour | undefined; cell: number } = { behaviour: undefined, cell: 0 }
  const cellOf = (behaviour: Behaviour): number => {
    let hash = salt
    for (const i of tokens) hash = mixIn(mixIn(hash, gridded(behaviour.q[i]!)), gridded(behaviour.level[i]!))
    return (hash >>> 0) % CELLS
  }
  return Array.from({ length: CELLS }, (_, cell) => ({
    name: `random cell ${cell} of (q, scores)`,
    value(behaviour) {
      if (cell === 0 || last.behaviour !== behaviour) {
        last.behaviour = behaviour
        last.cell = cellOf(behaviour)
      }
      return last.cell === cell ? 1 : 0
    },
  }))
}

/**
 * Functions of codes under p.
 * @param pilot codes to learn medians from, of keys that the test does not use
 */
export function codeFunctions<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  pilot: readonly Code[],
  stream: Stream,
): CodeFunctions<Code> {
  const tokens = Array.from(p.keys()).filter((i) => p[i]! > 0)
  const scores = pilot.flatMap((code) => tokens.map((token) => watermark.score(token, code)))
  if (scores.some(Number.isNaN)) throw new Violation('a score is NaN')
  const cuts = [...new Set([1 / 4, 1 / 2, 3 / 4].map((share) => cutBetween(scores, share)))]
  const behaviourOf = (code: Code, into: Behaviour): Behaviour => {
    watermark.reweight(p, code, into.q)
    for (const i of tokens) {
      const score = watermark.score(i, code)
      if (Number.isNaN(score)) throw new Violation(`the score of token ${i} is NaN`)
      let above = 0
      for (const cut of cuts) if (score > cut) above++
      into.level[i] = above / cuts.length
    }
    return into
  }
  const fresh = (): Behaviour => ({ q: new Float64Array(p.length), level: new Float64Array(p.length) })
  const seen = pilot.map((code) => behaviourOf(code, fresh()))
  const sets = tokenSets(p, stream.uint32())
  const named: Function_[] = [
    ...cells(tokens, stream),
    ...inDirections(p, seen, stream),
    ...ofTokens(tokens, seen),
    { name: 'the score that q expects', value: ({ q, level }) => Math.min(1, dot(q, level)) },
    isAbove('the score that q expects, above its median', ({ q, level }) => dot(q, level), seen),
  ]
  const masses = new Float64Array(sets.count)
  const scratch = fresh()
  return {
    count: named.length + sets.count,
    values(code, out) {
      behaviourOf(code, scratch)
      for (let j = 0; j < named.length; j++) out[j] = named[j]!.value(scratch)
      sets.project(scratch.q, masses)
      out.set(masses, named.length)
    },
    describe: (index) =>
      index < named.length ? named[index]!.name : `the mass of ${sets.describe(index - named.length).words}`,
    alike(a, b) {
      const [one, other] = [new Float64Array(p.length), new Float64Array(p.length)]
      watermark.reweight(p, a, one)
      watermark.reweight(p, b, other)
      const close = (x: number, y: number): boolean => x === y || Math.abs(x - y) <= 1e-6 * (1 + Math.abs(x))
      return tokens.every(
        (i) => close(one[i]!, other[i]!) && close(watermark.score(i, a), watermark.score(i, b)),
      )
    },
  }
}
