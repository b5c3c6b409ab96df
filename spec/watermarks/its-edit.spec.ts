import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { itsEdit } from '../../src/watermarks/index.ts'

describeWatermark(itsEdit)
