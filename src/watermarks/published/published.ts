/**
 * Published codes as a decorator: what an implementation draws differently replaces those parts of a method's declaration, and
 * nothing else. A bundle without the method has none of its published codes.
 */

import type { ContextRule, Random, Site } from '../../core/keys/index.ts'
import {
  type AnyMethod,
  type AnyValues,
  defineMethod,
  type Flat,
  type Method,
  type MethodParameters,
  type OptionsFor,
  parameter,
} from '../../core/method/index.ts'
import { outOfRange, show } from '../../input.ts'
import type { Detector, FastPaths, MarkedScore, Weighted } from '../../watermark.ts'
import { integerText } from './key.ts'

/** The parts of a declaration that codes decide. Left out: as the method has it. */
export interface PublishedParts<Code> {
  draw(random: Random, vocabSize: number, site: Site): Code
  readonly detector?: Detector
  reweight?(p: Float64Array, code: Code, q: Float64Array): void
  score?(token: number, code: Code): number
  orbit?(code: Code, p: Float64Array): Iterable<Code> | Iterable<Weighted<Code>>
  enumerate?(vocabSize: number): Iterable<Weighted<Code>>
  /** Faster ways to do the same with these codes. */
  readonly fast?: FastPaths<Code>
  /** Reads a key as users of the implementation have it; by default integers are written in decimal. */
  keyOf?(key: unknown): unknown
  /** The claim of the method, where these codes break it. */
  readonly unbiased?: boolean
  /** The protocol of the method, where these codes have another one or none. */
  readonly speculative?: undefined
  /** The bits of a seed. Default 32: generators of PyTorch and NumPy, and hashes of engines, take no more. */
  readonly seedBits?: number
  /** The closed form of the method is about its own codes: published ones have none unless it is given here. */
  readonly markedScore?: MarkedScore
}

/** The codes of a method as one or more published implementations draw them. */
export interface PublishedCodes<
  Code,
  Codes extends string = string,
  Extra extends MethodParameters = MethodParameters,
> {
  /** The value of the option `codes` that asks for them. */
  readonly codes: Codes
  /** The text about that value on the page of the method. */
  readonly about: string
  /** Options that go with these codes only, such as the flavor of SynthID. */
  readonly parameters: Extra
  /** The implementations by name, each with the options that tell it from the others. */
  readonly implementations: Readonly<Record<string, AnyValues>>
  /** The context rule that it usually has; by default that of the method. */
  context?(values: AnyValues): ContextRule
  /** Set where `parts` makes the test that promises nothing too, which users ask for by `detector: 'published'`. */
  readonly ownTests?: true
  /** The parts that it decides, for checked values of the method's parameters and of its own. */
  parts(values: never): PublishedParts<Code>
}

// biome-ignore lint/suspicious/noExplicitAny: sets of different codes in one list have no other type
type AnyCodes = PublishedCodes<any>

/** Declares published codes: see `codes/` for examples. */
export const publishedCodes = <Code, const Codes extends string, Extra extends MethodParameters>(
  codes: PublishedCodes<Code, Codes, Extra>,
): PublishedCodes<Code, Codes, Extra> => codes

type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/** The options of a method that is joined with published codes. */
type Joined<Options, Sets extends readonly AnyCodes[]> = Flat<
  Omit<Options, 'codes'> & {
    /** The source of a position's randomness: this package ('own'), or exactly as published implementations draw it. */
    readonly codes?: 'own' | Sets[number]['codes']
  } & Intersection<OptionsFor<Sets[number]['parameters']>>
>

/** Own parameters, then `codes` and what goes with it, then the context rule. */
function joinedParameters(own: MethodParameters, sets: readonly AnyCodes[]): MethodParameters {
  const { context, ...others } = own
  const about = sets.map(({ codes, about }) => `'${codes}': ${about}`).join(' ')
  const named = sets.map(({ codes }) => codes)
  const setOf = (values: AnyValues) => sets.find(({ codes }) => codes === values.codes)
  const usual = (values: AnyValues): ContextRule =>
    setOf(values)?.context?.(values) ?? (context!.usual(values) as ContextRule)
  return {
    ...others,
    codes: parameter.oneOf(['own', ...named], { shapesCode: true, about }),
    ...Object.assign({}, ...sets.map(({ parameters }) => parameters)),
    ...(context && { context: parameter.context(usual) }),
  }
}

/** The options that go with some published codes must not be given without them. */
function refuseOthers(sets: readonly AnyCodes[], codes: unknown, options: AnyValues): void {
  for (const set of sets)
    for (const name of set.codes === codes ? [] : Object.keys(set.parameters))
      if (options[name] !== undefined)
        throw outOfRange(name, `none without codes: ${show(set.codes)}`, options[name])
}

/** For each implementation the options that ask for it, whatever was asked for before. */
function implementationsOf(sets: readonly AnyCodes[]): Record<string, AnyValues> {
  const names = sets.flatMap(({ parameters }) => Object.keys(parameters))
  const none = Object.fromEntries(names.map((name) => [name, undefined]))
  return Object.fromEntries(
    sets.flatMap(({ codes, implementations }) =>
      Object.entries(implementations).map(([name, options]) => [name, { ...none, codes, ...options }]),
    ),
  )
}

/** A method that can also draw codes as published implementations do, with the option `codes`: `withPublished(ownKgw, leftHashCodes)`. */
export function withPublished<
  Options extends object,
  Code,
  Name extends string,
  const Sets extends readonly PublishedCodes<Code>[],
>(own: Method<Options, Code, Name>, ...sets: Sets): Method<Joined<Options, Sets>, Code, Name> {
  const { name, parameters, shipped, rows, small } = own as AnyMethod
  const method = defineMethod(name, {
    parameters: joinedParameters(parameters, sets),
    shipped,
    rows,
    small,
    make(values, options) {
      refuseOthers(sets, values.codes, options)
      const parts = own.make(values, options)
      const set = sets.find(({ codes }) => codes === values.codes)
      if (set === undefined) return parts
      // a test that promises nothing was asked for by name, and needs no law of the codes
      const asked = parts.detector?.guaranteed === false && !set.ownTests ? { detector: parts.detector } : {}
      return {
        ...parts,
        markedScore: undefined,
        fast: undefined,
        needsKey: true,
        seedBits: 32,
        keyOf: integerText(10),
        ...set.parts(values as never),
        ...asked,
      }
    },
  })
  const joined: AnyMethod = Object.assign(method, { published: implementationsOf(sets) })
  return joined as Method<Joined<Options, Sets>, Code, Name>
}
