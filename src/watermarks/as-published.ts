import { joinCodes, madeBy } from '../core/method/index.ts'
import { didYouMean, show, text } from '../input.ts'
import { requireWatermark, type Watermark } from '../watermark.ts'
import { gumbel } from './gumbel.ts'
import { sglangCodes, textsealCodes, vllmHmacCodes } from './published/codes/engine-uniforms.ts'
import { torchCodes } from './published/codes/torch-uniforms.ts'
import { vllmCodes } from './published/codes/uniforms.ts'
import { withPublished } from './published/published.ts'

/**
 * Gumbel with published codes. Other methods are joined with theirs where they are declared; a page that detects with `gumbel`
 * alone need not carry these.
 */
export const publishedGumbel = joinCodes(
  gumbel,
  withPublished(gumbel, vllmCodes, torchCodes, vllmHmacCodes, sglangCodes, textsealCodes),
)

/**
 * Returns the same watermark with the codes of a published implementation, by the name of the implementation:
 * the same as the option `codes` of its method.
 *
 * @example
 * asPublished(synthid(), 'google').id // 'synthid(layers=20,codes=reference,flavor=google)'
 */
export function asPublished<Code>(watermark: Watermark<Code>, implementation: string): Watermark<Code> {
  requireWatermark(watermark)
  text('implementation', implementation)
  const origin = madeBy(watermark)
  if (origin === undefined)
    throw new TypeError(
      `asPublished: expected a watermark as its method made it, such as synthid(), got ${show(watermark.id)}; change a copy afterwards`,
    )
  const { options } = origin
  const method = origin.method === gumbel ? publishedGumbel : origin.method
  const known = Object.keys(method.published)
  const asked = method.published[implementation]
  if (asked === undefined || !known.includes(implementation))
    throw new RangeError(
      `implementation: expected ${known.length === 0 ? `none, as no published codes of ${method.name} are known` : `one of ${known.join(', ')} for ${method.name}`}, got ${show(implementation)}${didYouMean(implementation, known)}`,
    )
  return method({ ...options, ...asked })
}
