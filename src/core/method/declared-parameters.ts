/** The kinds of parameters as authors of methods call them: what they state is checked. Shipped methods are tested instead. */
import {
  boolean,
  callable,
  integer,
  list,
  number,
  outOfRange,
  refuseUnknown,
  text,
  wrongType,
} from '../../input.ts'
import { parameter as kinds } from './parameters.ts'

const TRAITS = ['shapesCode', 'shown', 'about'] as const

function checkTraits(name: string, traits: object, more: readonly string[]): void {
  refuseUnknown(name, traits ?? null, [...more, ...TRAITS])
  const { shapesCode, shown, about } = traits as Record<(typeof TRAITS)[number], unknown>
  if (shapesCode !== undefined) boolean('shapesCode', shapesCode)
  if (shown !== undefined) boolean('shown', shown)
  if (about !== undefined) text('about', about)
}

/** A range, its traits, and a default or an example within it. */
function checkRange(
  name: string,
  low: number,
  high: number,
  traits: object,
  check: (name: string, value: unknown) => number,
  more: readonly string[] = [],
): void {
  checkTraits(name, traits, ['default', 'example', ...more])
  number('low', low, -Number.MAX_VALUE, Number.MAX_VALUE)
  number('high', high, low, Number.POSITIVE_INFINITY)
  const given = traits as { readonly default?: unknown; readonly example?: unknown }
  if (given.default !== undefined) check('default', given.default)
  if (given.example !== undefined) check('example', given.example)
  if (!('default' in given) && given.example === undefined)
    throw outOfRange('example', 'a value for examples, where there is no default', given.example)
}

const integerKind = ((low: number, high: number, traits: object) => {
  checkRange('integer', low, high, traits, (name, value) => integer(name, value, low, high))
  return kinds.integer(low, high, traits as { readonly default: number })
}) as typeof kinds.integer

const numberKind = ((low: number, high: number, traits: object) => {
  const { open = false } = (traits ?? {}) as { readonly open?: boolean }
  boolean('open', open)
  checkRange('number', low, high, traits, (name, value) => number(name, value, low, high, open), ['open'])
  return kinds.number(low, high, traits as { readonly default: number })
}) as typeof kinds.number

const oneOfKind = ((options: readonly (string | number)[], traits: object = {}) => {
  const values = Array.from(list('options', options, 'a list of strings or numbers'))
  if (values.length === 0) throw outOfRange('options', 'at least one value', options)
  for (const [i, value] of values.entries())
    if (typeof value !== 'string' && !Number.isFinite(value))
      throw wrongType(`options[${i}]`, 'a string or a number', value)
  checkTraits('oneOf', traits, [])
  return kinds.oneOf(values as [string, ...string[]], traits)
}) as typeof kinds.oneOf

const contextKind = ((usual: () => never, traits: object = {}) => {
  callable('usual', usual, 'a function that returns the usual context rule')
  checkTraits('context', traits, [])
  return kinds.context(usual, traits)
}) as typeof kinds.context

/**
 * The kinds of parameters of a method, for `defineMethod`.
 *
 * - `integer(low, high, traits)` and `number(low, high, traits)`: numbers in [low, high], `open: true` for (low, high). With
 *   `default` the option may be left out; without one `example` is what error messages and pages show.
 * - `oneOf(values)`: one of a few strings or numbers; the first is the default.
 * - `context(usual)`: the context rule, by default `usual(values)`, which may look at the parameters before it. Comes last.
 *
 * @example
 * const parameters = {
 *   layers: parameter.integer(1, 32, { default: 20, shapesCode: true }),
 *   delta: parameter.number(0, 100, { example: 2 }),
 *   detector: parameter.oneOf(['mean', 'weighted']),
 *   context: parameter.context(() => ngram(2)),
 * }
 * parameters.layers.expected // 'an integer in [1, 32]'
 */
export const declaredParameter: typeof kinds = {
  integer: integerKind,
  number: numberKind,
  oneOf: oneOfKind,
  context: contextKind,
}
