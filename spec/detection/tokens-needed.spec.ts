/** How long a text must be, by detector, beside the fewest tokens that any detector needs: reports/tokens-needed.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { entropy } from '../../src/theory/expected-score.ts'
import { likelihoodBound } from '../../src/theory/likelihood-bound.ts'
import { tokensNeeded } from '../../src/theory/tokens-needed.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { dipmark, gammaReweight, gumbel, withMinimaxScore } from '../../src/watermarks/index.ts'
import { detectableWatermarks } from '../watermarks/shipped.ts'

const VOCABULARY = 100
/** Keys for the law of a score, whose mean must be exact to a small part of the gain, and for the law of likelihood ratios. */
const KEYS = 20_000
const RATIO_KEYS = 2000
const ENTROPIES = [0.5, 2, 4]

/** Zipf's law with the exponent that gives an entropy. */
function zipf(nats: number): Float64Array {
  const law = (exponent: number): Float64Array => {
    const weights = Float64Array.from({ length: VOCABULARY }, (_, i) => (i + 1) ** -exponent)
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    return weights.map((weight) => weight / total)
  }
  let [low, high] = [0, 10]
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (entropy(law(middle)) > nats) low = middle
    else high = middle
  }
  return law(high)
}

/** Options that read the same text, by the id of the usual detector. */
const options = new Map<string, AnyWatermark>([
  ['gumbel', withMinimaxScore(gumbel(), { delta: 0.1 })],
  ['gammaReweight', gammaReweight({ detector: 'linear' })],
  ['dipmark(alpha=0.3)', dipmark({ alpha: 0.3, detector: 'linear' })],
  ['dipmark(alpha=0.4)', dipmark({ alpha: 0.4, detector: 'linear' })],
])

const watermarks = detectableWatermarks()
  .filter(({ detector, context }) => detector!.id === 'sum' && !context.recurs)
  .flatMap((watermark) => [watermark, options.get(watermark.id) ?? []].flat())

interface Cell {
  readonly needed: number
  readonly bound: number
}
const rows = new Map<string, Cell[]>()

test.each(watermarks.map((watermark) => [watermark.id, watermark] as const))('%s', (id, watermark) => {
  const cells = ENTROPIES.map((nats) => {
    const p = zipf(nats)
    const needed = tokensNeeded(watermark, p, 0.01, 0.9, { keys: KEYS })
    const bound = likelihoodBound(watermark, p, 0.01, 0.9, { keys: RATIO_KEYS })
    return { needed: needed.applicable ? needed.high : Number.NaN, bound: bound.tokens }
  })
  for (const { needed, bound } of cells) expect(needed).toBeGreaterThanOrEqual(bound)
  rows.set(id, cells)
})

const count = (n: number): string => (Number.isFinite(n) ? String(n) : 'never')

test('reports/tokens-needed.md is what this computes', async () => {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const head = ['watermark', ...ENTROPIES.flatMap((nats) => [`${nats} nats`, 'bound', 'factor'])]
  const extra = new Set(Array.from(options.values(), ({ id }) => id))
  const body = Array.from(rows, ([id, cells]) =>
    line([
      `${extra.has(id) ? '&nbsp;&nbsp;' : ''}\`${id}\``,
      ...cells.flatMap(({ needed, bound }) => [
        count(needed),
        count(bound),
        Number.isFinite(needed) ? (needed / bound).toFixed(1) : '-',
      ]),
    ]),
  )
  const table = [line(head), line(head.map(() => '---')), ...body].join('\n')
  const filled: Record<string, string | number> = { vocabSize: VOCABULARY, keys: '20,000', table }
  const intro = readFileSync(new URL('./tokens-needed-intro.md', import.meta.url), 'utf8')
  await expect(intro.replace(/\{(\w+)\}/g, (_, name: string) => String(filled[name]))).toMatchFileSnapshot(
    '../../reports/tokens-needed.md',
  )
})
