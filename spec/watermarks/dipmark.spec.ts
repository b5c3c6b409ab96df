import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { dipmark } from '../../src/watermarks/index.ts'

describeWatermark(dipmark)
