import { boolean, integer, number, outOfRange, refuseUnknown } from '../../input.ts'
import type { Detector, Evidence, NullLaw } from '../../watermark.ts'
import { type Alignment, alignmentGain, bestAlignment } from '../kernels/alignment.ts'
import { logEditBound } from './edit-bound.ts'
import { checkLaw } from './null-laws.ts'
import { logShiftBound } from './shift-bound.ts'

export interface AlignmentDetectorOptions {
  /** Entries of the key list. */
  readonly keyLength: number
  /** Length of the blocks of text that are aligned. Default: the whole text. */
  readonly block?: number
  /** Cost of leaving out a token or a key entry; a pair costs minus its score. */
  readonly penalty: number
  /** Law of one score (or one that dominates it), given the text: enables the shift bound for small p-values. */
  readonly shiftLaw?: NullLaw
  /**
   * Also bet on alignments with insertions and deletions, which gives small p-values after such edits as well. Needs a `shiftLaw` with a moment-generating function, and that scores of
   * different entries are independent. Default false.
   */
  readonly edits?: boolean
  /** A permutation test stops when this many runs did at least as well. Default 10. */
  readonly enough?: number
}

/** The longest key list. Every entry is scored with every token type of a text, in every run. */
export const MAX_KEY_LENGTH = 1 << 16

/** The most pairs of a token and a key entry of one alignment: 1 GiB of scores, about a minute of work. */
const MAX_PAIRS = 2 ** 27

/** Entries of the key list that are scored before their results are laid out: their rows then lie close together. */
const AT_ONCE = 16

/** Scores of the text's tokens under every entry of the key list: `[t * keyLength + j]`. Each type is scored once. */
function gains(
  evidence: Evidence,
  tokens: readonly number[],
  keyLength: number,
  run: number,
  out: Float64Array,
): void {
  const types = Int32Array.from(new Set(tokens))
  const index = new Map(Array.from(types, (token, k) => [token, k]))
  const place = tokens.map((token) => index.get(token)!)
  const columns = Array.from({ length: AT_ONCE }, () => new Float64Array(types.length))
  for (let first = 0; first < keyLength; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, keyLength - first)
    for (let k = 0; k < count; k++) evidence.scores(types, [first + k], run, columns[k]!)
    for (let t = 0; t < tokens.length; t++)
      for (let k = 0; k < count; k++) out[t * keyLength + first + k] = columns[k]![place[t]!]!
  }
}

/** ln of what is guaranteed without a permutation: the shift bound, or twice the smaller of it and the edit bound. */
function logBound(
  law: NullLaw | undefined,
  edits: boolean,
  gain: Float64Array,
  tokens: number,
  keyLength: number,
): number {
  if (law === undefined) return 0
  const shift = logShiftBound(law, gain, tokens, keyLength)
  return edits ? Math.LN2 + Math.min(shift, logEditBound(law, gain, tokens, keyLength)) : shift
}

/** Enough runs to reach alpha after the factor 2 of the combination; more is the shift bound's business. */
const usualRuns = (alpha: number): number => Math.min(199, Math.ceil(2 / alpha) - 1)

/**
 * Aligns the text with the key list, allowing edits. The null law depends on how the text repeats itself, so the p-value
 * comes from the same statistic under other keys (taken from the secret: deterministic):
 *
 * - permutation: (1 + k) / (1 + runs), k runs that did at least as well; stopped at `enough` of them after l runs it is
 *   enough / l (Besag and Clifford 1991), so clear negatives cost few runs;
 * - the shift bound, guaranteed without any run, for the small p-values that a permutation test cannot reach;
 * - with `edits`, the same for texts with insertions and deletions (edit-bound.ts); each bound then has half the share;
 * - combined min(1, 2 min(bound, permutation)). Where the bound is below what any permutation could give, none is run.
 * @example alignmentDetector({ keyLength: 256, penalty: 1 }).id // 'alignment'
 */
export function alignmentDetector(options: AlignmentDetectorOptions): Detector {
  refuseUnknown('alignmentDetector', options, [
    'keyLength',
    'block',
    'penalty',
    'shiftLaw',
    'edits',
    'enough',
  ])
  const keyLength = integer('keyLength', options?.keyLength, 1, MAX_KEY_LENGTH)
  const penalty = number('penalty', options.penalty, 0, Number.POSITIVE_INFINITY)
  if (options.block !== undefined) integer('block', options.block, 1)
  const enough = integer('enough', options.enough ?? 10, 1)
  const { shiftLaw } = options
  if (shiftLaw !== undefined) checkLaw('shiftLaw', shiftLaw)
  const edits = boolean('edits', options.edits ?? false)
  if (edits && shiftLaw?.logMgf === undefined)
    throw outOfRange('edits', 'false without a shiftLaw that has a moment-generating function', edits)
  return {
    id: 'alignment',
    bound: Number.POSITIVE_INFINITY,
    follows: ({ foundBy }) => foundBy === 'alignment',
    test(evidence) {
      const tokens = Array.from(evidence.tokens).filter((_, t) => evidence.contexts[t] !== undefined)
      const perToken = new Float64Array(evidence.tokens.length).fill(Number.NaN)
      if (tokens.length === 0) return { statistic: 0, logPValue: 0, exact: true, scored: 0, perToken }
      if (tokens.length * keyLength > MAX_PAIRS)
        throw outOfRange(
          'tokens',
          `at most ${Math.floor(MAX_PAIRS / keyLength)} scored tokens for a key list of ${keyLength}`,
          tokens.length,
        )
      const gain = new Float64Array(tokens.length * keyLength)
      const block = Math.min(options.block ?? tokens.length, tokens.length)
      const problem = { gain, tokens: tokens.length, keyLength, block, penalty }
      const best = (run: number): Alignment => {
        gains(evidence, tokens, keyLength, run, gain)
        return bestAlignment(problem)
      }
      const runs = evidence.runs ?? usualRuns(evidence.alpha)
      const own = best(0)
      const statistic = alignmentGain(problem, own)
      const bound = logBound(shiftLaw, edits, gain, tokens.length, keyLength)
      const permutation = (): number => {
        let asGood = 0
        for (let run = 1; run <= runs; run++) {
          if (best(run).statistic >= own.statistic) asGood++
          if (asGood === enough) return Math.log(enough / run)
        }
        return Math.log((1 + asGood) / (1 + runs))
      }
      const least = -Math.log(1 + runs)
      const logPValue =
        shiftLaw === undefined
          ? permutation()
          : Math.log(2) + (bound <= least ? bound : Math.min(bound, permutation()))
      return { statistic, logPValue: Math.min(0, logPValue), exact: false, scored: tokens.length, perToken }
    },
  }
}
