/**
 * The layout of a message: `blocks` values of `width` bits each, the first block the most significant. A position belongs to one block, by a
 * word of its own randomness that is the same for all messages. Its code has the randomness of its context followed by one number, which names
 * the block and the block's value:
 *
 *   block of a context           = below(seed(context), blocks)
 *   code of a context            drawn from seed(context, 2^31 + block * 2^width + value)
 *
 * Token ids are below 2^31, so no other context of the text is the same list.
 */
import { integer, oneOf, outOfRange, wrongType } from '../../input.ts'
import { type BlockCode, type CodeGroup, codeGroups, protectedValues } from './block-code.ts'
import { below, type Random } from './random.ts'
import type { Context } from './schedule.ts'

/** A message as callers give it: bytes, a bigint below 2^bits, or text. Bytes and text that are shorter than the message end in zero bytes. */
export type Message = Uint8Array | bigint | string

/** The number of bits of a message, and how they are split. */
export interface MessageLayout {
  readonly bits: number
  /** Every block has `bits / blocks` bits. */
  readonly blocks: number
  /** The protection of blocks. */
  readonly code: BlockCode
  /** The codewords that the blocks are part of. */
  readonly groups: readonly CodeGroup[]
  /** The number of blocks that a text carries: those of the message and those that protect them. */
  readonly carried: number
}

/** The most bits of a block: all of its 2^12 values are tried. */
const MAX_WIDTH = 12

/** The most bits of a block unless the caller says otherwise: decoding scores every token 16 times. */
const DEFAULT_WIDTH = 4

const MAX_BITS = 1024

/**
 * Checks a layout. The default number of blocks is the smallest that gives blocks of equal size and at most 4 bits.
 * @example messageLayout(32).blocks // 8
 */
export function messageLayout(bits: number, blocks?: number, code: BlockCode = 'none'): MessageLayout {
  integer('bits', bits, 1, MAX_BITS)
  oneOf('code', code, ['none', 'repeat', 'bch'])
  let count = blocks ?? Math.ceil(bits / DEFAULT_WIDTH)
  if (blocks === undefined) while (bits % count !== 0) count++
  else {
    integer('blocks', blocks, Math.ceil(bits / MAX_WIDTH), bits)
    if (bits % blocks !== 0) throw outOfRange('blocks', `a divisor of the ${bits} bits`, blocks)
  }
  const groups = codeGroups(code, count, bits / count)
  return { bits, blocks: count, code, groups, carried: groups.flatMap(({ members }) => members).length }
}

/** Bits per block. */
export const widthOf = ({ bits, blocks }: Pick<MessageLayout, 'bits' | 'blocks'>): number => bits / blocks

/** Draws the block of a position from the randomness of its context. */
export const blockOf = (random: Random, { carried }: MessageLayout): number => below(random, 0, carried)

/** Returns the last number of the context of a code. */
export const tagOf = (layout: MessageLayout, block: number, value: number): number =>
  2 ** 31 + block * 2 ** widthOf(layout) + value

/** Returns a context followed by room for a tag. */
export const tagged = (context: Context, tag: number): number[] => [...context, tag]

/** Returns the bytes of a message that is given as text or bytes. */
function bytesOf(message: Uint8Array | string, bits: number): Uint8Array {
  const bytes = typeof message === 'string' ? new TextEncoder().encode(message) : message
  if (typeof message === 'string' && /\p{Cs}/u.test(message))
    throw wrongType('message', 'text without lone surrogates', message)
  const most = typeof message === 'string' ? Math.floor(bits / 8) : Math.ceil(bits / 8)
  if (bytes.length > most)
    throw outOfRange('message', `at most ${most} bytes (bits: ${bits})`, `${bytes.length} bytes`)
  const padded = new Uint8Array(Math.max(bytes.length, Math.floor(bits / 8)))
  padded.set(bytes)
  return padded
}

/**
 * Reads a message as one integer, its first byte the most significant.
 * @example messageNumber('v2', 32) // 0x76320000n
 */
export function messageNumber(message: unknown, bits: number): bigint {
  let value = 0n
  if (typeof message === 'bigint') value = message
  else if (typeof message === 'string' || message instanceof Uint8Array)
    for (const byte of bytesOf(message, bits)) value = value * 256n + BigInt(byte)
  else throw wrongType('message', 'a Uint8Array, a bigint or a string', message)
  if (value < 0n || value >= 1n << BigInt(bits))
    throw outOfRange('message', `a number of at least 0 and below 2^${bits}`, value)
  return value
}

/** Splits a message into the values of its blocks, followed by the values of those that protect them. */
export function blockValues(message: bigint, layout: MessageLayout): number[] {
  const width = BigInt(widthOf(layout))
  const values = Array.from({ length: layout.blocks }, (_, block) =>
    Number((message >> (width * BigInt(layout.blocks - 1 - block))) & ((1n << width) - 1n)),
  )
  return protectedValues(values, layout.groups, Number(width))
}

/** Joins the values of the blocks into the bytes of the message. */
export function messageBytes(values: readonly number[], layout: MessageLayout): Uint8Array {
  const width = BigInt(widthOf(layout))
  let rest = values.reduce((sum, value) => (sum << width) + BigInt(value), 0n)
  const bytes = new Uint8Array(Math.ceil(layout.bits / 8))
  for (let i = bytes.length - 1; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 255n)
  return bytes
}
