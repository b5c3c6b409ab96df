/**
 * Reads the message of a text. Given the text and the map of positions to blocks, the codes of a block under each of its 2^b values are
 * independent of those of other blocks and, but for the value that was embedded, of the text. So
 *
 * - a block's p-value is the smallest of the exact tails of its 2^b sums, times 2^b, at most 1. On a text without the mark, and for naming
 *   a value that was not embedded, it is at most a with probability at most a (a union bound);
 * - blocks have disjoint contexts, so on a text without the mark their p-values are independent. Fisher's rule combines the n blocks that
 *   have a token: minus the sum of ln p is at most Gamma(n, 1) in distribution.
 */
import { integer, number, outOfRange, requireOptions, wrongType } from '../../input.ts'
import { type MessageFamily, requireWatermark, type ScoredText, type Watermark } from '../../watermark.ts'
import { bestCodeword, type CodeGroup } from '../keys/block-code.ts'
import { blockOf, messageBytes, tagged, tagOf, widthOf } from '../keys/message.ts'
import { MAX_VOCAB } from '../keys/random.ts'
import type { Tokens } from '../keys/rule.ts'
import type { Context } from '../keys/schedule.ts'
import { checkTokens } from '../keys/tokens.ts'
import { logGammaTail } from '../stats/log-gamma-tail.ts'
import { contextsUnder, cut, type DetectOptions } from './detect.ts'
import { lawFor } from './null-laws.ts'
import { type Scored, scorer } from './scorer.ts'
import { logTailOf } from './sum-detector.ts'

/** The options of `detect`, but for the runs of permutation tests. */
export type DecodeOptions = Omit<DetectOptions, 'runs'>

/** A block of the message. */
export interface DecodedBlock {
  /** The value that fits the text best. */
  readonly value: number
  /** On a text of some message, P(the value is wrong and pValue <= a) <= a for every a; on an unmarked text, P(pValue <= a) <= a. */
  readonly pValue: number
  readonly logPValue: number
  /** The number of tokens that were scored in this block. */
  readonly scored: number
  /** True if the code gave another value than the block's own tokens. */
  readonly corrected: boolean
  /** The certificate: this many token edits, whatever they are, leave the value as it is. 0 with a code, and where scores have no bound. */
  readonly edits: number
}

/** The result of `decode`. */
export interface Decoded {
  /** The message that fits the text best: bits / 8 bytes, rounded up, the most significant first. It means nothing unless `detected`. */
  readonly message: Uint8Array
  /** The message as text, without zero bytes at its ends; undefined where it is not UTF-8 that can be printed. */
  readonly text: string | undefined
  /** P(pValue <= a) <= a for every a when the text does not depend on the key: the claim is that it carries any message. */
  readonly pValue: number
  readonly logPValue: number
  /** True if pValue <= alpha. */
  readonly detected: boolean
  readonly blocks: readonly DecodedBlock[]
  /** The blocks under another name. */
  readonly bits: readonly DecodedBlock[]
  /** The number of tokens that were scored. */
  readonly scored: number
}

/** The scored positions of a text in order, and the block of each. */
interface SplitText {
  readonly tokens: Int32Array
  readonly contexts: readonly Context[]
  readonly blockAt: Float64Array
}

/** Returns the text of a message. */
export function textOf(message: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(message)
    const inner = text.replace(/^\0+|\0+$/g, '')
    return inner === '' || /\p{C}/u.test(inner) ? undefined : inner
  } catch {
    return undefined
  }
}

/** Returns contexts with room for a tag: one list where the text has the very same one. */
function withRoom(contexts: readonly Context[]): number[][] {
  const copies: number[][] = []
  for (const [k, context] of contexts.entries())
    copies.push(context === contexts[k - 1] ? copies[k - 1]! : tagged(context, 0))
  return copies
}

/** Returns for each block that the text carries the sum of scores under each value. */
function sumsOf<Code>(
  { base, ...layout }: MessageFamily<Code>,
  { tokens, contexts, blockAt }: SplitText,
  { key, vocabSize }: DecodeOptions,
): Float64Array[] {
  const { bound } = base.detector!
  const { scoreEach, scoresUnder } = scorer(base, key, vocabSize)
  const own = withRoom(contexts)
  // neighbours of one context share its list, which `scoreEach` seeds once; all others are faster together
  const isShared = own.some((context, k) => k > 0 && context === own[k - 1])
  const values = 2 ** widthOf(layout)
  const sums = Array.from({ length: layout.carried }, () => new Float64Array(values))
  let scores: Float64Array = new Float64Array(tokens.length)
  for (let value = 0; value < values; value++) {
    const tags = sums.map((_, block) => tagOf(layout, block, value))
    for (let k = 0; k < own.length; k++) own[k]![own[k]!.length - 1] = tags[blockAt[k]!]!
    if (isShared) scores = scoreEach(tokens, own)
    else scoresUnder(tokens, own, scores)
    for (let k = 0; k < scores.length; k++) {
      const score = scores[k]!
      if (!(score >= 0 && score <= bound))
        throw outOfRange(`score of token ${tokens[k]}`, `a number in [0, ${bound}]`, score)
      sums[blockAt[k]!]![value]! += score
    }
  }
  return sums
}

/** Splits a text by the words of its contexts, which a code that is the block itself draws. */
function split<Code>(watermark: Watermark<Code>, text: Tokens, options: DecodeOptions): SplitText {
  const { context: rule, domain, detector } = watermark
  const layout = watermark.messages!
  const tokens: number[] = []
  const contexts: Context[] = []
  for (const [t, context] of contextsUnder(rule, options)(text, options.prompt).entries()) {
    if (context === undefined || detector!.keyless?.(context)) continue
    tokens.push(text[t]!)
    contexts.push(context)
  }
  const map: Scored<number> = {
    domain,
    draw: (random) => blockOf(random, layout),
    score: (_, block) => block,
  }
  const blockAt = scorer(map, options.key, options.vocabSize).scoreEach(tokens, contexts)
  return { tokens: Int32Array.from(tokens), contexts, blockAt }
}

/** Returns the part of a text that belongs to each block. */
function partsOf({ tokens, contexts, blockAt }: SplitText, blocks: number): ScoredText[] {
  const parts = Array.from({ length: blocks }, () => ({
    tokens: [] as number[],
    contexts: [] as Context[],
  }))
  for (const [k, block] of blockAt.entries()) {
    parts[block]!.tokens.push(tokens[k]!)
    parts[block]!.contexts.push(contexts[k]!)
  }
  return parts
}

/** Returns ln of the p-value of all blocks together, by Fisher's rule over those that have a token. */
export function logFisher(blocks: readonly Pick<DecodedBlock, 'scored' | 'logPValue'>[]): number {
  const tested = blocks.filter(({ scored }) => scored > 0)
  const sum = tested.reduce((total, { logPValue }) => total - logPValue, 0)
  return tested.length === 0 ? 0 : Math.min(0, logGammaTail(sum, tested.length))
}

/** Returns the value of the largest sum. */
const best = (sums: Float64Array): number =>
  sums.reduce((top, sum, value) => (sum > sums[top]! ? value : top), 0)

/** The evidence for each value of each block. */
interface BlockReader {
  readonly sums: readonly Float64Array[]
  logTail(block: number, value: number): number
  scoredOf(block: number): number
  /** The most by which one edit changes a sum. */
  readonly scores: number
}

/** Returns the number of edits that leave the value ahead: each lowers its sum, and raises another one's, by as much as all scores that it touches. */
function certifiedEdits(sums: Float64Array, value: number, change: number): number {
  const second = sums.reduce((top, sum, other) => (other === value ? top : Math.max(top, sum)), 0)
  const lead = sums[value]! - second
  return lead > 0 && Number.isFinite(change) ? Math.ceil(lead / (2 * change)) - 1 : 0
}

/**
 * Reads the blocks of one codeword. A value that was not embedded has a tail of its own, times 2^b. A codeword that was not embedded differs from
 * it in d = n - k + 1 blocks or more, whose tails are independent: minus the sum of ln of its d largest tails is at most Gamma(d, 1), times the number
 * of codewords. The smaller of the two counts, times 2.
 */
function readGroup(
  group: CodeGroup,
  width: number,
  { sums, logTail, scoredOf, scores }: BlockReader,
): DecodedBlock[] {
  const { members, size } = group
  const own = members.map((block) => sums[block]!)
  const word = bestCodeword(group, own, width)
  const tails = members.map((block, place) => logTail(block, word[place]!))
  const distance = members.length - size + 1
  const largest = [...tails].sort((a, b) => b - a).slice(0, distance)
  const evidence = largest.reduce((sum, tail) => sum - tail, 0)
  const isCoded = members.length > 1
  const logOfWord = isCoded ? size * width * Math.LN2 + logGammaTail(evidence, distance) : 0
  return word.slice(0, size).map((value, place) => {
    const alone = width * Math.LN2 + tails[place]!
    const logPValue = Math.min(0, isCoded ? Math.LN2 + Math.min(alone, logOfWord) : alone)
    const corrected = isCoded && value !== best(own[place]!)
    const edits = isCoded ? 0 : certifiedEdits(own[place]!, value, scores)
    return {
      value,
      pValue: Math.exp(logPValue),
      logPValue,
      scored: scoredOf(members[place]!),
      corrected,
      edits,
    }
  })
}

/**
 * Reads the message of a text that was written by a watermark `withMessage`, and tests whether it carries one at all. Deterministic.
 * @example
 * const named = withMessage(gumbel(), { bits: 16 })
 * const tokens = Array.from({ length: 100 }, (_, t) => (t * t) % 997)
 * decode(named, tokens, { key: 'a long secret key', vocabSize: 50257 }).detected // false: nothing was embedded
 */
export function decode<Code>(watermark: Watermark<Code>, tokens: Tokens, options: DecodeOptions): Decoded {
  requireWatermark(watermark)
  requireOptions('decode', options, ['key', 'vocabSize', 'alpha', 'prompt', 'skip', 'excludeContexts', 'end'])
  const { messages, context: rule, detector } = watermark
  if (messages === undefined)
    throw wrongType(
      'watermark',
      'one that carries a message, such as withMessage(gumbel(), { bits: 64 })',
      watermark.id,
    )
  const { alpha = 0.01, end } = options
  const vocabSize = integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  number('alpha', alpha, 0, 1, true)
  if (end !== undefined) integer('end', end, 0)
  checkTokens(tokens, vocabSize)
  if (options.prompt !== undefined) checkTokens(options.prompt, vocabSize, 'prompt')
  const parts = split(watermark, cut(tokens, end), options)
  const law = lawFor(detector!.nullLaw!, vocabSize)
  const sums = sumsOf(messages, parts, options)
  const texts = partsOf(parts, sums.length)
  const known = sums.map(() => new Map<number, number>())
  const logTail = (block: number, value: number): number => {
    const before = known[block]!.get(value)
    if (before !== undefined) return before
    const [sum, { tokens: own }] = [sums[block]![value]!, texts[block]!]
    const tail = logTailOf(law, rule, texts[block]!, sum, own.length)
    if (tail === Number.NEGATIVE_INFINITY)
      throw outOfRange('sum of scores', `a sum that ${law.name} allows for ${own.length} scores`, sum)
    known[block]!.set(value, tail)
    return tail
  }
  const scoredOf = (block: number): number => texts[block]!.tokens.length
  const read: BlockReader = { sums, logTail, scoredOf, scores: rule.reach * detector!.bound }
  const blocks: DecodedBlock[] = []
  for (const group of messages.groups)
    for (const [i, block] of readGroup(group, widthOf(messages), read).entries())
      blocks[group.members[i]!] = block
  const logPValue = logFisher(
    sums.map((own, block) => ({
      scored: scoredOf(block),
      // all sums of a block have the same law, so the largest has the smallest tail
      logPValue: Math.min(0, widthOf(messages) * Math.LN2 + logTail(block, best(own))),
    })),
  )
  const values = blocks.map(({ value }) => value)
  const message = messageBytes(values, messages)
  const detected = logPValue <= Math.log(alpha)
  const scored = parts.tokens.length
  return {
    message,
    text: textOf(message),
    pValue: Math.exp(logPValue),
    logPValue,
    detected,
    blocks,
    bits: blocks,
    scored,
  }
}
