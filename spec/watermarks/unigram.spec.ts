import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { unigram } from '../../src/watermarks/index.ts'

describeWatermark(unigram)
