/** The gate: every law on every shipped method, at the quick effort. A new method is in it without a line here. */
import { describeWatermark } from '../../src/gate/vitest/describe-watermark.ts'
import { shippedMethods } from '../../src/watermarks/entry.ts'

for (const method of shippedMethods()) describeWatermark(method.usual(), { effort: 'quick' })
