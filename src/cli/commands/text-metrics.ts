/**
 * Metrics of a text that need no model, each with the interval its values lie in: what the repeated-prompt test compares. A watermark
 * under a fixed key changes which words follow which. A coin tossed once for every word of the language turns that into a number, and many
 * coins see most of it: `words` has the share of heads among all words, `opening` the coins of each of the first words.
 */

import { labelSeed } from '../../core/keys/index.ts'
import { integer, oneOf } from '../../input.ts'
import type { Metric } from '../../text/metrics/index.ts'
import { bleu, distinctN, repeatedNgrams, rouge, tokenize13a } from '../../text/metrics/index.ts'

type Items = ArrayLike<string | number>

/** A metric over the words of a text, or over its token ids where it has no text. */
export interface TextMetric {
  readonly id: string
  readonly low: number
  readonly high: number
  /** Components of a value. */
  readonly width: number
  /** True for metrics that compare with a reference text. */
  readonly needsReference?: true
  score(text: TextItems): Promise<readonly number[]>
}

/** A text as the metrics see it. */
interface TextItems {
  readonly items: Items
  readonly text?: string
  readonly reference?: string
}

/** Words of a text; token ids stand for themselves. */
export const itemsOf = (text: string | ArrayLike<number>): Items =>
  typeof text === 'string' ? tokenize13a(text) : text

const overItems = (id: string, high: number, value: (items: Items) => number): TextMetric => ({
  id,
  low: 0,
  high,
  width: 1,
  score: async ({ items }) => [Math.min(high, value(items))],
})

/** Coins of each item, and positions that have coins of their own. */
const COINS = 32
const OPENING = 4

/** Each item's coins, as the bits of a word: the same in every run, and independent of any watermark. */
function coins(): (item: string | number) => number {
  const tossed = new Map<string | number, number>()
  return (item) => {
    const known = tossed.get(item) ?? labelSeed('coins', item)[0]!
    tossed.set(item, known)
    return known
  }
}

/** A metric of `width` coins or means of coins. */
function overCoins(
  id: string,
  width: number,
  values: (items: Items, toss: (item: string | number) => number) => number[],
): TextMetric {
  const toss = coins()
  return { id, low: 0, high: 1, width, score: async ({ items }) => values(items, toss) }
}

/** The share of heads among the items, coin by coin; 1/2 for an empty text. */
const shareOfHeads = (): TextMetric =>
  overCoins('words', COINS, (items, toss) => {
    const heads = new Array<number>(COINS).fill(items.length === 0 ? 1 / 2 : 0)
    for (let i = 0; i < items.length; i++) {
      const word = toss(items[i]!)
      for (let k = 0; k < COINS; k++) heads[k]! += ((word >>> k) & 1) / items.length
    }
    return heads
  })

/** The coins of the first items, position by position; 1/2 where the text is shorter. */
const firstCoins = (): TextMetric =>
  overCoins('opening', OPENING * COINS, (items, toss) => {
    const values: number[] = []
    for (let i = 0; i < OPENING; i++) {
      const word = i < items.length ? toss(items[i]!) : undefined
      for (let k = 0; k < COINS; k++) values.push(word === undefined ? 1 / 2 : (word >>> k) & 1)
    }
    return values
  })

const withReference = (metric: Metric): TextMetric => ({
  id: metric.id,
  low: metric.low,
  high: metric.high,
  width: 1,
  needsReference: true,
  async score({ text, reference }) {
    return [...(await metric.score([{ text: text!, reference: reference! }]))]
  },
})

/** Words of a text that count towards its length, at most. */
const MAX_WORDS = 500

const makers: Record<string, () => TextMetric> = {
  length: () => overItems('length', MAX_WORDS, (items) => items.length),
  distinct1: () => overItems('distinct1', 1, (items) => distinctN(items, 1)),
  distinct2: () => overItems('distinct2', 1, (items) => distinctN(items, 2)),
  repetition: () => overItems('repetition', 1, (items) => repeatedNgrams(items, 3)),
  words: shareOfHeads,
  opening: firstCoins,
  bleu: () => withReference(bleu()),
  rouge1: () => withReference(rouge(1)),
  rougeL: () => withReference(rouge('L')),
}

/** The metrics computed when no name is given. */
export const defaultMetrics: readonly string[] = [
  'length',
  'distinct1',
  'distinct2',
  'repetition',
  'words',
  'opening',
]

export const metricNames: readonly string[] = Object.keys(makers)

/** Returns metrics by name, each with a state of its own. */
export function metricsNamed(names: readonly string[] = defaultMetrics): TextMetric[] {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new RangeError(`--metrics: '${twice}' is named twice`)
  integer('--metrics: number of metrics', names.length, 1)
  return names.map((name) => makers[oneOf('--metrics', name, metricNames)]!())
}

/** Scores a text with all metrics: their components, one metric after the other. */
export async function scored(metrics: readonly TextMetric[], text: TextItems): Promise<number[]> {
  const values: number[] = []
  for (const metric of metrics) values.push(...(await metric.score(text)))
  return values
}
