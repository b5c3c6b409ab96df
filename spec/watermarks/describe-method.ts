/** The gate for every shipped variant of a method: the usual one as users run it, the others with less effort. */
import type { AnyMethod } from '../../src/method/define-method.ts'
import { describeWatermark } from '../../src/vitest/describe-watermark.ts'

export function describeMethod(method: AnyMethod): void {
  const variants = method.shipped.map((options) => method(options))
  const usual = variants.find(({ id }) => id === method.usual().id) ?? variants[0]!
  for (const variant of variants)
    describeWatermark(variant, { effort: variant === usual ? 'usual' : 'quick' })
}
