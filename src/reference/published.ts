/**
 * Published codes as a decorator: what an implementation draws differently replaces those parts of a method's declaration, and
 * nothing else. Methods know nothing of this; `src/watermarks/methods.ts` joins them, one line per method, so that a bundle
 * that uses none of the published codes has none of them.
 */
import type { Detector } from '../detect/detector.ts'
import { outOfRange, show } from '../input.ts'
import type { Random } from '../keys/random.ts'
import type { ContextRule } from '../keys/rule.ts'
import type { Site } from '../keys/schedule.ts'
import {
  type AnyMethod,
  defineMethod,
  type Flat,
  type Method,
  type MethodParameters,
  type OptionsFor,
} from '../method/define-method.ts'
import { type AnyValues, parameter } from '../method/parameters.ts'
import type { MarkedScore, Weighted } from '../watermark.ts'

/** The parts of a declaration that codes decide. Left out: as the method has it. */
export interface PublishedParts<Code> {
  draw(random: Random, vocabSize: number, site: Site): Code
  readonly detector?: Detector
  reweight?(p: Float64Array, code: Code, q: Float64Array): void
  score?(token: number, code: Code): number
  orbit?(code: Code, p: Float64Array): Iterable<Code> | Iterable<Weighted<Code>>
  enumerate?(vocabSize: number): Iterable<Weighted<Code>>
  /** The closed form of the method is that of its own codes: there is none here unless one is given. */
  readonly markedScore?: MarkedScore
}

/** How one or more published implementations draw the codes of a method. */
export interface PublishedCodes<
  Code,
  Codes extends string = string,
  Extra extends MethodParameters = MethodParameters,
> {
  /** The value of the option `codes` that asks for them. */
  readonly codes: Codes
  /** What the page of the method says of that value. */
  readonly about: string
  /** Options that go with these codes only, such as the flavor of SynthID. */
  readonly parameters: Extra
  /** The implementations by name, each with the options that tell it from the others. */
  readonly implementations: Readonly<Record<string, AnyValues>>
  /** The context rule that it usually has; by default that of the method. */
  context?(values: AnyValues): ContextRule
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
    /** Where a position's randomness comes from: this package ('own'), or exactly as published implementations draw it. */
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
      const asked = parts.detector?.guaranteed === false ? { detector: parts.detector } : {}
      return { ...parts, markedScore: undefined, needsKey: true, ...set.parts(values as never), ...asked }
    },
  })
  const joined: AnyMethod = Object.assign(method, { published: implementationsOf(sets) })
  return joined as Method<Joined<Options, Sets>, Code, Name>
}
