import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { gumbel } from '../../src/watermarks/index.ts'

describeWatermark(gumbel)
