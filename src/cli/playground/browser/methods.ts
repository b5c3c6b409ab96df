/** Methods as forms show them, from their declarations, and the watermark of a filled form. */
import { type AnyMethod, isMethod } from '../../../core/method/define-method.ts'
import type { MethodParameter } from '../../../core/method/parameters.ts'
import { withMessage } from '../../../core/method/with-message.ts'
import { claimOf } from '../../../watermark.ts'
import { declarationsIn } from '../../../watermarks/exported.ts'
import { type AnyWatermark, shippedMethods } from '../../../watermarks/index.ts'
import { type Chosen, MESSAGE_BITS, type MethodInfo, type ParameterInfo } from './protocol.ts'

/** A choice of the form: a method with parameters, or one watermark without any. */
export interface Choice {
  readonly info: MethodInfo
  make(values: Readonly<Record<string, string>>): AnyWatermark
}

/** Returns the parameters of a form: all but the context rule and the published codes, which take other kinds of keys. */
function shownParameters({ parameters, published }: AnyMethod): [string, MethodParameter][] {
  const hidden = new Set(Object.values(published).flatMap((options) => Object.keys(options)))
  return Object.entries(parameters).filter(([name, { kind }]) => kind !== 'context' && !hidden.has(name))
}

function parameterInfo(name: string, parameter: MethodParameter, value: unknown): ParameterInfo {
  return {
    name,
    expected: parameter.expected,
    initial: value === undefined ? '' : parameter.print(value),
    ...(parameter.options && { options: parameter.options.map((option) => parameter.print(option)) }),
  }
}

/** Returns the value of a field; undefined, the default of the method, for an empty one. */
function fieldValue(parameter: MethodParameter, text: string): unknown {
  if (text.trim() === '') return undefined
  if (parameter.options) return parameter.options.find((option) => parameter.print(option) === text) ?? text
  return Number(text)
}

/** Returns the default of each parameter. Read from the method, since another copy of this package made a user's own. */
function defaultsOf({ parameters }: AnyMethod): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters))
    values[name] = parameter.optional ? parameter.usual(values) : parameter.example
  return values
}

function fromMethod(method: AnyMethod, own: boolean): Choice {
  const shown = shownParameters(method)
  const defaults = defaultsOf(method)
  return {
    info: {
      name: method.name,
      own,
      claim: claimOf(method.usual()),
      parameters: shown.map(([name, parameter]) => parameterInfo(name, parameter, defaults[name])),
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

/** Lists the choices: the user's own first, then the shipped ones. Watermarks without a detector are left out. */
export function choicesOf(own: Readonly<Record<string, unknown>>): Choice[] {
  const mine = declarationsIn(own).map((one) => (isMethod(one) ? fromMethod(one, true) : fromWatermark(one)))
  const shipped = shippedMethods().map((method) => fromMethod(method, false))
  return [...mine, ...shipped].filter(({ make }) => make({}).detector !== undefined)
}

export function watermarkOf(choices: readonly Choice[], { method, values, message }: Chosen): AnyWatermark {
  const choice = choices.find(({ info }) => info.name === method)
  if (choice === undefined)
    throw new RangeError(
      `method: expected one of ${choices.map(({ info }) => info.name).join(', ')}, got '${method}'`,
    )
  const watermark = choice.make(values)
  return message === '' ? watermark : withMessage(watermark, { bits: MESSAGE_BITS })
}
