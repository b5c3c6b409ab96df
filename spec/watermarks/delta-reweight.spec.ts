import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { deltaReweight } from '../../src/watermarks/index.ts'

describeWatermark(deltaReweight)
