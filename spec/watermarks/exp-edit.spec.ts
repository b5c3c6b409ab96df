import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { expEdit } from '../../src/watermarks/index.ts'

describeWatermark(expEdit)
