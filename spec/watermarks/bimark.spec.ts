import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { bimark } from '../../src/watermarks/index.ts'

describeWatermark(bimark(), { effort: 'quick' })
