/**
 * Reads a message while the text is being written. For each block and each value v a gambler bets on the scores of that block under v. If the text
 * carries no mark, each wealth W_v is a martingale that starts at 1, and so is their mean over the 2^b values. Blocks have disjoint positions and
 * independent codes, so the product of these means over the blocks is one too: one over its largest value so far is a p-value at any moment. A value
 * that was not embedded has W_v >= 2^b / a at some moment, for some v, with probability at most a.
 */
import type { Watermark } from '../../watermark.ts'
import { bestCodeword } from '../keys/block-code.ts'
import { blockOf, messageBytes, tagged, tagOf, widthOf } from '../keys/message.ts'
import { textOf } from './decode.ts'
import { type EProcess, eProcess } from './e-process.ts'
import { type FreshScoresOptions, freshPlaces } from './fresh-scores.ts'
import { type Scored, scorer } from './scorer.ts'

/** The message as it is known so far. */
export interface StreamedMessage {
  /** The message that fits best, the most significant byte first; it means nothing while the p-value is large. */
  readonly message: Uint8Array
  /** The message as text; undefined where it is not UTF-8 that can be printed. */
  readonly text: string | undefined
  /** At any moment, P(the value is wrong and pValue <= a) <= a. */
  readonly blocks: readonly { readonly value: number; readonly pValue: number }[]
}

export interface MessageStream {
  /** Takes the next token; returns false where it has no score. */
  push(token: number): boolean
  /** ln of the wealth now, and at its largest. */
  readonly logWealth: number
  readonly logLargest: number
  readonly message: StreamedMessage
}

/** ln of the mean wealth of the gamblers of one block. */
function logMean(gamblers: readonly EProcess[]): number {
  const top = Math.max(...gamblers.map(({ logWealth }) => logWealth))
  return (
    top + Math.log(gamblers.reduce((sum, one) => sum + Math.exp(one.logWealth - top), 0) / gamblers.length)
  )
}

/** Follows one text. */
export function messageStream<Code>(watermark: Watermark<Code>, options: FreshScoresOptions): MessageStream {
  const { base, ...layout } = watermark.messages!
  const width = widthOf(layout)
  const { law, checked, next } = freshPlaces(watermark, options)
  const map: Scored<number> = {
    domain: watermark.domain,
    draw: (random) => blockOf(random, layout),
    score: (_, block) => block,
  }
  const blockAt = scorer(map, options.key, options.vocabSize)
  const under = scorer(base, options.key, options.vocabSize)
  const gamblers = Array.from({ length: layout.carried }, () =>
    Array.from({ length: 2 ** width }, () => eProcess(law)),
  )
  const means = new Float64Array(layout.carried)
  const state = { logWealth: 0, logLargest: 0 }
  const messageNow = (): StreamedMessage => {
    const blocks: { value: number; pValue: number }[] = []
    for (const group of layout.groups) {
      const own = group.members.map((block) => gamblers[block]!)
      const word = bestCodeword(
        group,
        own.map((all) => Float64Array.from(all, ({ logWealth }) => logWealth)),
        width,
      )
      for (let place = 0; place < group.size; place++) {
        const { logLargest } = own[place]![word[place]!]!
        const pValue = Math.min(1, Math.exp(width * Math.LN2 - logLargest))
        blocks[group.members[place]!] = { value: word[place]!, pValue }
      }
    }
    const message = messageBytes(
      blocks.map(({ value }) => value),
      layout,
    )
    return { message, text: textOf(message), blocks }
  }
  return {
    push(token) {
      const place = next(token)
      if (place === undefined) return false
      const block = blockAt.score(token, place.context)
      for (const [value, gambler] of gamblers[block]!.entries()) {
        const context = tagged(place.context, tagOf(layout, block, value))
        gambler.add(checked(token, under.score(token, context)))
      }
      means[block] = logMean(gamblers[block]!)
      state.logWealth = means.reduce((sum, log) => sum + log, 0)
      state.logLargest = Math.max(state.logLargest, state.logWealth)
      return true
    },
    get logWealth() {
      return state.logWealth
    },
    get logLargest() {
      return state.logLargest
    },
    get message() {
      return messageNow()
    },
  }
}
