/**
 * The declaration: a watermark is declared once, and generation, detection, its property suite, its row in every table and
 * its line in the throughput report are derived from it.
 */
import type { Detector } from './detect/detector.ts'
import { outOfRange, printable, wrongType } from './input.ts'
import type { Random } from './keys/random.ts'
import type { ContextRule } from './keys/rule.ts'
import type { Context, KeySchedule, Site } from './keys/schedule.ts'

/** A code with its share of an average. */
export interface Weighted<Code> {
  readonly code: Code
  readonly weight: number
}

/**
 * A score function may carry faster ways to score many tokens, the same scores to rounding, as its properties. They belong to the
 * function: whoever declares another score is not left with the old ones.
 */
export interface ManyScores<Code> {
  /** All tokens under one code. */
  many?(tokens: ArrayLike<number>, code: Code, out: Float64Array): void
  /** Each token under a code of its own: `code(i)` draws that of tokens[i], valid until the next one is drawn. */
  each?(tokens: ArrayLike<number>, code: (i: number) => Code, out: Float64Array): void
  /** The score of a token as a function of one or two words of its position's randomness: the very same to the last bit. */
  readonly words?: WordScore<Code>
}

/** A score that is a function of words. */
export interface WordScore<Code> {
  /** It is about the codes that this draws: no other part of the randomness decides the score. */
  readonly draw: Watermark<Code>['draw']
  /** Which words of a token, one or two, as pairs: those at `(token & and) ^ xor` for `[and, xor, and, xor]`. */
  readonly indices: readonly number[]
  /** The score; NaN where two words do not tell it. Where it has a compiled twin (src/kernels/text-words.ts), it names it. */
  readonly score: ((first: number, second: number) => number) & { readonly compiled?: 'evidence' }
}

/**
 * The law of a marked token's score in closed form, for a model whose next-token distribution is p, over random keys and the
 * token drawn: what power and the length that a text needs are computed from.
 */
export interface MarkedScore {
  mean(p: Float64Array): number
  /** P(score >= s). */
  tail(p: Float64Array, s: number): number
  /** Scores are whole numbers from 0 to this. Absent: any numbers of at least 0. */
  readonly most?: number
  /** The parts that it is about, noted by `defineWatermark`: a copy that changes one of them has no closed form. */
  readonly of?: { readonly draw: unknown; readonly reweight: unknown; readonly score: unknown }
}

interface Parts<Code> {
  /** The claim that the suite gates: over random keys the mean of q is p, exactly. */
  readonly unbiased: boolean
  /**
   * The length of text up to which the claim is about whole texts; absent: any length. 1 where each step is unbiased and
   * texts are not. Shipped methods claim what their context rule allows: `context.freshUpTo`.
   */
  readonly unbiasedUpTo?: number
  /** Whether `draw` reads the secret key itself (`site.key`), as some published codes must. Default: it never sees it. */
  readonly needsKey?: boolean
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
  /** The law of a marked token's score, where it has a closed form. */
  readonly markedScore?: MarkedScore
}

/** Either `reweight` (write q) or `choose` (q is a point mass: name its token); a complete watermark has both. */
type Reweighting<Code> =
  | {
      reweight(p: Float64Array, code: Code, q: Float64Array): void
      choose?(p: Float64Array, code: Code): number
    }
  | {
      choose(p: Float64Array, code: Code): number
      reweight?(p: Float64Array, code: Code, q: Float64Array): void
    }

/** What an author writes of one watermark, without its name and the randomness that it gets. */
export type DeclaredParts<Code> = Parts<Code> & Reweighting<Code>

interface Named {
  /** Unique and printable, such as `dipmark(alpha=0.4)`: what tables and file names show. */
  readonly id: string
  /** Which secret randomness a position gets. */
  readonly context: ContextRule
}

/** What an author writes. A complete watermark is one, so that a copy can be declared: `{ ...gumbel(), id: 'mine' }`. */
export type Declaration<Code> = Named &
  DeclaredParts<Code> & {
    /** What the key schedule separates by: method, context rule and the parameters that shape the code. Default: `id`. */
    readonly domain?: string
  }

/** A complete watermark. */
export interface Watermark<Code = unknown> extends Named, Parts<Code> {
  readonly domain: string
  /** Writes q = F(p, code), whole; p is not touched. */
  reweight(p: Float64Array, code: Code, q: Float64Array): void
  /** The token that gets all mass, for methods whose q is a point mass. */
  choose?(p: Float64Array, code: Code): number
}

/** A watermark whose code type is its own business: what lists and tables hold. */
// biome-ignore lint/suspicious/noExplicitAny: a Watermark<Code> is invariant in Code, so a mixed list has no other type
export type AnyWatermark = Watermark<any>

/** What a code sees in place of a key that it does not declare to need. */
const NO_KEY = new Uint8Array(0)

const isFunction = (value: unknown): boolean => typeof value === 'function'
const isLengthOrNothing = (value: unknown): boolean =>
  value === undefined || (Number.isInteger(value) && Number(value) >= 1)

/** For each reweight that was made from a choose, that one. */
const chosenBy = new WeakMap<object, unknown>()

/** The reweight of a point mass. */
function pointMass<Code>(choose: (p: Float64Array, code: Code) => number): Watermark<Code>['reweight'] {
  const reweight: Watermark<Code>['reweight'] = (p, code, q) => {
    q.fill(0)
    q[choose(p, code)] = 1
  }
  chosenBy.set(reweight, choose)
  return reweight
}

function validate(d: Record<string, unknown>): void {
  const fail = (field: string, expected: string): never => {
    throw wrongType(`defineWatermark: ${field}`, expected, d[field])
  }
  if (typeof d.id !== 'string' || d.id.trim() === '') fail('id', 'a printable name')
  if (typeof d.unbiased !== 'boolean') fail('unbiased', 'true or false: the claim that is tested')
  if (!isLengthOrNothing(d.unbiasedUpTo)) fail('unbiasedUpTo', 'a whole number of tokens, at least 1')
  // NUL separates domains from what the key schedule adds to them
  for (const name of ['domain', 'id'])
    if (d[name] !== undefined && (typeof d[name] !== 'string' || d[name].includes('\0')))
      fail(name, 'a string without NUL characters')
  const rule = d.context as Record<string, unknown> | undefined
  if (!isFunction(rule?.begin) || !isFunction(rule?.scored))
    fail('context', 'a context rule such as ngram(2)')
  if (!isLengthOrNothing(rule?.freshUpTo))
    fail('context', 'a context rule whose freshUpTo is a whole number of tokens, at least 1')
  if (!isFunction(d.draw)) fail('draw', 'a function (random, vocabSize, site) => code')
  if (!isFunction(d.score)) fail('score', 'a function (token, code) => number')
  // the reweight of a complete watermark that has both was made from its choose
  const written = isFunction(d.reweight) && !chosenBy.has(d.reweight as object)
  if (written === isFunction(d.choose))
    fail(
      d.reweight === undefined ? 'choose' : 'reweight',
      'either reweight(p, code, q) or choose(p, code), not both',
    )
  const detector = d.detector as Record<string, unknown> | undefined
  if (detector !== undefined && !isFunction(detector?.test))
    fail('detector', 'a detector such as sumDetector({ nullLaw: binomial(1 / 2) }), or undefined')
  const { context } = d as unknown as Named
  if (isFunction(detector?.follows) && !(detector as unknown as Detector).follows!(context))
    throw outOfRange(
      `${printable(d.id as string)}: context`,
      `a rule that a detector of the kind '${detector!.id}' can follow${context.foundBy ? ` (this one takes '${context.foundBy}')` : ''}`,
      context.id,
    )
  if (d.needsKey !== undefined && typeof d.needsKey !== 'boolean') fail('needsKey', 'true or false')
  const marked = d.markedScore as Record<string, unknown> | undefined
  if (marked !== undefined && !(isFunction(marked?.mean) && isFunction(marked.tail)))
    fail('markedScore', 'an object with the functions mean(p) and tail(p, s)')
  for (const field of ['orbit', 'enumerate'])
    if (d[field] !== undefined && !isFunction(d[field])) fail(field, 'a function or nothing')
}

/** Checks a declaration and completes it. Shipped methods come here directly; `declareWatermark` is what authors call. */
export function defineWatermark<Code>(declaration: Declaration<Code>): Watermark<Code> {
  if (typeof declaration !== 'object' || declaration === null)
    throw wrongType('defineWatermark', 'a declaration', declaration)
  validate(declaration as unknown as Record<string, unknown>)
  const { draw, score, choose, markedScore } = declaration
  const reweight =
    choose === undefined || (declaration.reweight && chosenBy.get(declaration.reweight) === choose)
      ? declaration.reweight!
      : pointMass(choose)
  return {
    ...declaration,
    domain: declaration.domain ?? declaration.id,
    reweight,
    ...(markedScore && { markedScore: { of: { draw, reweight, score }, ...markedScore } }),
  }
}

/** The closed form of the law of a marked token's score; undefined where there is none, or where a copy changed what it is about. */
export function closedForm<Code>(watermark: Watermark<Code>): MarkedScore | undefined {
  const { markedScore, draw, reweight, score } = watermark
  const of = markedScore?.of ?? watermark
  return of.draw === draw && of.reweight === reweight && of.score === score ? markedScore : undefined
}

/**
 * The code of one position under a key: the one place where a key's randomness becomes a code.
 * @param random the position's randomness, where a hot loop has it already
 */
export function codeAt<Code>(
  watermark: Pick<Watermark<Code>, 'draw' | 'needsKey'>,
  schedule: KeySchedule,
  vocabSize: number,
  context: Context,
  random: Random = schedule.random(context),
): Code {
  return watermark.draw(random, vocabSize, {
    shared: schedule.shared,
    context,
    key: watermark.needsKey ? schedule.key : NO_KEY,
  })
}

/** Checks that a value is a complete watermark, as `defineWatermark` returns it. */
export function requireWatermark(value: unknown, name = 'watermark'): void {
  const w = value as Partial<Watermark> | null | undefined
  const complete =
    typeof w === 'object' &&
    w !== null &&
    typeof w.id === 'string' &&
    typeof w.domain === 'string' &&
    isFunction(w.draw) &&
    isFunction(w.score) &&
    isFunction(w.reweight) &&
    (w.detector === undefined || isFunction(w.detector?.test)) &&
    isFunction(w.context?.begin) &&
    isFunction(w.context?.scored)
  if (complete) return
  throw wrongType(name, 'a watermark such as gumbel() or what defineWatermark returns', value)
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
