import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { sta1 } from '../../src/watermarks/index.ts'
import { describeMethod } from './describe-method.ts'

describeMethod(sta1)
describeWatermark(sta1({ gamma: 1 / 4 }), { effort: 'quick' })
