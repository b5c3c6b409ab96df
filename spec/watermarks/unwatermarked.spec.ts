import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { unwatermarked } from '../../src/watermarks/index.ts'

describeWatermark(unwatermarked)
