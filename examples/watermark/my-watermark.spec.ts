import { describeWatermark } from 'uwbench/vitest'
import { myWatermark } from './my-watermark.ts'

describeWatermark(myWatermark)
