/** No watermark: the baseline of every table. */
import { fixed } from '../core/keys/index.ts'
import { defineMethod, type MethodParts } from '../core/method/index.ts'

/**
 * No watermark: the baseline of every table.
 * @example unwatermarked().detector // undefined
 */
export const unwatermarked = defineMethod('unwatermarked', {
  parameters: {},
  rows: [], // the tables have a row for the model itself
  make: (): MethodParts<undefined> => ({
    domain: 'unwatermarked', // draws nothing
    context: fixed(),
    unbiased: true,
    draw: () => undefined,
    reweight: (p, _, q) => q.set(p),
    score: () => 0,
    detector: undefined,
    orbit: () => [undefined],
    enumerate: () => [{ code: undefined, weight: 1 }],
  }),
})
