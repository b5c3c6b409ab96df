/**
 * Names of shipped watermarks: `method(parameter=value,...)`, parameters in a fixed order, those with their usual value left
 * out. `parseWatermark` reads them back.
 */

import { oneOf } from '../input.ts'
import { ngram } from '../keys/ngram.ts'
import type { ContextRule } from '../keys/rule.ts'

/** The paper's context rule, used where none is given. */
export const usual = (): ContextRule => ngram(2)

/** Where a position's randomness comes from: this package's key schedule, or exactly as a published implementation draws it. */
export type Codes = 'own' | 'reference'

export const checkCodes = (codes: unknown): Codes => oneOf('codes', codes ?? 'own', ['own', 'reference'])

/** `[parameter, value, usual value]`; a parameter without a usual value is always printed. */
export type Parameter = readonly [name: string, value: number | string, usual?: number | string]

/** The printable id of a method with its parameters. */
export function idOf(method: string, parameters: readonly Parameter[]): string {
  const shown = parameters
    .filter(([, value, standard]) => value !== standard)
    .map(([name, value]) => `${name}=${value}`)
  return shown.length === 0 ? method : `${method}(${shown.join(',')})`
}

/** What the key schedule separates by: the method, its context rule and what shapes the code. */
export const domainOf = (method: string, context: ContextRule, shape: readonly Parameter[] = []): string =>
  `${idOf(method, shape)}/${context.id}`
