import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { synthid } from '../../src/watermarks/index.ts'
import { describeMethod } from './describe-method.ts'

describeMethod(synthid)
describeWatermark(synthid({ layers: 2 }), { effort: 'quick' })
