/** A mutant: a correct watermark with one small change that a real author might make, and the laws that must reject it. */

import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import type { MessageReader } from '../../src/gate/laws/messages.ts'
import type { Decoder } from '../../src/gate/laws/warping-order.ts'
import type { Declaration, Watermark } from '../../src/watermark.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'

/** Names of the laws, short. */
export const law = {
  distribution: 'reweight gives a distribution',
  deterministic: 'same key, same result',
  orbit: 'unbiased, exactly',
  honest: 'the orbit is honest',
  keys: 'unbiased over keys',
  texts: 'unbiased over texts',
  pairs: 'equal pairs',
  warping: 'warped first, then marked',
  nullLaw: 'the null law is right',
  detectable: 'detectable',
  drift: 'drift',
  reach: 'an edit reaches as far as declared',
  certificate: 'the certificate holds',
  biased: 'shown biased',
  everyMessage: 'unbiased for every message',
  decoded: 'a message is decoded',
  noMessage: 'no message in unmarked text',
  speculation: "speculation keeps the target's law",
} as const

export interface Mutant {
  readonly family: string
  /** What was changed, in a few words. */
  readonly name: string
  readonly watermark: AnyWatermark
  /** The laws that must reject it. */
  readonly killedBy: readonly string[]
  /** A decoder that puts the parts together in the wrong order. */
  readonly decoder?: Decoder
  /** A wrong `decode`. */
  readonly reader?: MessageReader
}

/** A family of mutants: `add(name, watermark, killedBy)`. */
export function family(name: string): {
  readonly mutants: Mutant[]
  add(change: string, watermark: AnyWatermark, killedBy: readonly string[], decoder?: Decoder): void
} {
  const mutants: Mutant[] = []
  return {
    mutants,
    add: (change, watermark, killedBy, decoder) =>
      mutants.push({ family: name, name: change, watermark, killedBy, ...(decoder && { decoder }) }),
  }
}

/** `base` with some of its parts replaced. */
export function changed<Code>(base: Watermark<Code>, parts: Partial<Declaration<Code>>): Watermark<Code> {
  const { choose, reweight, ...rest } = base
  const replaced = parts.reweight !== undefined || parts.choose !== undefined
  const acting = replaced ? {} : choose !== undefined ? { choose } : { reweight }
  return defineWatermark({ ...rest, ...acting, ...parts, id: `${base.id} mutant` } as Declaration<Code>)
}
