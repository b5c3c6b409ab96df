/**
 * The declaration: a watermark is declared once, and generation, detection, its property suite, its row in every table and
 * its line in the throughput report are derived from it.
 */
import type { Detector } from './detect/detector.ts'
import { wrongType } from './input.ts'
import type { Random } from './keys/random.ts'
import type { ContextRule } from './keys/rule.ts'
import type { Site } from './keys/schedule.ts'

/** A code with its share of an average. */
export interface Weighted<Code> {
  readonly code: Code
  readonly weight: number
}

/**
 * A score function may carry a faster way to score many tokens under one code, as its property `many`. It belongs to the function:
 * whoever declares another score is not left with the old one.
 */
export interface ManyScores<Code> {
  many?(tokens: ArrayLike<number>, code: Code, out: Float64Array): void
}

interface Parts<Code> {
  /** Unique and printable, such as `dipmark(alpha=0.4)`: what tables and file names show. */
  readonly id: string
  /** The claim that the suite gates: over random keys the mean of q is p, exactly. */
  readonly unbiased: boolean
  /**
   * The length of text up to which the claim is about whole texts; absent: any length. 1 where each step is unbiased and
   * texts are not. Shipped methods claim what their context rule allows: `context.freshUpTo`.
   */
  readonly unbiasedUpTo?: number
  /** Which secret randomness a position gets. */
  readonly context: ContextRule
  /** The code of one position. */
  draw(random: Random, vocabSize: number, site: Site): Code
  /** One token's evidence under its code; higher is more. */
  score(token: number, code: Code): number
  /** How scores become a p-value; undefined only where there is nothing to detect. */
  readonly detector: Detector | undefined
  /**
   * Codes that the key could as well have drawn, whose average of q is exactly p: makes unbiasedness checkable without
   * sampling. Contains the given code. Plain codes weigh the same.
   */
  orbit?(code: Code, p: Float64Array): Iterable<Code> | Iterable<Weighted<Code>>
  /** Every code with its probability, where a small vocabulary has few: makes the bias of a biased method exact. */
  enumerate?(vocabSize: number): Iterable<Weighted<Code>>
}

/** What an author writes. Either `reweight` (write q) or `choose` (q is a point mass: name its token). */
export type Declaration<Code> = Parts<Code> & {
  /** What the key schedule separates by: method, context rule and the parameters that shape the code. Default: `id`. */
  readonly domain?: string
} & (
    | { reweight(p: Float64Array, code: Code, q: Float64Array): void; choose?: never }
    | { choose(p: Float64Array, code: Code): number; reweight?: never }
  )

/** A complete watermark. */
export interface Watermark<Code = unknown> extends Parts<Code> {
  readonly domain: string
  /** Writes q = F(p, code), whole; p is not touched. */
  reweight(p: Float64Array, code: Code, q: Float64Array): void
  /** The token that gets all mass, for methods whose q is a point mass. */
  choose?(p: Float64Array, code: Code): number
}

const isFunction = (value: unknown): boolean => typeof value === 'function'

function validate(d: Record<string, unknown>): void {
  const fail = (field: string, expected: string): never => {
    throw wrongType(`defineWatermark: ${field}`, expected, d[field])
  }
  if (typeof d.id !== 'string' || d.id.trim() === '') fail('id', 'a printable name')
  if (typeof d.unbiased !== 'boolean') fail('unbiased', 'true or false: the claim that is tested')
  if (d.unbiasedUpTo !== undefined && !(Number.isInteger(d.unbiasedUpTo) && Number(d.unbiasedUpTo) >= 1))
    fail('unbiasedUpTo', 'a whole number of tokens, at least 1')
  if (d.domain !== undefined && typeof d.domain !== 'string') fail('domain', 'a string')
  const rule = d.context as Record<string, unknown> | undefined
  if (typeof rule !== 'object' || rule === null || !isFunction(rule.begin) || !isFunction(rule.scored))
    fail('context', 'a context rule such as ngram(2)')
  if (rule?.freshUpTo !== undefined && !(Number.isInteger(rule.freshUpTo) && Number(rule.freshUpTo) >= 1))
    fail('context', 'a context rule whose freshUpTo is a whole number of tokens, at least 1')
  if (!isFunction(d.draw)) fail('draw', 'a function (random, vocabSize, site) => code')
  if (!isFunction(d.score)) fail('score', 'a function (token, code) => number')
  if (isFunction(d.reweight) === isFunction(d.choose))
    fail(
      d.reweight === undefined ? 'choose' : 'reweight',
      'either reweight(p, code, q) or choose(p, code), not both',
    )
  const detector = d.detector as Record<string, unknown> | undefined
  if (
    detector !== undefined &&
    (typeof detector !== 'object' || detector === null || !isFunction(detector.test))
  )
    fail('detector', 'a detector such as sumDetector({ nullLaw: binomial(1 / 2) }), or undefined')
  for (const field of ['orbit', 'enumerate'])
    if (d[field] !== undefined && !isFunction(d[field])) fail(field, 'a function or nothing')
}

/**
 * Declares a watermark.
 * @example
 * const mine = defineWatermark({
 *   id: 'mine',
 *   unbiased: true,
 *   context: ngram(2),
 *   draw: (random) => random,
 *   reweight: (p, random, q) => { ... },
 *   score: (token, random) => random.uint32(token) >>> 31,
 *   detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
 * })
 */
export function defineWatermark<Code>(declaration: Declaration<Code>): Watermark<Code> {
  if (typeof declaration !== 'object' || declaration === null)
    throw wrongType('defineWatermark', 'a declaration', declaration)
  validate(declaration as unknown as Record<string, unknown>)
  const domain = declaration.domain ?? declaration.id
  const { choose } = declaration
  if (choose === undefined) return { ...declaration, domain } as Watermark<Code>
  return {
    ...declaration,
    domain,
    choose,
    reweight(p, code, q) {
      q.fill(0)
      q[choose(p, code)] = 1
    },
  }
}

/**
 * The claim in words, as tables print it.
 * @example claimOf(expEdit()) // 'unbiased up to 256 tokens'
 */
export function claimOf({ unbiased, unbiasedUpTo }: Pick<Watermark, 'unbiased' | 'unbiasedUpTo'>): string {
  if (!unbiased) return 'biased'
  if (unbiasedUpTo === undefined) return 'unbiased'
  return unbiasedUpTo === 1 ? 'each step unbiased' : `unbiased up to ${unbiasedUpTo} tokens`
}

/** The orbit of a code with weights that sum to 1, whatever form the declaration gives it; undefined where it has none. */
export function weightedOrbit<Code>(
  watermark: Watermark<Code>,
  code: Code,
  p: Float64Array,
): Weighted<Code>[] | undefined {
  if (watermark.orbit === undefined) return undefined
  const members = Array.from<unknown, Weighted<Code>>(watermark.orbit(code, p), (member) => {
    const weighted = typeof member === 'object' && member !== null && 'code' in member && 'weight' in member
    return weighted ? (member as Weighted<Code>) : { code: member as Code, weight: 1 }
  })
  const total = members.reduce((sum, { weight }) => sum + weight, 0)
  return members.map((member) => ({ code: member.code, weight: member.weight / total }))
}
