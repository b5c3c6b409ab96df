/**
 * Metrics of a text that need no model, each with the interval its values lie in: what the repeated-prompt test compares. A watermark
 * under a fixed key changes which words follow which; a coin that is tossed once for every word turns that into a share.
 */
import { integer, oneOf } from '../input.ts'
import { labelSeed } from '../keys/stream.ts'
import { bleu } from '../metrics/bleu.ts'
import type { Metric } from '../metrics/metric.ts'
import { distinctN, repeatedNgrams } from '../metrics/repetition.ts'
import { rouge } from '../metrics/rouge.ts'
import { tokenize13a } from '../metrics/tokenize13a.ts'

type Items = ArrayLike<string | number>

/** A metric over the words of a text, or over its token ids where it has no text. */
export interface TextMetric {
  readonly id: string
  readonly low: number
  readonly high: number
  /** Whether it compares with a reference text. */
  readonly needsReference?: true
  score(text: TextItems): Promise<number>
}

/** A text as the metrics see it. */
export interface TextItems {
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
  score: async ({ items }) => Math.min(high, value(items)),
})

/** The share of the first `first` items whose coin shows heads; 1/2 for an empty text. */
function coin(id: string, seed: number, first: number): TextMetric {
  const tossed = new Map<string | number, number>()
  const toss = (item: string | number): number => {
    const known = tossed.get(item) ?? labelSeed('coin', seed, item)[0]! & 1
    tossed.set(item, known)
    return known
  }
  return overItems(id, 1, (items) => {
    const count = Math.min(first, items.length)
    let heads = 0
    for (let i = 0; i < count; i++) heads += toss(items[i]!)
    return count === 0 ? 1 / 2 : heads / count
  })
}

const withReference = (metric: Metric): TextMetric => ({
  id: metric.id,
  low: metric.low,
  high: metric.high,
  needsReference: true,
  async score({ text, reference }) {
    const [value] = await metric.score([{ text: text!, reference: reference! }])
    return value!
  },
})

/** Words of a text that count towards its length, at most. */
const MAX_WORDS = 500

const makers: Record<string, () => TextMetric> = {
  length: () => overItems('length', MAX_WORDS, (items) => items.length),
  distinct1: () => overItems('distinct1', 1, (items) => distinctN(items, 1)),
  distinct2: () => overItems('distinct2', 1, (items) => distinctN(items, 2)),
  repetition: () => overItems('repetition', 1, (items) => repeatedNgrams(items, 3)),
  coin1: () => coin('coin1', 1, Number.POSITIVE_INFINITY),
  coin2: () => coin('coin2', 2, Number.POSITIVE_INFINITY),
  opening1: () => coin('opening1', 3, 5),
  opening2: () => coin('opening2', 4, 5),
  bleu: () => withReference(bleu()),
  rouge1: () => withReference(rouge(1)),
  rougeL: () => withReference(rouge('L')),
}

/** Those that are computed when none is named. */
const usual = ['length', 'distinct1', 'distinct2', 'repetition', 'coin1', 'coin2', 'opening1', 'opening2']

export const metricNames: readonly string[] = Object.keys(makers)

/** Metrics by name, each with a state of its own. */
export function metricsNamed(names: readonly string[] = usual): TextMetric[] {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new RangeError(`--metrics: '${twice}' is named twice`)
  integer('--metrics: number of metrics', names.length, 1)
  return names.map((name) => makers[oneOf('--metrics', name, metricNames)]!())
}
