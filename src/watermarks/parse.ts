/** Reads the ids of watermarks. */

import { type AnyMethod, isMethod, parseCall } from '../core/method/index.ts'
import { didYouMean, list, outOfRange, refuseUnknown, wrongType } from '../input.ts'
import type { AnyWatermark } from '../watermark.ts'
import { parseRule } from './parse-rule.ts'
import { shippedMethods } from './shipped.ts'

/** Returns an example of an id of the method: `kgw(delta=2)`. */
function exampleOf({ name, parameters }: AnyMethod): string {
  const required = Object.entries(parameters).filter(([, { optional }]) => !optional)
  const shown = required.map(([parameter, { example, print }]) => `${parameter}=${print(example)}`)
  return shown.length === 0 ? name : `${name}(${shown.join(',')})`
}

/**
 * The inverse of `id`.
 * @param methods methods of your own, besides those shipped
 * @example parseWatermark('dipmark(alpha=0.4)').id // 'dipmark(alpha=0.4)'
 */
export function parseWatermark(text: string, methods: readonly AnyMethod[] = []): AnyWatermark {
  const { name, first, options } = parseCall('watermark', text)
  const own = Array.from(list('methods', methods, 'a list of methods'), (method, i) => {
    if (!isMethod(method)) throw wrongType(`methods[${i}]`, 'what defineMethod returns', method)
    return method
  })
  const known = [...own, ...shippedMethods()]
  const method = known.find((one) => one.name === name)
  if (method === undefined) {
    const names = known.map((one) => one.name)
    const { message } = outOfRange('watermark', `one of ${names.join(', ')}`, text)
    throw new RangeError(`${message}${didYouMean(name, names)}`)
  }
  if (first !== undefined)
    throw outOfRange('watermark', `parameters with their names, such as ${exampleOf(method)}`, text)
  const { parameters } = method
  refuseUnknown(name, options, Object.keys(parameters), 'parameter')
  for (const [parameter, { optional }] of Object.entries(parameters))
    if (!optional && options[parameter] === undefined)
      throw new TypeError(`${name} needs ${parameter}, e.g. ${exampleOf(method)}`)
  const { context, ...rest } = options
  return method(context === undefined ? rest : { ...rest, context: parseRule(context) })
}
