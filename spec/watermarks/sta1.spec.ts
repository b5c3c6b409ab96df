import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { sta1 } from '../../src/watermarks/index.ts'

describeWatermark(sta1)
describeWatermark(sta1({ gamma: 1 / 4 }))
