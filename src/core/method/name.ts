/**
 * Names of watermarks that a method makes: `method(parameter=value,...)`, parameters in the order of the declaration, those
 * with their usual value left out. `parseWatermark` reads them back.
 */
import type { AnyValues, MethodParameter } from './parameters.ts'

const call = (name: string, shown: readonly string[]): string =>
  shown.length === 0 ? name : `${name}(${shown.join(',')})`

const isUsual = (parameter: MethodParameter, name: string, values: AnyValues): boolean => {
  const [value, usual] = [values[name], parameter.usual(values)]
  return value === usual || (usual !== undefined && parameter.print(value) === parameter.print(usual))
}

/** The printable id of a method with the values of its parameters. */
export const idOf = (
  method: string,
  parameters: Readonly<Record<string, MethodParameter>>,
  values: AnyValues,
): string =>
  call(
    method,
    Object.entries(parameters)
      .filter(([name, parameter]) => parameter.shown || !isUsual(parameter, name, values))
      .map(([name, parameter]) => `${name}=${parameter.print(values[name])}`),
  )

/**
 * Names the randomness of a method for the key schedule: the method, what shapes its code, and the context rule. A choice is left out at its usual
 * value: a method that is given another choice keeps the domain of its old texts.
 */
export const domainOf = (
  method: string,
  parameters: Readonly<Record<string, MethodParameter>>,
  values: AnyValues,
  rule: string,
): string => {
  const shaping = Object.entries(parameters)
    .filter(([, { shapesCode }]) => shapesCode)
    .filter(([name, parameter]) => parameter.kind !== 'choice' || !isUsual(parameter, name, values))
    .map(([name, parameter]) => `${name}=${parameter.print(values[name])}`)
  return `${call(method, shaping)}/${rule}`
}
