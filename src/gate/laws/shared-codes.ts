/**
 * Codes that collide. N contexts under one key, and one context under N keys, have N codes; if there are only K codes, about N^2 / 2K
 * pairs are equal (the birthday paradox), so N = 2^14 sees up to about 2^26 codes.
 *
 * A code is seen through the scores of many tokens, in blocks. A pilot under independent keys and contexts says how often two codes
 * agree on a block. Blocks are made wide enough that this happens in at most one of eight pairs, and any two blocks agree together
 * in at most one of sixteen. Two independent codes whose blocks are independent then agree on all of them with
 * probability at most 8^-BLOCKS = 2^-72: one equal pair among 2^33 is evidence at 2^-39, below the share of this test. Codes that never
 * get there (one coin per position, one green token in 300) say too little, and nothing is concluded.
 *
 * Contexts may share codes by design: if all codes of a key lie in one orbit, their mean is p whatever the key, and a text is unbiased
 * although there are few. Such a key is told by its codes, each of them a member of the orbit of another.
 */
import {
  type Context,
  Expansion,
  keySchedule,
  labelSeed,
  type Stream,
  seededRandom,
  walk,
} from '../../core/keys/index.ts'
import { codeAt, type Watermark, weightedOrbit } from '../../watermark.ts'
import { randomTokens, secretKey } from './codes.ts'
import { Violation } from './for-all.ts'
import type { Effort, Trial } from './law.ts'

const BLOCKS = 24
/** Tokens of a block, as few as tell codes apart. */
const WIDTHS = [1, 4, 10, 40] as const
const PILOT = 192
const MOST_AGREE = 1 / 8
const MOST_AGREE_TWICE = 1 / 16

/** Vocabularies, and the number of contexts and keys tried in each. A code may cost a step per token: large ones are tried with fewer. */
const BIRTHDAYS: Readonly<Record<Effort, readonly { vocabSize: number; count: number }[]>> = {
  quick: [
    { vocabSize: 1_009, count: 2 ** 11 },
    { vocabSize: 262_144, count: 2 ** 7 },
  ],
  usual: [
    { vocabSize: 1_009, count: 2 ** 14 },
    { vocabSize: 262_144, count: 2 ** 8 },
  ],
  thorough: [
    { vocabSize: 1_009, count: 2 ** 17 },
    { vocabSize: 262_144, count: 2 ** 11 },
  ],
}

/** Tokens of a text that contexts are taken from: few, so that there are many texts, unless a rule begins late. */
const SHORT = 40
const LONG = 300
/** Texts without a new context after which a rule is taken to have no more. */
const PATIENCE = 12
/** Differences that a hash may lose: neighbours, ids that are equal in their last bits or modulo the size of a vocabulary, and the order (0). */
const SHIFTS = [1, 256, 4_096, 65_536, 131_072, 50_257, 0] as const

/** Returns a random text, and the same one with some tokens shifted or with its tokens in reverse order. */
function alike(vocabSize: number, length: number, shift: number, stream: Stream): [number[], number[]] {
  const by = shift < vocabSize ? shift : 0
  const text = [...randomTokens(vocabSize - by, length, stream)]
  return [text, by === 0 ? text.toReversed() : text.map((token) => token + by * stream.below(2))]
}

/** Returns up to `count` different contexts of random texts and of texts like them. */
export function manyContexts(
  { context: rule }: Pick<Watermark, 'context'>,
  vocabSize: number,
  count: number,
  stream: Stream,
): Context[] {
  const found = new Map<string, Context>()
  for (let i = 0, idle = 0; idle < PATIENCE && found.size < count; i++) {
    const length = i === 0 || found.size > 0 ? SHORT : LONG
    const before = found.size
    for (const text of alike(vocabSize, length, SHIFTS[i % SHIFTS.length]!, stream)) {
      const perText = new Expansion(labelSeed('law', stream.uint32()))
      let own = 0
      for (const context of walk(rule, text, { perText })) {
        if (context !== undefined) {
          found.set(context.join(), [...context])
          own++
        }
        if (found.size === count) return [...found.values()]
        // every difference gets its share of a small number
        if (own > count / (2 * SHIFTS.length)) break
      }
    }
    idle = found.size > before ? 0 : idle + 1
  }
  return [...found.values()]
}

/** Writes the scores of tokens under a code. */
function scoresOf<Code>({ score }: Watermark<Code>, code: Code, tokens: Int32Array): Float64Array {
  return Float64Array.from(tokens, (token) => score(token, code))
}

/** Finds tokens whose scores tell codes apart, from codes under independent keys; undefined where none do. */
function tellingTokens<Code>(
  watermark: Watermark<Code>,
  vocabSize: number,
  contexts: readonly Context[],
  seed: number,
): Int32Array | undefined {
  const most = WIDTHS.at(-1)!
  const { below } = seededRandom(seed, 'tokens of a fingerprint')
  const tokens = Int32Array.from({ length: BLOCKS * most }, () => below(vocabSize))
  const pilot = Array.from({ length: PILOT }, (_, i) => {
    const schedule = keySchedule(secretKey(seed, -1 - i), watermark.domain)
    return scoresOf(watermark, codeAt(watermark, schedule, vocabSize, contexts[i % contexts.length]!), tokens)
  })
  const width = WIDTHS.find((wide) => differ(pilot, wide))
  return width === undefined ? undefined : tokens.subarray(0, BLOCKS * width)
}

/** Returns whether blocks of this width seldom agree, alone and two together. */
function differ(pilot: readonly Float64Array[], width: number): boolean {
  const together = new Float64Array(BLOCKS * BLOCKS)
  const agree: number[] = []
  let pairs = 0
  for (let i = 1; i < pilot.length; i++)
    for (let j = 0; j < i; j++, pairs++) {
      agree.length = 0
      for (let b = 0; b < BLOCKS; b++) {
        let k = b * width
        while (k < (b + 1) * width && pilot[i]![k] === pilot[j]![k]) k++
        if (k === (b + 1) * width) agree.push(b)
      }
      for (const a of agree) for (const b of agree) together[a * BLOCKS + b]!++
    }
  return together.every(
    (count, i) => count <= pairs * (i % (BLOCKS + 1) === 0 ? MOST_AGREE : MOST_AGREE_TWICE),
  )
}

/** A hash of numbers; equal ones are compared again. */
function hashOf(scores: Float64Array): number {
  const words = new Uint32Array(scores.buffer)
  let [a, b] = [0x9e3779b9, 0x7f4a7c15]
  for (const word of words) {
    a = Math.imul(a ^ word, 0x85ebca6b)
    a ^= a >>> 15
    b = Math.imul(b ^ a ^ (word >>> 7), 0xc2b2ae35)
    b ^= b >>> 13
  }
  return (a >>> 0) * 2 ** 21 + (b >>> 11)
}

interface Shared {
  /** Codes that an earlier one equals. */
  readonly repeated: number
  /** The two that differ least. */
  readonly first: number
  readonly second: number
}

/** Looks for equal codes among `count`; `distance` says how much two of them differ in what they are codes of. */
async function equalCodes(
  count: number,
  scores: (i: number) => Float64Array,
  distance: (i: number, j: number) => number,
  trial: Trial,
): Promise<Shared | undefined> {
  const seen = new Map<number, number>()
  let shared: Shared | undefined
  for (let i = 0; i < count; i++) {
    const own = scores(i)
    const hash = hashOf(own)
    const before = seen.get(hash)
    if (before === undefined) seen.set(hash, i)
    else if (scores(before).every((score, k) => Object.is(score, own[k]))) {
      const closer = shared === undefined || distance(before, i) < distance(shared.first, shared.second)
      const [first, second] = closer ? [before, i] : [shared!.first, shared!.second]
      shared = { repeated: (shared?.repeated ?? 0) + 1, first, second }
    }
    if (i % 16 === 0) await trial.breathe()
  }
  return shared
}

/** Contexts whose codes are looked for in the orbit of another. */
const MEMBERS = 12

/** Returns whether the codes of these contexts lie in one declared orbit. */
function inOneOrbit<Code>(
  watermark: Watermark<Code>,
  codeOf: (context: Context) => Code,
  contexts: readonly Context[],
  tokens: Int32Array,
  vocabSize: number,
): boolean {
  const [first, ...others] = contexts.slice(0, MEMBERS + 1)
  const uniform = new Float64Array(vocabSize).fill(1 / vocabSize)
  const orbit = weightedOrbit(watermark, codeOf(first!), uniform) ?? []
  const members = new Set(orbit.map(({ code }) => hashOf(scoresOf(watermark, code, tokens))))
  return others.every((context) => members.has(hashOf(scoresOf(watermark, codeOf(context), tokens))))
}

/** The fewest repeated codes that are too many: 1, or more if the declaration says that seeds are short. */
function tooMany({ seedBits }: Pick<Watermark, 'seedBits'>, count: number, level: number): number {
  if (seedBits === undefined) return 1
  // the i-th code is an earlier one with probability at most i / 2^bits, whatever came before: Chernoff's bound
  const expected = (count * (count - 1)) / 2 ** (seedBits + 1)
  let least = Math.ceil(expected) + 1
  while (least - expected - least * Math.log(least / expected) > Math.log(level)) least++
  return least
}

const listed = (context: Context): string => `[${context.join(', ')}]`

/** Throws where two contexts, or two keys, share a code; returns how many keys it took. */
export async function codesAreFresh<Code>(
  watermark: Watermark<Code>,
  level: number,
  trial: Trial,
): Promise<number> {
  const share = level / (2 * BIRTHDAYS[trial.effort].length)
  let taken = 0
  for (const { vocabSize, count } of BIRTHDAYS[trial.effort]) {
    const stream = seededRandom(trial.seed, `contexts of ${vocabSize} tokens`)
    const contexts = manyContexts(watermark, vocabSize, count, stream)
    if (contexts.length === 0) return taken
    const tokens = tellingTokens(watermark, vocabSize, contexts, trial.seed)
    if (tokens === undefined) return taken
    const under = (key: number, context: Context): Float64Array => {
      const schedule = keySchedule(secretKey(trial.seed, key), watermark.domain)
      return scoresOf(watermark, codeAt(watermark, schedule, vocabSize, context), tokens)
    }
    if (!watermark.context.sharesCodes) {
      const schedule = keySchedule(secretKey(trial.seed, 0), watermark.domain)
      const codeOf = (context: Context): Code => codeAt(watermark, schedule, vocabSize, context)
      const found = await equalCodes(
        contexts.length,
        (i) => scoresOf(watermark, codeOf(contexts[i]!), tokens),
        (i, j) => contexts[i]!.filter((x, k) => x !== contexts[j]![k]).length,
        trial,
      )
      const many = found !== undefined && found.repeated >= tooMany(watermark, contexts.length, share)
      if (many && !inOneOrbit(watermark, codeOf, contexts, tokens, vocabSize)) {
        const [one, two] = [contexts[found.first]!, contexts[found.second]!]
        throw new Violation(
          `two contexts share a code: ${listed(one)} and ${listed(two)}; ${asIf(found.repeated, contexts.length, 'contexts under one key', vocabSize)}`,
        )
      }
    }
    const found = await equalCodes(
      count,
      (i) => under(i, contexts[0]!),
      () => 0,
      trial,
    )
    taken += PILOT + count + 1
    if (found !== undefined && found.repeated >= tooMany(watermark, count, share))
      throw new Violation(
        `two keys share a code: '${secretKey(trial.seed, found.first)}' and '${secretKey(trial.seed, found.second)}' in the context ${listed(contexts[0]!)}; ${asIf(found.repeated, count, 'keys', vocabSize)}`,
      )
  }
  return taken
}

/** Says how many codes would collide as often: K of which `count` draws have about count - repeated different ones. */
function asIf(repeated: number, count: number, things: string, vocabSize: number): string {
  const different = (codes: number): number => codes * -Math.expm1(-count / codes)
  let codes = count * count
  while (codes > 1 && different(codes) > count - repeated) codes /= 1.05
  const about = codes < 1e6 ? Number(codes.toPrecision(2)).toLocaleString('en') : codes.toPrecision(2)
  return `${repeated === 1 ? 'one' : repeated} of ${count.toLocaleString('en')} ${things} had the code of an earlier one (vocabulary of ${vocabSize}), as if there were about ${about} codes`
}
