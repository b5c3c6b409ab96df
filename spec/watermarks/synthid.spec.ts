import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { synthid } from '../../src/watermarks/index.ts'

describeWatermark(synthid)
describeWatermark(synthid({ layers: 2 }))
