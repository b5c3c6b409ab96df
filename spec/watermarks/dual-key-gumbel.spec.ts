/** Its two races are those of gumbel, which are gated with the usual effort; what is new here shows with little. */
import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { dualKeyGumbel } from '../../src/watermarks/index.ts'

describeWatermark(dualKeyGumbel(), { effort: 'quick' })
