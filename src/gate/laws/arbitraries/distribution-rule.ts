import { integer, refuseUnknown } from '../../../input.ts'
import { fc } from '../fast-check.ts'
import type { Arbitrary } from './arbitrary.ts'
import { type DistributionRule, MODEL_ROWS } from './rule.ts'
import { shrinking } from './shrinking.ts'

/** Bounds of `distributionRule`. */
export interface RuleConstraints {
  /** Fewest tokens. Default 2. */
  readonly minTokens?: number
  /** Most tokens. Default 50,257. */
  readonly maxTokens?: number
  /** Fewest tokens that shrinking may reach. Default `minTokens`. */
  readonly shrinksTo?: number
}

/** Sizes that shrinking tries, smallest first: about powers of two, even and odd. */
const LADDER = [2, 3, 4, 8, 17, 32, 64, 128, 257, 512, 1000, 2048, 4097, 8192, 16_384, 32_768, 65_536, 65_537]

/** The same rule over fewer tokens, fewest first. */
function* smaller(rule: DistributionRule, least: number): Generator<DistributionRule> {
  for (const vocabSize of LADDER) {
    if (vocabSize < least || vocabSize >= rule.vocabSize) continue
    const share = vocabSize / rule.vocabSize
    yield rule.shape === 'top-k'
      ? { ...rule, vocabSize, k: Math.ceil(rule.k * share) }
      : { ...rule, vocabSize }
  }
}

/** Simpler rules over as many tokens, simplest first. */
function* simpler(rule: DistributionRule): Generator<DistributionRule> {
  const { vocabSize } = rule
  if (rule.shape === 'uniform') return
  yield { shape: 'uniform', vocabSize }
  const zipf = { shape: 'zipf', vocabSize, exponent: 1, order: 0 } as const
  if (rule.shape !== 'zipf' || rule.exponent !== 1 || rule.order !== 0) yield zipf
  if (rule.shape !== 'special' && rule.order !== 0) yield { ...rule, order: 0 }
}

const range = (min: number, max: number, step: number): Arbitrary<number> =>
  fc.integer({ min: Math.round(min / step), max: Math.round(max / step) }).map((n) => +(n * step).toFixed(3))

/** Sizes spread evenly over their logarithm. */
const size = (min: number, max: number): Arbitrary<number> =>
  fc
    .double({ min: Math.log2(min), max: Math.log2(max + 0.5), noNaN: true })
    .map((log) => Math.min(max, Math.max(min, Math.floor(2 ** log))))

function rules(min: number, max: number): Arbitrary<DistributionRule> {
  const vocabSize = size(min, max)
  const order = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2 ** 31 - 1 }))
  const exponent = range(0.5, 2, 0.1)
  const zipf = fc.record({ shape: fc.constant('zipf' as const), vocabSize, exponent, order })
  return fc.oneof(
    fc.record({ shape: fc.constant('uniform' as const), vocabSize }),
    zipf,
    fc.record({ shape: fc.constant('heavy' as const), vocabSize, top: range(0.3, 0.95, 0.05), order }),
    fc
      .tuple(zipf, range(0.05, 0.9, 0.05))
      .map(([rule, share]) => ({ ...rule, shape: 'top-k' as const, k: Math.ceil(share * rule.vocabSize) })),
    fc.record({
      shape: fc.constant('model' as const),
      vocabSize,
      row: fc.nat({ max: MODEL_ROWS - 1 }),
      order,
    }),
  )
}

/** Fewer tokens under the same rule first, then a simpler rule; each once, since a value that passes takes long. */
function* simplerRules(
  rule: DistributionRule,
  progress: string | undefined,
  least: number,
): Generator<readonly [DistributionRule, string]> {
  if (progress === undefined) for (const fewer of smaller(rule, least)) yield [fewer, 'fewer tokens']
  if (progress !== 'simpler shape') for (const other of simpler(rule)) yield [other, 'simpler shape']
}

/**
 * Rules for distributions over vocabularies of real sizes: uniform, Zipf, one heavy token, top-k, and shapes of a language model's
 * next-token distributions, ids in order of probability or in a random one. They shrink to fewer tokens first, then to simpler rules.
 * @example fc.assert(fc.property(distributionRule({ maxTokens: 100 }), (rule) => distributionOf(rule).length === rule.vocabSize))
 */
export function distributionRule(constraints: RuleConstraints = {}): Arbitrary<DistributionRule> {
  refuseUnknown('distributionRule', constraints, ['minTokens', 'maxTokens', 'shrinksTo'])
  const max = integer('maxTokens', constraints.maxTokens ?? 50_257, 2, 2 ** 20)
  const min = integer('minTokens', constraints.minTokens ?? 2, 2, max)
  const least = integer('shrinksTo', constraints.shrinksTo ?? min, 2, min)
  return shrinking(
    rules(min, max),
    (value) => typeof value === 'object' && value !== null && 'shape' in value,
    (rule, progress) => simplerRules(rule, progress, least),
  )
}
