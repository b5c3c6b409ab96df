/**
 * False positives on human-written text, which no model and no key had a part in: each passage under many fresh keys. Trials that share a
 * passage are not independent, so hits are counted passage by passage.
 */
import { detect } from '../../core/detect/index.ts'
import { expectToyKeys } from '../../core/keys/index.ts'
// its tokenizers make the ids that are scored: their code is part of this step's
import '../../text/models/index.ts'
import { defineStep } from '../cells/step.ts'
import type { GenerateInputs } from './generate.ts'
import type { ModelRef, Resources } from './resources.ts'

/** The rates at which hits are counted. */
export const HUMAN_RATES = [0.05, 0.01, 0.001] as const

export interface HumanInputs {
  /** The model whose tokens the texts are read with. */
  readonly model: ModelRef
  readonly data: GenerateInputs['data']
  readonly watermark: string
  /** Passages of one source that are joined to one text. */
  readonly joined: number
  /** Joined texts are cut to this many tokens, and shorter ones left out; null: texts as they are. */
  readonly tokens: number | null
  /** Keys per text. */
  readonly keys: number
  readonly seed: number
}

export interface HumanHits {
  /** For each of `HUMAN_RATES` and each text: how many keys have a p-value of at most the rate. */
  readonly hits: readonly (readonly number[])[]
  /** Tokens of each text. */
  readonly lengths: readonly number[]
}

interface Passage {
  readonly source: string
  readonly tokens: readonly number[]
}

/** Joins passages of one source end to end, `count` at a time. */
function join(passages: readonly Passage[], count: number): number[][] {
  const bySource = new Map<string, Passage[]>()
  for (const passage of passages)
    bySource.set(passage.source, [...(bySource.get(passage.source) ?? []), passage])
  return [...bySource.values()].flatMap((list) =>
    Array.from({ length: Math.floor(list.length / count) }, (_, i) =>
      list.slice(i * count, (i + 1) * count).flatMap(({ tokens }) => tokens),
    ),
  )
}

export const humanStep = defineStep<HumanInputs, [], HumanHits, Resources>({
  module: import.meta.url,
  cost: ({ data, keys, joined }) => (data.limit * keys * (data.name === 'brown' ? 15 : 1)) / joined,
  async run(inputs, _, resources) {
    const { joined, tokens: length, keys, seed } = inputs
    expectToyKeys()
    const { tokenizer, vocabSize, endTokens } = await resources.model(inputs.model)
    const watermark = await resources.watermark(inputs.watermark)
    const { examples } = await resources.data(inputs.data.name, inputs.data.limit)
    const passages = examples.map(({ prompt, reference = '', id }) => ({
      source: id.replace(/-?\d+$/, ''),
      tokens: tokenizer.encode(`${prompt} ${reference}`.trimEnd()),
    }))
    const texts = (joined > 1 ? join(passages, joined) : passages.map(({ tokens }) => tokens))
      .filter((tokens) => length === null || tokens.length >= length)
      .map((tokens) => (length === null ? tokens : tokens.slice(0, length)))
    const hits = HUMAN_RATES.map(() => texts.map(() => 0))
    for (const [i, tokens] of texts.entries())
      for (let k = 0; k < keys; k++) {
        const key = `bench ${seed} human ${i} ${k}`
        const { logPValue } = detect(watermark, tokens, { key, vocabSize, skip: endTokens })
        for (const [r, rate] of HUMAN_RATES.entries()) if (logPValue <= Math.log(rate)) hits[r]![i]!++
      }
    return { hits, lengths: texts.map((tokens) => tokens.length) }
  },
})
