import { sha256 } from '@noble/hashes/sha2.js'
import { number, refuseUnknown } from '../../input.ts'
import type { ContextRule, Tokens } from './rule.ts'
import type { Context } from './schedule.ts'

/** 128 bits that name a list of tokens: it stands in for the list in a context, so that contexts stay short. */
export function tokensDigest(tokens: Tokens, end: number = tokens.length): Context {
  const bytes = new DataView(new ArrayBuffer(4 * end))
  for (let i = 0; i < end; i++) bytes.setUint32(4 * i, tokens[i]!, true)
  const digest = new DataView(sha256(new Uint8Array(bytes.buffer)).buffer)
  return [0, 4, 8, 12].map((at) => digest.getUint32(at, true))
}

/** The context of position t in a text whose randomness begins after its first `start` tokens. */
export const afterStart = (digest: Context, t: number): Context => [...digest, t]

/**
 * No watermark until the text has surprised the model by `entropy` nats; from then on the text so far and the position name
 * the randomness (Christ et al. 2023). The detector does not know where that was: see `scanDetector`.
 * @example prefix({ entropy: 20 }).id // 'prefix(entropy=20)'
 */
export function prefix(options: { readonly entropy: number }): ContextRule {
  refuseUnknown('prefix', options, ['entropy'])
  const entropy = number('entropy', options?.entropy, 0, Number.POSITIVE_INFINITY, true)
  return {
    id: `prefix(entropy=${entropy})`,
    reach: Number.POSITIVE_INFINITY,
    recurs: false,
    foundBy: 'scan',
    begin() {
      const drawn: number[] = []
      let surprise = 0
      let digest: Context | undefined
      return {
        next() {
          if (digest === undefined && surprise >= entropy) digest = tokensDigest(drawn)
          return digest === undefined ? undefined : afterStart(digest, drawn.length)
        },
        drew(token, probability) {
          drawn.push(token)
          surprise -= Math.log(probability)
        },
      }
    },
    // whether a position counts; its randomness depends on the start, which only a scan can find
    scored: (tokens, skip) =>
      Array.from({ length: tokens.length }, (_, t) => (t === 0 || skip(tokens[t]!) ? undefined : [t])),
  }
}
