/** Cases of the suites. They follow from the methods: a new one is in every suite without a word here. */
import type { AnyMethod } from '../../src/core/method/index.ts'
import {
  type AnyWatermark,
  paperWatermarks,
  shippedMethods,
  shippedWatermarks,
} from '../../src/watermarks/entry.ts'

const hasDetector = ({ detector }: AnyWatermark): boolean => detector !== undefined

/** The methods that have a row in the paper's tables. */
export function paperMethods(): AnyMethod[] {
  const names = new Set(paperWatermarks().map(({ id }) => id.split('(')[0]!))
  return shippedMethods().filter(({ name }) => names.has(name))
}

/** Each method at its usual setting, where there is something to detect; `settings` changes options of some methods, by name. */
export const usualWatermarks = (settings: Readonly<Record<string, object>> = {}): AnyWatermark[] =>
  shippedMethods()
    .map((method) => method.usual(settings[method.name]))
    .filter(hasDetector)

/** The same at the settings that are cheap to list or to test. */
export const smallWatermarks = (): AnyWatermark[] =>
  shippedMethods()
    .map((method) => method.usual(method.small))
    .filter(hasDetector)

/** Every shipped variant that can be detected. */
export const detectableWatermarks = (): AnyWatermark[] => shippedWatermarks().filter(hasDetector)

/** The checks of PRC are sums of three bits each, of which noise and low entropy spoil many: it needs texts of many hundred tokens. */
const forLongTexts = ['prc']

/** Those whose strength is the usual one: required parameters have the value of their example. Methods for long texts only are left out. */
export const strongWatermarks = (): AnyWatermark[] => {
  const strong = shippedMethods().flatMap((method) => {
    const required = Object.entries(method.parameters).filter(([, { optional }]) => !optional)
    return method.shipped
      .filter((options) => required.every(([name, { example }]) => options[name] === example))
      .map((options) => method(options))
  })
  const byId = new Map([...usualWatermarks(), ...strong].map((watermark) => [watermark.id, watermark]))
  return [...byId.values()].filter(
    (watermark) => hasDetector(watermark) && !forLongTexts.includes(watermark.id),
  )
}
