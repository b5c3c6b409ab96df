import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { ens } from '../../src/watermarks/index.ts'

describeWatermark(ens({ marks: 5 }), { effort: 'quick' })
