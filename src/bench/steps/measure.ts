/** Scores texts with task metrics against their references, one value per text. */
import { bertScore, bleuCounts, perplexity, rouge, sentenceBleu } from '../../text/metrics/index.ts'
// the encoder comes from the resources; its code is part of this step's
import '../../text/models/index.ts'
import type { Encoder } from '../../text/models/index.ts'
import { defineStep } from '../cells/step.ts'
import type { GenerateInputs, Texts } from './generate.ts'
import type { ModelRef, Resources } from './resources.ts'

const metricNames = [
  'BLEU',
  'ROUGE-1',
  'ROUGE-2',
  'ROUGE-L',
  'BERTScore P',
  'BERTScore R',
  'BERTScore',
  'Perplexity',
  'Excess surprise',
] as const
export type MetricName = (typeof metricNames)[number]

export interface MeasureInputs {
  readonly model: ModelRef
  /** The model whose perplexity is measured; null: the perplexity under the distribution that was sampled from, before the watermark. */
  readonly judge: ModelRef | null
  /** The model that BERTScore compares with. */
  readonly encoder: ModelRef
  readonly data: GenerateInputs['data']
  readonly from: number
  readonly per: number
  /** The number of texts, for the estimate of the time. */
  readonly texts: number
  readonly metrics: readonly MetricName[]
  /** Compare with only this many words of the reference. */
  readonly referenceWords?: number
  /** Perplexities are clipped here, so that the metric is bounded as Theorem 2 asks. */
  readonly perplexityBound: number
}

export type Measured = { readonly [metric in MetricName]?: readonly number[] } & {
  /** The counts that BLEU is made of, text by text: they add up to those of a corpus. */
  readonly bleuCounts?: readonly (readonly number[])[]
}

const round = (value: number): number => Number(value.toPrecision(7))

interface Sample {
  readonly text: string
  readonly reference: string
  readonly tokens: readonly number[]
  readonly prompt: readonly number[]
}

/** References come again and again, for every method: each is embedded once per worker. */
function remembering(encoder: Encoder, references: readonly string[]): Encoder {
  const states = new Map<string, Float32Array | undefined>()
  for (const reference of references) states.set(encoder.tokenizer.encode(reference).join(), undefined)
  return {
    ...encoder,
    async hiddenStates(texts) {
      const names = texts.map((tokens) => Array.from(tokens).join())
      const missing = texts.filter((_, i) => !states.get(names[i]!))
      const fresh = await encoder.hiddenStates(missing)
      const found = new Map(missing.map((tokens, i) => [Array.from(tokens).join(), fresh[i]!]))
      for (const [name, state] of found) if (states.has(name)) states.set(name, state)
      return names.map((name) => (found.get(name) ?? states.get(name))!)
    },
  }
}

interface Judge {
  readonly encoder: Encoder
  readonly baseline: { readonly precision: number; readonly recall: number; readonly f1: number }
}

/** Measures the baseline, the mean BERTScore of unrelated texts: each reference against another, a third of the data further on. */
async function judgeOf(encoder: Encoder, references: readonly string[]): Promise<Judge> {
  const remembered = remembering(encoder, references)
  const used = references.slice(0, 96)
  const others = used.map((_, i) => used[(i + Math.ceil(used.length / 3)) % used.length]!)
  const scores = await bertScore(remembered, used, others)
  const mean = (part: 'precision' | 'recall' | 'f1') =>
    scores.reduce((sum, s) => sum + s[part], 0) / scores.length
  return {
    encoder: remembered,
    baseline: { precision: mean('precision'), recall: mean('recall'), f1: mean('f1') },
  }
}

/** By encoder: one that was freed takes its judges along. */
const judges = new WeakMap<Encoder, Map<string, Promise<Judge>>>()

async function bertScores(
  inputs: MeasureInputs,
  samples: readonly Sample[],
  references: readonly string[],
  resources: Resources,
) {
  const own = await resources.encoder(inputs.encoder)
  const known = judges.get(own) ?? new Map<string, Promise<Judge>>()
  judges.set(own, known)
  const name = JSON.stringify([inputs.data, inputs.referenceWords])
  const judge = known.get(name) ?? judgeOf(own, references)
  known.set(name, judge)
  const { encoder, baseline } = await judge
  const texts = samples.map(({ text }) => text)
  return bertScore(
    encoder,
    texts,
    samples.map(({ reference }) => reference),
    { baseline, batch: 32 },
  )
}

/** Returns the first words of a text, spaces between them kept. */
const firstWords = (text: string, count: number): string =>
  new RegExp(`^\\s*(\\S+\\s*){0,${count}}`).exec(text)![0].trimEnd()

export const measureStep = defineStep<MeasureInputs, [Texts], Measured, Resources>({
  module: import.meta.url,
  cost: ({ texts }) => texts,
  async run(inputs, [{ texts, surprise, excess }], resources) {
    const model = await resources.model(inputs.model)
    const judge = inputs.judge && (await resources.model(inputs.judge))
    const { examples } = await resources.data(inputs.data.name, inputs.data.limit)
    const { referenceWords } = inputs
    const references = examples.map(({ reference = '' }) =>
      referenceWords ? firstWords(reference, referenceWords) : reference,
    )
    const samples: Sample[] = texts.map((tokens, i) => {
      const at = inputs.from + Math.floor(i / inputs.per)
      const text = model.tokenizer.decode(tokens).trim()
      // a judge reads the text with its own tokens, and without the prompt
      return {
        text,
        reference: references[at]!,
        tokens: judge ? judge.tokenizer.encode(text) : [],
        prompt: [],
      }
    })
    const wants = (name: string) => inputs.metrics.some((metric) => metric.startsWith(name))
    const bert = wants('BERTScore') ? await bertScores(inputs, samples, references, resources) : []
    const values: Record<MetricName, () => Promise<ArrayLike<number>> | ArrayLike<number>> = {
      BLEU: () => samples.map(({ text, reference }) => sentenceBleu(text, [reference]).score),
      'ROUGE-1': () => rouge(1).score(samples),
      'ROUGE-2': () => rouge(2).score(samples),
      'ROUGE-L': () => rouge('L').score(samples),
      'BERTScore P': () => bert.map(({ precision }) => precision),
      'BERTScore R': () => bert.map(({ recall }) => recall),
      BERTScore: () => bert.map(({ f1 }) => f1),
      Perplexity: () =>
        judge
          ? perplexity(judge, { bound: inputs.perplexityBound }).score(samples)
          : surprise.map((nats) => Math.min(inputs.perplexityBound, Math.exp(nats))),
      'Excess surprise': () => excess,
    }
    const measured: { [metric in MetricName]?: number[] } = {}
    for (const name of inputs.metrics) measured[name] = Array.from(await values[name](), round)
    const counts = samples.map(({ text, reference }) => bleuCounts(text, reference))
    return { ...measured, ...(inputs.metrics.includes('BLEU') ? { bleuCounts: counts } : {}) }
  },
})
