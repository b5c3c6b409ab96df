/**
 * A method states its parameters once. Its factory, the ids and domains of its watermarks, what `parseWatermark` reads, its
 * line in `uwbench list`, its page, its cases in the suites and its rows in the tables follow from that.
 */
import { refuseUnknown, wrongType } from '../../input.ts'
import type { DeclaredParts, Watermark } from '../../watermark.ts'
import type { ContextRule } from '../keys/rule.ts'
import { complete } from './define-watermark.ts'
import { domainOf, idOf } from './name.ts'
import type { AnyValues, MethodParameter } from './parameters.ts'

export type MethodParameters = Readonly<Record<string, MethodParameter>>

type ValueOf<P> = P extends MethodParameter<infer Value> ? Value : never

/** One object type instead of an intersection: what editors and the API pages show. */
export type Flat<T> = { readonly [K in keyof T]: T[K] } & {}

/** The argument of `make`: a value for every parameter. */
type ValuesOf<P extends MethodParameters> = { readonly [K in keyof P]: ValueOf<P[K]> }

/** The argument of the factory: parameters without a default are required. */
export type OptionsFor<P extends MethodParameters> = Flat<
  { readonly [K in keyof P as P[K] extends MethodParameter<unknown, true> ? never : K]: ValueOf<P[K]> } & {
    readonly [K in keyof P as P[K] extends MethodParameter<unknown, true> ? K : never]?: ValueOf<P[K]>
  }
>

/** The result of `make`: a declaration without what follows from the parameters. */
export type MethodParts<Code> = DeclaredParts<Code> & {
  /** For methods that have no parameter `context`. */
  readonly context?: ContextRule
  /** Default: the method, what shapes its code and its context rule. */
  readonly domain?: string
}

/** The argument of `defineMethod`. */
export interface MethodDefinition<P extends MethodParameters, Code> {
  /** In the order in which ids print them; `context`, where there is one, comes last. */
  readonly parameters: P
  /** The variants that are listed, tested and timed. Default: the usual one. */
  readonly shipped?: readonly OptionsFor<P>[]
  /** The variants that are rows in the tables of the benchmark. Default: those shipped. */
  readonly rows?: readonly OptionsFor<P>[]
  /** Settings with few codes or cheap tests, for worked examples and suites of many texts. Default: the usual ones. */
  readonly small?: Partial<OptionsFor<P>>
  /** The declaration for checked values; `options` are those that were given. */
  make(values: ValuesOf<P>, options: Partial<OptionsFor<P>>): MethodParts<Code>
}

/** The arguments of the factory: options may be left out where all of them may. */
type Arguments<Options> = [keyof Options] extends [never]
  ? [options?: Record<string, never>]
  : Partial<Options> extends Options
    ? [options?: Options]
    : [options: Options]

/** A factory of watermarks that knows its parameters. */
export interface Method<Options extends object, Code, Name extends string = string> {
  (...options: Arguments<Options>): Watermark<Code>
  readonly name: Name
  readonly parameters: MethodParameters
  readonly shipped: readonly Options[]
  readonly rows: readonly Options[]
  readonly small: Partial<Options>
  /** Published implementations whose codes it can draw: the options that ask for them. See `asPublished`. */
  readonly published: Readonly<Record<string, Partial<Options>>>
  /** With examples for what has no default: `kgw.usual()` is `kgw({ delta: 2 })`. */
  usual(options?: Partial<Options>): Watermark<Code>
  /** The declaration, without what follows from the parameters. */
  make(values: AnyValues, options: AnyValues): MethodParts<Code>
}

/** A method whose options and codes are its own business: what lists hold. */
// biome-ignore lint/suspicious/noExplicitAny: a Method is invariant in its options and code, so a mixed list has no other type
export type AnyMethod = Method<any, any>

/** Methods whose published codes are joined apart, so that a bundle without them is smaller. */
const joinedCodes = new WeakMap<object, AnyMethod>()

/** Lets a method answer the option `codes` by another one, the same with published codes. */
export function joinCodes<M extends AnyMethod>(own: AnyMethod, joined: M): M {
  joinedCodes.set(own, joined)
  return joined
}

/** Returns whether a value is a method, as `defineMethod` returns it. */
export const isMethod = (value: unknown): value is AnyMethod =>
  typeof value === 'function' && 'shipped' in value && 'parameters' in value

/** The options of a method: `OptionsOf<typeof kgw>`. */
export type OptionsOf<M> = M extends Method<infer Options, infer _> ? Options : never

/** The method that made a watermark, and its parameters. */
export interface Origin {
  readonly method: AnyMethod
  /** As they were given. */
  readonly options: AnyValues
  /** All of them. */
  readonly values: AnyValues
}

/** Of watermarks as they were made: a changed copy is no longer what its parameters say. */
const origins = new WeakMap<object, Origin>()

/**
 * The method that made a watermark, and its parameters; undefined for one-off declarations and for copies.
 * @example madeBy(kgw({ delta: 2 }))?.values.gamma // 0.5
 */
export const madeBy = (watermark: object): Origin | undefined => origins.get(watermark)

/** The checked value of every parameter. */
function valuesOf(name: string, parameters: MethodParameters, options: AnyValues): AnyValues {
  refuseUnknown(name, options, Object.keys(parameters))
  const values: Record<string, unknown> = { ...options }
  for (const [option, parameter] of Object.entries(parameters)) {
    const value = options[option] === undefined ? parameter.usual(values) : options[option]
    if (value === undefined && !parameter.optional) {
      const { message } = wrongType(option, parameter.expected, value)
      throw new TypeError(`${message}; e.g. ${name}({ ${option}: ${parameter.example} })`)
    }
    values[option] = parameter.check(option, value)
  }
  return values
}

/** The examples of the parameters that have no default. */
const examples = (parameters: MethodParameters): AnyValues =>
  Object.fromEntries(
    Object.entries(parameters)
      .filter(([, { optional }]) => !optional)
      .map(([name, { example }]) => [name, example]),
  )

/**
 * Declares a method: its parameters with their ranges and defaults, the variants that ship, and how a watermark is made of
 * checked values. Returns its factory, which refuses unknown options.
 *
 * @example
 * const isGreen = (token, random) => random.uint32(token) >>> 31
 * const secondChance = defineMethod('secondChance', {
 *   parameters: {
 *     strength: parameter.number(0, 1, { default: 1 }),
 *     context: parameter.context(() => ngram(2)),
 *   },
 *   make: ({ strength }) => ({
 *     unbiased: true,
 *     draw: (random) => random,
 *     reweight(p, random, q) {
 *       const green = p.reduce((sum, mass, i) => sum + mass * isGreen(i, random), 0)
 *       for (let i = 0; i < p.length; i++) q[i] = p[i] * (1 + strength * (isGreen(i, random) - green))
 *     },
 *     score: isGreen,
 *     detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
 *   }),
 * })
 * secondChance({ strength: 0.5 }).id // 'secondChance(strength=0.5)'
 */
export function defineMethod<const Name extends string, P extends MethodParameters, Code>(
  name: Name,
  definition: MethodDefinition<P, Code>,
): Method<OptionsFor<P>, Code, Name> {
  type Options = OptionsFor<P>
  if (typeof name !== 'string' || !/^[A-Za-z]\w*$/.test(name))
    throw wrongType('name', 'a name such as mine', name)
  if (typeof definition?.make !== 'function' || Object(definition.parameters) !== definition.parameters)
    throw wrongType('definition', 'an object with parameters and make', definition)
  for (const [option, kind] of Object.entries(definition.parameters))
    if (!kind?.check || !kind.usual)
      throw wrongType(`parameters.${option}`, 'a kind such as parameter.oneOf([2, 3])', kind)
  refuseUnknown('defineMethod', definition, ['parameters', 'shipped', 'rows', 'small', 'make'])
  const { parameters, small = {}, make } = definition
  const factory = (options: AnyValues = {}): Watermark<Code> => {
    if (options?.codes && joinedCodes.has(method)) return joinedCodes.get(method)!(options)
    const values = valuesOf(name, parameters, options)
    const parts = make(values as ValuesOf<P>, options as Partial<Options>)
    const context = parts.context ?? (values.context as ContextRule)
    const watermark = complete<Code>({
      domain: domainOf(name, parameters, values, context?.id),
      // where there is a mark, whole texts are unbiased as long as no two positions share a context
      ...(parts.unbiased &&
        parts.detector !== undefined &&
        context?.freshUpTo !== undefined && { unbiasedUpTo: context.freshUpTo }),
      ...parts,
      id: idOf(name, parameters, values),
      context,
    })
    origins.set(watermark, { method, options, values })
    return watermark
  }
  const usual = (options: AnyValues = {}): Watermark<Code> => factory({ ...examples(parameters), ...options })
  const shipped = definition.shipped ?? [examples(parameters) as Options]
  const method = Object.assign(Object.defineProperty(factory, 'name', { value: name }), {
    parameters,
    shipped,
    rows: definition.rows ?? shipped,
    small,
    published: {},
    usual,
    make,
  }) as unknown as Method<Options, Code, Name>
  return method
}
