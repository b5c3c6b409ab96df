import { didYouMean, show, text } from '../input.ts'
import { madeBy } from '../method/define-method.ts'
import { requireWatermark, type Watermark } from '../watermark.ts'
import { gumbel } from '../watermarks/gumbel.ts'
import { publishedGumbel } from '../watermarks/published-gumbel.ts'

/**
 * The same watermark with the codes of a published implementation: what the option `codes` of its method does, by the name of
 * the implementation.
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
