/**
 * Distributions over large vocabularies, described by a rule of a few numbers: what a person reads in a counterexample instead of
 * 50,257 fractions, and what makes the same distribution again.
 */

import { seededRandom, shuffled } from '../../../core/keys/index.ts'
import { integer, number, oneOf, refuseUnknown } from '../../../input.ts'
import { nextTokenShapes, RANKS, STEPS } from './next-token-shapes.ts'

interface Sized {
  readonly vocabSize: number
}

/** The order of ids: 0, ids in order of probability; any other number seeds a random order. */
interface Ordered extends Sized {
  readonly order: number
}

/** A shape and its numbers: see `distributionOf`. */
export type DistributionRule =
  | (Sized & { readonly shape: 'uniform' })
  /** Probability in proportion to rank^-exponent. */
  | (Ordered & { readonly shape: 'zipf'; readonly exponent: number })
  /** One token has `top`, the others fall off as 1/rank. */
  | (Ordered & { readonly shape: 'heavy'; readonly top: number })
  /** Zipf cut off after its k most probable tokens: the others have no mass. */
  | (Ordered & { readonly shape: 'top-k'; readonly exponent: number; readonly k: number })
  /** The special ids have `top` in equal parts, all others what is left: a floor. */
  | (Sized & { readonly shape: 'special'; readonly top: number })
  /** A next-token distribution of the embedded model: `row` of its shapes, stretched to the vocabulary. */
  | (Ordered & { readonly shape: 'model'; readonly row: number })

/** The number of rows of the shape 'model'. */
export const MODEL_ROWS = nextTokenShapes.length

/**
 * Ids that implementations treat apart: the first ones, newlines and spaces, the ends of texts and of turns (GPT-2, GPT-4, Llama 3, Qwen), the ends of
 * 16 bits, the last.
 */
export const specialIds = (vocabSize: number): number[] => {
  const ends = [50_256, 100_257, 128_001, 128_009, 151_643, 151_645]
  const ids = [0, 1, 2, 3, 13, 198, 220, ...ends, 2 ** 16 - 1, 2 ** 16, vocabSize - 1]
  return [...new Set(ids)].filter((id) => id < vocabSize)
}

/** Mass at a rank (from 1), not normalised. */
function massOf(rule: DistributionRule): (rank: number) => number {
  switch (rule.shape) {
    case 'uniform':
      return () => 1
    case 'zipf':
      return (rank) => rank ** -rule.exponent
    case 'top-k':
      return (rank) => (rank <= rule.k ? rank ** -rule.exponent : 0)
    case 'heavy': {
      const rest = Array.from({ length: rule.vocabSize - 1 }, (_, i) => 1 / (i + 2)).reduce(
        (a, b) => a + b,
        0,
      )
      return (rank) => (rank === 1 ? rule.top : (1 - rule.top) / rank / rest)
    }
    case 'special': {
      const special = new Set(specialIds(rule.vocabSize))
      const others = rule.vocabSize - special.size
      return (rank) => (special.has(rank - 1) ? rule.top / special.size : (1 - rule.top) / others)
    }
    case 'model':
      return modelMass(rule.row, rule.vocabSize)
  }
}

/** Between the ranks that are kept, bits are interpolated in log rank; log ranks are stretched from the model's vocabulary. */
function modelMass(row: number, vocabSize: number): (rank: number) => number {
  const bits = nextTokenShapes[row]!
  const logs = RANKS.map(Math.log)
  const stretch = logs.at(-1)! / Math.log(vocabSize)
  return (rank) => {
    const x = Math.min(logs.at(-1)!, stretch * Math.log(rank))
    const i = Math.max(
      1,
      logs.findIndex((log) => log >= x),
    )
    const share = (x - logs[i - 1]!) / (logs[i]! - logs[i - 1]!)
    return 2 ** (-(bits[i - 1]! + share * (bits[i]! - bits[i - 1]!)) / STEPS)
  }
}

/** The id of each rank. */
function idsOf(rule: DistributionRule): Uint32Array {
  const ids = Uint32Array.from({ length: rule.vocabSize }, (_, i) => i)
  if (!('order' in rule) || rule.order === 0) return ids
  return shuffled(ids, seededRandom(rule.order, 'order'))
}

/** The numbers of each shape, besides the size of the vocabulary. */
const SHAPES = {
  uniform: [],
  zipf: ['order', 'exponent'],
  heavy: ['order', 'top'],
  special: ['top'],
  'top-k': ['order', 'exponent', 'k'],
  model: ['order', 'row'],
} as const

/** The largest vocabulary of a rule. */
const MAX_TOKENS = 2 ** 24

function checkRule(rule: DistributionRule): void {
  refuseUnknown('rule', rule ?? null, ['shape', 'vocabSize', 'order', 'exponent', 'top', 'k', 'row'])
  const shape = oneOf('rule.shape', rule.shape, Object.keys(SHAPES) as (keyof typeof SHAPES)[])
  const size = integer('rule.vocabSize', rule.vocabSize, shape === 'uniform' ? 1 : 2, MAX_TOKENS)
  const checks: Readonly<Record<string, (name: string, value: unknown) => number>> = {
    order: (name, value) => integer(name, value, 0),
    exponent: (name, value) => number(name, value, 0, 20),
    top: (name, value) => number(name, value, 0, 1),
    k: (name, value) => integer(name, value, 1, size),
    row: (name, value) => integer(name, value, 0, MODEL_ROWS - 1),
  }
  for (const name of SHAPES[shape])
    checks[name]!(`rule.${name}`, (rule as unknown as Record<string, unknown>)[name])
}

/**
 * The distribution of a rule, as a counterexample names it.
 * @example distributionOf({ shape: 'zipf', vocabSize: 3, exponent: 1, order: 0 })[1] // 0.27272727272727276
 */
export function distributionOf(rule: DistributionRule): Float64Array {
  checkRule(rule)
  const { vocabSize } = rule
  const mass = massOf(rule)
  const ids = idsOf(rule)
  const p = new Float64Array(vocabSize)
  for (let rank = 0; rank < vocabSize; rank++) p[ids[rank]!] = mass(rank + 1)
  const total = p.reduce((sum, x) => sum + x, 0)
  for (let i = 0; i < vocabSize; i++) p[i]! /= total
  return p
}

/** A rule as the call that makes its distribution. */
export const renderRule = (rule: DistributionRule): string =>
  `distributionOf({ ${Object.entries(rule)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? `'${value}'` : value}`)
    .join(', ')} })`
