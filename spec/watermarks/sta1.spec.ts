import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { sta1 } from '../../src/watermarks/index.ts'

for (const gamma of [1 / 2, 1 / 4]) describeWatermark(sta1({ gamma }))
