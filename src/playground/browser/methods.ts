/** Methods as forms show them, from their declarations; and the watermark that a filled form stands for. */
import { type AnyMethod, isMethod } from '../../method/define-method.ts'
import type { MethodParameter } from '../../method/parameters.ts'
import { claimOf, requireWatermark } from '../../watermark.ts'
import { type AnyWatermark, shippedMethods } from '../../watermarks/index.ts'
import type { Chosen, MethodInfo, ParameterInfo } from './protocol.ts'

/** Something that can be chosen: a method with parameters, or one watermark as it is. */
export interface Choice {
  readonly info: MethodInfo
  make(values: Readonly<Record<string, string>>): AnyWatermark
}

/** The parameters of a form: not the context rule, and not those that ask for published codes, whose keys are of other kinds. */
function shownParameters({ parameters, published }: AnyMethod): [string, MethodParameter][] {
  const hidden = new Set(Object.values(published).flatMap((options) => Object.keys(options)))
  return Object.entries(parameters).filter(([name, { kind }]) => kind !== 'context' && !hidden.has(name))
}

const printed = (parameter: MethodParameter, value: unknown): string =>
  value === undefined ? '' : parameter.print(value)

function parameterInfo(name: string, parameter: MethodParameter, values: object): ParameterInfo {
  const value = (values as Record<string, unknown>)[name]
  return {
    name,
    expected: parameter.expected,
    usual: printed(parameter, value),
    ...(parameter.options && { options: parameter.options.map((option) => parameter.print(option)) }),
  }
}

/** The value that a field stands for; an empty one leaves it to the method. */
function fieldValue(parameter: MethodParameter, text: string): unknown {
  if (text.trim() === '') return undefined
  if (parameter.options) return parameter.options.find((option) => parameter.print(option) === text) ?? text
  return Number(text)
}

/** What each parameter is unless it is given. Asked of the method: a user's own was made by another copy of this package. */
function usualValues({ parameters }: AnyMethod): object {
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters))
    values[name] = parameter.optional ? parameter.usual(values) : parameter.example
  return values
}

function fromMethod(method: AnyMethod, own: boolean): Choice {
  const usual = method.usual()
  const shown = shownParameters(method)
  const values = usualValues(method)
  return {
    info: {
      name: method.name,
      own,
      claim: claimOf(usual),
      parameters: shown.map(([name, parameter]) => parameterInfo(name, parameter, values)),
    },
    make: (given) =>
      method.usual(
        Object.fromEntries(
          shown
            .map(([name, parameter]) => [name, fieldValue(parameter, given[name] ?? '')])
            .filter(([, value]) => value !== undefined),
        ),
      ),
  }
}

const fromWatermark = (watermark: AnyWatermark): Choice => ({
  info: { name: watermark.id, own: true, claim: claimOf(watermark), parameters: [] },
  make: () => watermark,
})

const isWatermark = (value: unknown): value is AnyWatermark => {
  try {
    requireWatermark(value)
    return true
  } catch {
    return false
  }
}

/** The user's own first, then those that ship. What cannot be detected is left out. */
export function choicesOf(own: Readonly<Record<string, unknown>>): Choice[] {
  const mine = Object.values(own).flatMap((value) =>
    isMethod(value) ? [fromMethod(value, true)] : isWatermark(value) ? [fromWatermark(value)] : [],
  )
  const shipped = shippedMethods().map((method) => fromMethod(method, false))
  return [...mine, ...shipped].filter(({ make }) => make({}).detector !== undefined)
}

export function watermarkOf(choices: readonly Choice[], { method, values }: Chosen): AnyWatermark {
  const choice = choices.find(({ info }) => info.name === method)
  if (choice === undefined) throw new RangeError(`no method '${method}'`)
  return choice.make(values)
}
