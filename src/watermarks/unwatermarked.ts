/** No watermark: the baseline of every table. */
import { fixed } from '../keys/fixed.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'

/**
 * No watermark: the baseline of every table.
 * @example unwatermarked().detector // undefined
 */
export const unwatermarked = (): Watermark<undefined> =>
  defineWatermark<undefined>({
    id: 'unwatermarked',
    unbiased: true,
    context: fixed(),
    draw: () => undefined,
    reweight: (p, _, q) => q.set(p),
    score: () => 0,
    detector: undefined,
    orbit: () => [undefined],
    enumerate: () => [{ code: undefined, weight: 1 }],
  })
