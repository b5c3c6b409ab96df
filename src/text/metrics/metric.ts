/**
 * A metric is declared once: what it measures, which way is better and the interval all its values lie in. The repeated-prompt
 * theory (SPMG) needs that interval: its bound on chance deviations scales with the range of the metric, so a metric that could
 * leave its range would void the guarantee. Unbounded quantities are therefore clipped at a declared bound.
 */
import { list, wrongType } from '../../input.ts'

/** One generated text and what it is judged by. Which fields a metric reads stands in its `needs`. */
export interface Sample {
  readonly text: string
  /** The human text, translation or summary to compare with. */
  readonly reference?: string
  /** The generated token ids, for metrics under a model. */
  readonly tokens?: ArrayLike<number>
  /** The token ids of the prompt, for metrics under a model. */
  readonly prompt?: ArrayLike<number>
}

/** A number for each text, with the interval that all its values lie in. */
export interface Metric {
  /** Unique and printable, with the parameters that change its values: `rouge1(stem)`, `perplexity(bound=1000)`. */
  readonly id: string
  /** Every value lies in [low, high]. */
  readonly low: number
  readonly high: number
  readonly better: 'higher' | 'lower'
  /** The fields of a sample that must be there. */
  readonly needs: readonly ('reference' | 'tokens')[]
  /** Returns one value per sample, in order. */
  score(samples: readonly Sample[]): Promise<Float64Array>
  /** The value of a whole corpus where it is not the mean of the samples' values (BLEU). */
  corpus?(samples: readonly Sample[]): Promise<number>
}

/** Returns a field that the metric needs; the error says which sample lacks it. */
export function required<K extends 'reference' | 'tokens'>(
  metric: string,
  samples: readonly Sample[],
  field: K,
): NonNullable<Sample[K]>[] {
  return Array.from(list<Sample>('samples', samples, 'a list of samples'), (sample, i) => {
    const value = sample?.[field]
    if (value === undefined) throw new TypeError(`${metric}: samples[${i}] has no ${field}`)
    return value as NonNullable<Sample[K]>
  })
}

export const sampleTexts = (samples: readonly Sample[]): string[] =>
  Array.from(list<Sample>('samples', samples, 'a list of samples'), (sample, i) => {
    if (typeof sample?.text !== 'string') throw wrongType(`samples[${i}].text`, 'a string', sample?.text)
    return sample.text
  })

/** Returns a metric that looks at one text and its reference at a time. */
export const comparison = (
  declaration: Omit<Metric, 'needs' | 'score'>,
  compare: (text: string, reference: string) => number,
): Metric => ({
  ...declaration,
  needs: ['reference'],
  async score(samples) {
    const references = required(declaration.id, samples, 'reference')
    return Float64Array.from(sampleTexts(samples), (text, i) => compare(text, references[i]!))
  },
})
