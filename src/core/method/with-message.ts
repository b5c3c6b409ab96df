/**
 * A watermark that carries a message: a family of watermarks, one per message. For every fixed message each position has the code that the base
 * watermark draws from randomness of its own, so a base that is unbiased stays unbiased for every message, and not only on average over them.
 */
import { outOfRange, requireOptions } from '../../input.ts'
import { type Declaration, type MessageFamily, requireWatermark, type Watermark } from '../../watermark.ts'
import {
  type BlockCode,
  blockOf,
  blockValues,
  type KeySchedule,
  keySchedule,
  type Message,
  type MessageLayout,
  messageLayout,
  messageNumber,
  tagged,
  tagOf,
} from '../keys/index.ts'
import { complete } from './define-watermark.ts'

export interface MessageOptions {
  /** The length of the message in bits. */
  readonly bits: number
  /** The number of blocks that the message is split into, a divisor of `bits`. Default: the fewest of at most 4 bits; at most 12 bits are allowed. */
  readonly blocks?: number
  /** Recovers lost blocks: `'repeat'` carries each block three times, `'bch'` adds half as many check blocks. Default `'none'`. */
  readonly code?: BlockCode
}

/** A watermark whose texts carry a message. */
export interface MessageWatermark<Code> extends Watermark<Code> {
  readonly messages: MessageFamily<Code>
}

/** Returns the reason why a watermark cannot carry a message; undefined where it can. */
function obstacle({ detector, needsKey, context, messages }: Watermark, blocks: number): string | undefined {
  if (messages !== undefined) return 'it carries a message already'
  if (detector === undefined) return 'it has no detector'
  if (detector.id !== 'sum' || detector.nullLaw === undefined)
    return `its detector '${detector.id}' has no sum of scores that could be split into blocks`
  if (needsKey === true)
    return 'its codes are made as published from the key itself, with no place for a message'
  if (context.sharesCodes) return 'its contexts share codes'
  const contexts = context.scored([0, 1, 2, 3, 4, 5, 6, 7], () => false)
  if (blocks > 1 && contexts.every((one) => one === undefined || one.length === 0))
    return `its context rule ${context.id} gives all positions to one block; use blocks: 1`
  return undefined
}

/** The key schedule of each key that a code has seen: one per text or detector. */
const schedules = new WeakMap<Uint8Array, Map<string, KeySchedule>>()

function scheduleOf(key: Uint8Array, domain: string): KeySchedule {
  const known = schedules.get(key) ?? new Map<string, KeySchedule>()
  schedules.set(key, known)
  const schedule = known.get(domain) ?? keySchedule(key, domain)
  known.set(domain, schedule)
  return schedule
}

/** Declares the watermark of one message. */
function carrying<Code>(
  base: Watermark<Code>,
  layout: MessageLayout,
  message: bigint,
): Omit<Watermark<Code>, 'messages'> {
  const { domain, choose, reweight, markedScore, fast } = base
  const values = blockValues(message, layout)
  const draw: Watermark<Code>['draw'] = (random, vocabSize, site) => {
    const block = blockOf(random, layout)
    const context = tagged(site.context, tagOf(layout, block, values[block]!))
    const own = scheduleOf(site.key, domain).random(context)
    return base.draw(own, vocabSize, { shared: site.shared, context, key: NO_KEY })
  }
  // the law of a marked score is the same, and the score as a function of the position's words is not
  return complete({
    ...base,
    ...(choose === undefined ? { reweight } : { choose, reweight }),
    id: `${base.id},message=${message.toString(16)})`,
    needsKey: true,
    draw,
    ...(markedScore && { markedScore: { ...markedScore, of: undefined } }),
    ...(fast && { fast: { ...fast, words: undefined } }),
  } as Declaration<Code>)
}

const NO_KEY = new Uint8Array(0)

/**
 * Makes a watermark carry a message of `bits` bits. Pass the message to `embedder` and read it with `decode`; without one, a text carries
 * zeros. The watermark needs a sum detector: alignment and scan detectors search the text for its keys, and a search for each value of each
 * block would give every wrong value a chance of its own.
 * @example
 * const named = withMessage(gumbel(), { bits: 64 })
 * const text = embedder(named, { key: 'a secret of sixteen bytes', vocabSize: 50257, message: 'tenant 7' })
 */
export function withMessage<Code>(
  watermark: Watermark<Code>,
  options: MessageOptions,
): MessageWatermark<Code> {
  requireWatermark(watermark)
  requireOptions('withMessage', options, ['bits', 'blocks', 'code'])
  const layout = messageLayout(options.bits, options.blocks, options.code)
  const why = obstacle(watermark as Watermark, layout.carried)
  if (why !== undefined) throw outOfRange('watermark', `one that can carry a message (${why})`, watermark.id)
  const code = layout.code === 'none' ? '' : `,code=${layout.code}`
  const suffix = `message(bits=${layout.bits},blocks=${layout.blocks}${code}`
  const base = { ...watermark, id: `${watermark.id} ${suffix}`, domain: `${watermark.domain} ${suffix})` }
  const of = (message: Message): Watermark<Code> =>
    carrying(base, layout, messageNumber(message, layout.bits))
  return { ...of(0n), id: `${base.id})`, messages: { ...layout, base, of } }
}
