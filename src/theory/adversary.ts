/**
 * Adversaries that know the key and look for the fewest edits that undo a detection: exhaustive over all texts within some
 * edits, which is exact on small worlds, and a beam search for longer texts, whose success is an upper bound. Certificates are
 * tested against both.
 */
import type { DetectOptions } from '../core/detect/index.ts'
import type { Tokens } from '../core/keys/index.ts'
import { checkSeed, checkTokens, type Stream, seededRandom } from '../core/keys/index.ts'
import { integer, outOfRange, requireOptions } from '../input.ts'
import type { Watermark } from '../watermark.ts'
import { checkKinds, type EditKind, edited, editKinds, editsOf } from './edits.ts'
import { type KeyedDetector, keyedDetector } from './keyed-detector.ts'

export interface AdversaryOptions extends Omit<DetectOptions, 'end'> {
  /** Kinds of edits that are allowed; default all. */
  readonly kinds?: readonly EditKind[]
  /** Give up beyond this many edits. */
  readonly most: number
}

/** The result of an adversary. */
export interface AttackResult {
  /** The number of edits after which the text was no longer detected; undefined where none within `most` did. */
  readonly edits: number | undefined
  /** The text found with the largest p-value. */
  readonly tokens: readonly number[]
  readonly logPValue: number
}

interface Candidate {
  readonly tokens: readonly number[]
  readonly logPValue: number
}

function judge(detector: KeyedDetector) {
  return (tokens: readonly number[]): Candidate & { detected: boolean } => {
    const { logPValue, detected } = detector.detect(tokens)
    return { tokens, logPValue, detected }
  }
}

/** The most texts that one search judges, and the most that it keeps after an edit. */
const MAX_TEXTS = 1_000_000
const MAX_WIDTH = 10_000

const SHARED = ['key', 'vocabSize', 'alpha', 'skip', 'runs', 'kinds', 'most'] as const

/** Counts the edits of the given kinds that a text has. */
const editsFrom = (length: number, tokens: number, kinds: readonly EditKind[]): number =>
  kinds.reduce(
    (sum, kind) =>
      sum + (kind === 'deletion' ? length : kind === 'insertion' ? (length + 1) * tokens : length * tokens),
    0,
  )

const everyToken = (vocabSize: number): number[] => Array.from({ length: vocabSize }, (_, i) => i)

const tooMany = ({ most }: AdversaryOptions): RangeError =>
  outOfRange(
    'most',
    `few enough edits to judge at most ${MAX_TEXTS} texts (beamAttack takes longer ones)`,
    most,
  )

/**
 * Tries every text within `most` edits. The result is the true smallest number. The number of texts grows like
 * (2 V length)^edits: for small worlds.
 * @example
 * const watermark = kgw({ delta: 6 })
 * const model = markovModel({ vocabSize: 4, entropy: 1 })
 * const [{ tokens }] = await generate(model, [0], { watermark, key: 'secret', maxNewTokens: 16, seed: 1 })
 * exhaustiveAttack(watermark, tokens, { key: 'secret', vocabSize: 4, alpha: 0.05, most: 2 }).edits // 1
 */
export function exhaustiveAttack<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  options: AdversaryOptions,
): AttackResult {
  requireOptions('exhaustiveAttack', options, SHARED)
  const most = integer('most', options.most, 0)
  const kinds = checkKinds(options.kinds ?? editKinds)
  const test = judge(keyedDetector(watermark, options))
  checkTokens(tokens, options.vocabSize)
  if (most > 0 && editsFrom(tokens.length, options.vocabSize, kinds) > MAX_TEXTS) throw tooMany(options)
  const replacements = everyToken(options.vocabSize)
  const first = test(Array.from(tokens))
  let best: Candidate = first
  if (!first.detected) return { edits: 0, ...best }
  const seen = new Set([first.tokens.join()])
  let frontier: (readonly number[])[] = [first.tokens]
  for (let edits = 1; edits <= most && frontier.length > 0; edits++) {
    const next: (readonly number[])[] = []
    for (const text of frontier)
      for (const edit of editsOf(text, replacements, kinds)) {
        const after = edited(text, edit)
        const name = after.join()
        if (seen.has(name)) continue
        if (seen.size === MAX_TEXTS) throw tooMany(options)
        seen.add(name)
        next.push(after)
        const result = test(after)
        if (result.logPValue > best.logPValue) best = result
        if (!result.detected) return { edits, ...best }
      }
    frontier = next
  }
  return { edits: undefined, ...best }
}

export interface BeamOptions extends AdversaryOptions {
  /** Texts kept after each edit; 1 is a greedy search. Default 4. */
  readonly width?: number
  /** Tokens tried at each place, drawn anew for each edit; default 8, or all of a smaller vocabulary. */
  readonly candidates?: number
  /** Places tried for each edit: half of them where the scores are highest, half drawn anew. Default: all. */
  readonly places?: number
  readonly seed?: number | string
}

/** Tokens from an edit on whose scores it acts on, roughly. */
const WINDOW = 4

/** Chooses places of a text: half where the scores are highest, half at random. */
function somePlaces(perToken: Float64Array, count: number, stream: Stream): Set<number> {
  const gain = (at: number): number =>
    perToken.subarray(at, at + WINDOW).reduce((sum, score) => sum + (score || 0), 0)
  const gains = Float64Array.from(perToken, (_, at) => gain(at))
  const best = [...gains.keys()].sort((a, b) => gains[b]! - gains[a]!).slice(0, Math.ceil(count / 2))
  const others = Array.from({ length: Math.floor(count / 2) }, () => stream.below(perToken.length + 1))
  return new Set([...best, ...others])
}

/** Texts judged for each one kept; the rest are told apart by their margin alone, which is far cheaper. */
const JUDGED_PER_KEPT = 4

/**
 * Searches edit by edit, keeping the texts with the largest p-values. The result bounds the smallest number of edits from above. For
 * detectors that sum scores.
 * @example
 * const watermark = kgw({ delta: 4 })
 * const model = markovModel({ vocabSize: 64, entropy: 3 })
 * const [{ tokens }] = await generate(model, [0], { watermark, key: 'secret', maxNewTokens: 60, seed: 1 })
 * beamAttack(watermark, tokens, { key: 'secret', vocabSize: 64, alpha: 0.01, most: 20, width: 1 }).edits // 6
 */
export function beamAttack<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  options: BeamOptions,
): AttackResult {
  requireOptions('beamAttack', options, [...SHARED, 'width', 'candidates', 'places', 'seed'])
  const most = integer('most', options.most, 0)
  const width = integer('width', options.width ?? 4, 1, MAX_WIDTH)
  const candidates = integer('candidates', options.candidates ?? 8, 1)
  if (options.places !== undefined) integer('places', options.places, 1)
  const kinds = checkKinds(options.kinds ?? editKinds)
  const { seed = 0 } = options
  checkSeed(seed)
  const stream = seededRandom(seed, 'adversary')
  const detector = keyedDetector(watermark, options)
  checkTokens(tokens, options.vocabSize)
  const tried = Math.min(options.vocabSize, candidates)
  if (most > 0 && width * editsFrom(tokens.length, tried, kinds) > MAX_TEXTS * 10)
    throw outOfRange('candidates', `few enough to try at most ${MAX_TEXTS * 10} texts per edit`, candidates)
  const test = judge(detector)
  const first = test(Array.from(tokens))
  if (!first.detected) return { edits: 0, tokens: first.tokens, logPValue: first.logPValue }
  let beam: Candidate[] = [first]
  for (let edits = 1; edits <= most; edits++) {
    const replacements =
      tried === options.vocabSize
        ? everyToken(tried)
        : [...new Set(Array.from({ length: tried }, () => stream.below(options.vocabSize)))]
    const margins = new Map<string, { tokens: number[]; margin: number }>()
    for (const { tokens: text } of beam) {
      const some =
        options.places === undefined || options.places > text.length
          ? undefined
          : somePlaces(detector.detect(text).perToken, options.places, stream)
      for (const edit of editsOf(text, replacements, kinds)) {
        if (some !== undefined && !some.has(edit.at)) continue
        const after = edited(text, edit)
        margins.set(after.join(), { tokens: after, margin: detector.margin(after) })
      }
    }
    const promising = [...margins.values()]
      .sort((a, b) => a.margin - b.margin)
      .slice(0, JUDGED_PER_KEPT * width)
    if (promising.length === 0) break
    const judged = promising.map((candidate) => test(candidate.tokens))
    const escaped = judged.find(({ detected }) => !detected)
    if (escaped) return { edits, tokens: escaped.tokens, logPValue: escaped.logPValue }
    beam = judged.sort((a, b) => b.logPValue - a.logPValue).slice(0, width)
  }
  return { edits: undefined, tokens: beam[0]!.tokens, logPValue: beam[0]!.logPValue }
}
