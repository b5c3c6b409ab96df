import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { gammaReweight } from '../../src/watermarks/index.ts'

describeWatermark(gammaReweight)
