import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { christ } from '../../src/watermarks/index.ts'

describeWatermark(christ)
