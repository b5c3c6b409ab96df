import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { kgw } from '../../src/watermarks/index.ts'

for (const delta of [0.5, 1, 1.5, 2]) describeWatermark(kgw({ delta }))
