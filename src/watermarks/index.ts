/** Every shipped watermark: one line here, one file beside. */
import { outOfRange } from '../input.ts'
import type { Watermark } from '../watermark.ts'
import { christ } from './christ.ts'
import { deltaReweight } from './delta-reweight.ts'
import { dipmark } from './dipmark.ts'
import { expEdit } from './exp-edit.ts'
import { gammaReweight } from './gamma-reweight.ts'
import { gumbel } from './gumbel.ts'
import { itsEdit } from './its-edit.ts'
import { kgw } from './kgw.ts'
import { mcmark } from './mcmark.ts'
import { parseCall, parseRule } from './parse.ts'
import { sta1 } from './sta1.ts'
import { synthid } from './synthid.ts'
import { unigram } from './unigram.ts'
import { unwatermarked } from './unwatermarked.ts'

export { type ChristOptions, christ } from './christ.ts'
export { type DeltaReweightOptions, deltaReweight } from './delta-reweight.ts'
export { type DipmarkOptions, dipmark } from './dipmark.ts'
export { type ExpEditOptions, expEdit } from './exp-edit.ts'
export { type GammaReweightOptions, gammaReweight } from './gamma-reweight.ts'
export { type GumbelOptions, gumbel } from './gumbel.ts'
export { type ItsEditOptions, itsEdit } from './its-edit.ts'
export { type KgwOptions, kgw } from './kgw.ts'
export { type McmarkOptions, mcmark } from './mcmark.ts'
export { type Sta1Options, sta1 } from './sta1.ts'
export { type SynthidOptions, synthid } from './synthid.ts'
export { type UnigramOptions, unigram } from './unigram.ts'
export { unwatermarked } from './unwatermarked.ts'

/** A watermark whose code type is its own business: what lists and tables hold. */
// biome-ignore lint/suspicious/noExplicitAny: a Watermark<Code> is invariant in Code, so a mixed list has no other type
export type AnyWatermark = Watermark<any>

/** A method by name: how it is made, and the parameters that its id can name besides `context`. */
interface Method {
  // biome-ignore lint/suspicious/noExplicitAny: options are checked by the factory, with an error that names the argument
  readonly make: (options: any) => AnyWatermark
  readonly takes: readonly string[]
}

const methods: Record<string, Method> = {
  gumbel: { make: gumbel, takes: [] },
  gammaReweight: { make: gammaReweight, takes: ['codes'] },
  deltaReweight: { make: deltaReweight, takes: [] },
  dipmark: { make: dipmark, takes: ['alpha', 'codes'] },
  mcmark: { make: mcmark, takes: ['channels', 'codes'] },
  synthid: { make: synthid, takes: ['layers', 'leaves', 'detector', 'codes', 'flavor'] },
  sta1: { make: sta1, takes: ['gamma', 'codes'] },
  kgw: { make: kgw, takes: ['delta', 'gamma', 'codes'] },
  unigram: { make: unigram, takes: ['delta', 'gamma'] },
  itsEdit: { make: itsEdit, takes: ['keyLength', 'block', 'penalty'] },
  expEdit: { make: expEdit, takes: ['keyLength', 'block', 'penalty', 'codes'] },
  christ: { make: christ, takes: ['entropy'] },
  unwatermarked: { make: unwatermarked, takes: [] },
}

/**
 * Names of the shipped methods.
 * @example methodNames().includes('gumbel') // true
 */
export const methodNames = (): string[] => Object.keys(methods)

/**
 * The inverse of `id`.
 * @example parseWatermark('dipmark(alpha=0.4)').id // 'dipmark(alpha=0.4)'
 */
export function parseWatermark(text: string): AnyWatermark {
  const { name, first, options } = parseCall('watermark', text)
  const method = methods[name]
  if (method === undefined) throw outOfRange('watermark', `one of ${methodNames().join(', ')}`, text)
  const { context, ...rest } = options
  const unknown = first ?? Object.keys(rest).find((parameter) => !method.takes.includes(parameter))
  if (unknown !== undefined)
    throw outOfRange('watermark', `${name} with parameters ${[...method.takes, 'context'].join(', ')}`, text)
  return method.make(context === undefined ? rest : { ...rest, context: parseRule(context) })
}

const deltas = [0.5, 1, 1.5, 2]

/**
 * The rows of the paper's tables, in its order.
 * @example paperWatermarks().length // 19
 */
export const paperWatermarks = (): AnyWatermark[] => [
  ...deltas.map((delta) => unigram({ delta })),
  ...deltas.map((delta) => kgw({ delta })),
  dipmark({ alpha: 0.3 }),
  dipmark({ alpha: 0.4 }),
  gammaReweight(),
  ...[10, 20, 50, 100].map((channels) => mcmark({ channels })),
  sta1(),
  synthid(),
  expEdit(),
  itsEdit(),
]
