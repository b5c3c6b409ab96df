/** The kinds of parameters that a method can have: what is accepted, what is usual, and what ids and domains print of it. */
import { choices, integer, integerRange, number, numberRange, oneOf, wrongType } from '../../input.ts'
import type { ContextRule } from '../keys/rule.ts'

/**
 * Traits that every kind of parameter may have.
 * @public declarations of the package name it
 */
export interface Traits {
  /**
   * True if it shapes the code: texts written with another value have other randomness, so its value is part of the domain.
   * (The strength of a mark or the choice of a detector is not: they read the same code.)
   */
  readonly shapesCode?: boolean
  /** True if ids print it at its default value too. By default numbers that shape the code are printed. */
  readonly shown?: boolean
  /** The text on the page of the method, where it is not the comment above the parameter. */
  readonly about?: string
}

/** Given to `make` of a method once checked: every parameter has its value. */
export type AnyValues = Readonly<Record<string, unknown>>

/** One parameter of a method. */
export interface MethodParameter<Value = unknown, Optional extends boolean = boolean> {
  readonly kind: 'integer' | 'number' | 'choice' | 'context'
  /** The accepted values in words: `an integer in [1, 32]`. */
  readonly expected: string
  /** The values of a choice, the usual one first. */
  readonly options?: readonly Value[]
  readonly optional: Optional
  /** The value where none is given; it may depend on the parameters before it, and on options that were given. */
  usual(values: AnyValues): Value | undefined
  /** A value for examples, where there is no usual one. */
  readonly example: Value | undefined
  readonly shapesCode: boolean
  readonly shown: boolean
  readonly about: string | undefined
  /** The value, or an error that names the parameter. */
  check(name: string, value: unknown): Value
  /** As ids print it. */
  print(value: unknown): string
}

/**
 * A number is optional with a default (undefined: none, and `make` is given undefined), or required with an example.
 * @public declarations of the package name it
 */
export interface NumberKind<More> {
  (
    low: number,
    high: number,
    traits: Traits & More & { readonly default: number },
  ): MethodParameter<number, true>
  (
    low: number,
    high: number,
    traits: Traits & More & { readonly default: undefined },
  ): MethodParameter<number | undefined, true>
  (
    low: number,
    high: number,
    traits: Traits & More & { readonly example: number },
  ): MethodParameter<number, false>
}

type NumberTraits = Traits & { readonly default?: number | undefined; readonly example?: number }

/** The defaults of every kind. */
const common = {
  optional: true,
  example: undefined,
  shapesCode: false,
  shown: false,
  about: undefined,
  print: String,
} as const

function numeric(
  kind: 'integer' | 'number',
  expected: string,
  check: (name: string, value: unknown) => number,
  traits: NumberTraits,
): MethodParameter<never, never> {
  const optional = 'default' in traits
  return {
    ...common,
    shown: traits.shapesCode ?? false,
    ...traits,
    kind,
    expected,
    optional,
    usual: () => traits.default,
    check: (name, value) => (optional && value === traits.default ? value : check(name, value)),
  } as MethodParameter<number | undefined> as MethodParameter<never, never>
}

const integerKind: NumberKind<unknown> = (low: number, high: number, traits: NumberTraits) =>
  numeric('integer', integerRange(low, high), (name, value) => integer(name, value, low, high), traits)

const numberKind: NumberKind<{ readonly open?: boolean }> = (
  low: number,
  high: number,
  { open = false, ...traits }: NumberTraits & { readonly open?: boolean },
) =>
  numeric(
    'number',
    numberRange(low, high, open),
    (name, value) => number(name, value, low, high, open),
    traits,
  )

function oneOfKind<const T extends string | number>(
  options: readonly [T, ...T[]],
  traits: Traits = {},
): MethodParameter<T, true> {
  return {
    ...common,
    ...traits,
    kind: 'choice',
    options,
    expected: choices(options),
    usual: () => options[0],
    check: (name, value) => oneOf(name, value, options),
  }
}

const isRule = (value: unknown): value is ContextRule =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  'begin' in value &&
  'scored' in value &&
  typeof (value as ContextRule).id === 'string'

function contextKind<Values>(
  usual: (values: Values) => ContextRule,
  { about }: Pick<Traits, 'about'> = {},
): MethodParameter<ContextRule, true> {
  const expected = 'a context rule such as ngram(2)'
  return {
    ...common, // domains name the rule in a place of their own: it is not said to shape the code
    about,
    kind: 'context',
    expected,
    usual: (values) => usual(values as Values),
    check(name, value) {
      if (!isRule(value)) throw wrongType(name, expected, value)
      return value
    },
    print: (value) => (value as ContextRule).id,
  }
}

/** The kinds of parameters, for shipped methods: what they state is checked by tests, not on every page that detects. */
export const parameter = {
  integer: integerKind,
  number: numberKind,
  oneOf: oneOfKind,
  context: contextKind,
}
