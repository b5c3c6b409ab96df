import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { mcmark } from '../../src/watermarks/index.ts'

describeWatermark(mcmark)
