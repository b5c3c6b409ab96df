import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { synthid } from '../../src/watermarks/index.ts'

for (const layers of [2, 20]) describeWatermark(synthid({ layers }))
describeWatermark(synthid({ detector: 'weighted' }))
// one leaf more in each match, and the method is biased
describeWatermark(synthid({ leaves: 3 }))
