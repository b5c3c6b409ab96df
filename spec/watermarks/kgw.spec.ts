import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { kgw } from '../../src/watermarks/index.ts'

describeWatermark(kgw)
