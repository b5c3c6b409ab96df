/** Lists of what ships. They follow from the methods: none is kept by hand, but for the rows of the paper. */
import type { AnyMethod } from '../core/method/index.ts'
import type { AnyWatermark } from '../watermark.ts'
import { publishedGumbel } from './as-published.ts'
import * as methods from './method-list.ts'

const { dipmark, expEdit, gammaReweight, itsEdit, kgw, mcmark, sta1, synthid, unigram } = methods

/**
 * Every shipped method, in the order of their names.
 * @example shippedMethods().some(({ name }) => name === 'gumbel') // true
 */
export const shippedMethods = (): AnyMethod[] =>
  Object.values<AnyMethod>({ ...methods, gumbel: publishedGumbel }).sort((a, b) => (a.name < b.name ? -1 : 1))

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

/** The rows of the paper, then those that are not among them. */
function afterThePaper(others: readonly AnyWatermark[]): AnyWatermark[] {
  const byId = new Map([...paperWatermarks(), ...others].map((watermark) => [watermark.id, watermark]))
  return [...byId.values()]
}

/**
 * Every variant that ships: the rows of the paper, then the others.
 * @example shippedWatermarks()[0].id // 'unigram(delta=0.5)'
 */
export const shippedWatermarks = (): AnyWatermark[] =>
  afterThePaper(shippedMethods().flatMap((method) => method.shipped.map((options) => method(options))))

/**
 * Methods with a detector that the paper's tables lack, each as it ships first.
 * @example beyondThePaper().some(({ id }) => id === 'gumbel') // true
 */
export function beyondThePaper(): AnyWatermark[] {
  const inPaper = new Set(paperWatermarks().map(({ id }) => id.split('(')[0]!))
  return shippedMethods()
    .filter(({ name }) => !inPaper.has(name))
    .map((method) => method(method.shipped[0]!))
    .filter(({ detector }) => detector !== undefined)
}

/** The rows of the benchmark's tables: those of the paper, then what other methods ask for. */
export const benchmarkWatermarks = (): AnyWatermark[] =>
  afterThePaper(shippedMethods().flatMap((method) => method.rows.map((options) => method(options))))
