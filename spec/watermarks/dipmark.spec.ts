import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { dipmark } from '../../src/watermarks/index.ts'

for (const alpha of [0.3, 0.4]) describeWatermark(dipmark({ alpha }))
