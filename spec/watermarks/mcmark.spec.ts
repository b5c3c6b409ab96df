import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { mcmark } from '../../src/watermarks/index.ts'

for (const channels of [10, 20, 50, 100]) describeWatermark(mcmark({ channels }))
