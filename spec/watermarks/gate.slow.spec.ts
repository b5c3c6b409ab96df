/**
 * The gate as users run it on every method of the paper; on the others in the nightly job. At the quick effort on the other variants that ship,
 * and on some that do not.
 */
import { describeWatermark } from '../../src/gate/vitest/describe-watermark.ts'
import { ens, shippedMethods, shippedWatermarks, sta1, synthid } from '../../src/watermarks/entry.ts'
import { paperMethods } from './shipped.ts'

for (const method of paperMethods()) describeWatermark(method.usual(), { effort: 'usual' })

const tried = new Set(shippedMethods().map((method) => method.usual().id))
const others = [
  ...shippedWatermarks(),
  // MCmark in sequence, with few channels, so that its orbit can be listed
  ens({ marks: 2, channels: 3 }),
  sta1({ gamma: 1 / 4 }),
  synthid({ layers: 2 }),
]
for (const watermark of others)
  if (!tried.has(watermark.id)) describeWatermark(watermark, { effort: 'quick' })
