/** The gate as users run it on every method that the paper lacks. `npm test` runs it at the quick effort, `npm run test:slow` on the paper's methods. */
import { describeWatermark } from '../../src/gate/vitest/describe-watermark.ts'
import { shippedMethods } from '../../src/watermarks/entry.ts'
import { paperMethods } from './shipped.ts'

const tried = new Set(paperMethods().map(({ name }) => name))
for (const method of shippedMethods())
  if (!tried.has(method.name)) describeWatermark(method.usual(), { effort: 'usual' })
