import { integer, number, outOfRange, requireOptions } from '../../input.ts'
import { type Attack, tokenAttack } from './attack.ts'
import { evenly, separateSpans } from './positions.ts'

/** Attacks that keep only part of the text, word for word. */

/**
 * Keeps the first round(keep n) tokens.
 *
 * @example truncate({ keep: 0.5 }).id // 'truncate(keep=0.5)'
 */
export function truncate(options: { readonly keep: number }): Attack {
  requireOptions('truncate', options, ['keep'])
  const { keep } = options
  number('keep', keep, 0, 1)
  return tokenAttack(`truncate(keep=${keep})`, (tokens) =>
    Array.from(tokens).slice(0, Math.round(keep * tokens.length)),
  )
}

/**
 * Pastes pieces of the text into human text of the same total length (the copy-paste attack of Kirchenbauer et al., 2023). Of n
 * tokens, round(share n) are kept, cut into `pieces` of equal length (within one token) from random separate places; the rest is
 * the beginning of `options.human`, in order, the pieces at random places in it.
 * @example
 * const tokens = Array.from({ length: 200 }, (_, t) => t)
 * const human = Array(200).fill(200)
 * const attacked = await copyPaste({ share: 0.25, pieces: 3 }).apply(tokens, { seed: 1, vocabSize: 201, human })
 * attacked.tokens.filter((token) => token < 200).length // 50
 */
export function copyPaste(options: { readonly share: number; readonly pieces?: number }): Attack {
  requireOptions('copyPaste', options, ['share', 'pieces'])
  const { share, pieces = 1 } = options
  number('share', share, 0, 1)
  integer('pieces', pieces, 1)
  return tokenAttack(`copyPaste(share=${share},pieces=${pieces})`, (tokens, stream, { human = [] }) => {
    const kept = Math.round(share * tokens.length)
    const around = tokens.length - kept
    if (human.length < around)
      throw outOfRange('human', `at least ${around} tokens of unmarked text`, human.length)
    const sizes = evenly(kept, Math.min(pieces, kept))
    const text = Array.from(tokens)
    const cut = separateSpans(stream, sizes, tokens.length)
    const pasted = separateSpans(stream, sizes, tokens.length)
    const result: number[] = []
    let used = 0
    pasted.forEach(({ start }, i) => {
      while (result.length < start) result.push(human[used++]!)
      result.push(...text.slice(cut[i]!.start, cut[i]!.end))
    })
    while (used < around) result.push(human[used++]!)
    return result
  })
}
