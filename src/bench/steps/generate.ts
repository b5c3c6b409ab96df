/** Writes the texts of one method for a block of prompts. */
import { expectToyKeys } from '../../core/keys/index.ts'
import type { Example } from '../../text/datasets/index.ts'
import { type ChatMessage, type Generation, generateMany } from '../../text/models/index.ts'
import { defineStep } from '../cells/step.ts'
import type { ModelRef, Resources } from './resources.ts'
import { excessOf, surpriseBets } from './surprise.ts'

/** The secret keys of a set of texts. */
export interface Keys {
  /** `fresh`: every prompt its own key. `fixed`: one key for all, as when one prompt is asked again and again. */
  readonly kind: 'fresh' | 'fixed'
  readonly seed: number
}

export interface GenerateInputs {
  readonly model: ModelRef
  readonly data: { readonly name: string; readonly limit: number; readonly digest: string }
  /** Prompts `from .. to - 1` of the data. */
  readonly from: number
  readonly to: number
  /** Texts per prompt. */
  readonly per: number
  /** A watermark's id; null for none. */
  readonly watermark: string | null
  readonly keys: Keys
  /** Separates sets of texts that must be independent: `M` and its copy, say. */
  readonly set: string
  readonly seed: number
  readonly tokens: number
  readonly temperature: number
  /** True if the model's end token ends a text; else every text has full length. */
  readonly stop: boolean
  readonly batch: number
}

export interface Texts {
  /** Token ids of the texts, prompt by prompt. */
  readonly texts: readonly (readonly number[])[]
  /** Mean entropy per position of each text, in nats, of the distribution that was sampled from without a watermark. */
  readonly entropy: readonly number[]
  /** Mean of -ln p per position of each text, p of the same distribution. */
  readonly surprise: readonly number[]
  /** Sum over the positions of each text of -ln p minus the entropy: its mean is 0 where the law of the text is the model's. */
  readonly excess: readonly number[]
  /** Bets on that sum: see `surpriseBets`. */
  readonly bets: readonly (readonly number[])[]
  /** The position of each text's first end token, -1 where it has no end token: texts of full length may run past it. */
  readonly ended: readonly number[]
}

/** Texts of a model and the watermark that they are tested for. */
export interface TestedTexts {
  readonly model: ModelRef
  readonly watermark: string
  readonly keys: Keys
  /** The prompt of the first text, which determines its key. */
  readonly from: number
}

export function keyOf(keys: Keys, prompt: number): string {
  expectToyKeys()
  return keys.kind === 'fixed' ? `bench ${keys.seed}` : `bench ${keys.seed} prompt ${prompt}`
}

/** Returns the prompt of an example: in a conversation, where the model gets them in its chat template. */
export function promptOf({ chat }: ModelRef, { prompt, system }: Example): string | readonly ChatMessage[] {
  if (!chat) return prompt
  const turns = system === undefined ? [] : [{ role: 'system' as const, content: system }]
  return [...turns, { role: 'user' as const, content: prompt }]
}

const round = (value: number): number => Number(value.toPrecision(6))
const mean = (values: Float64Array): number =>
  round(values.reduce((a, b) => a + b, 0) / Math.max(1, values.length))

interface Asked {
  readonly prompt: ReturnType<typeof promptOf>
  readonly watermark: string | null
  readonly key: string
  readonly seed: string
  readonly index: number
}

/** Writes texts with a model of this process. */
async function writeHere(
  asked: readonly Asked[],
  sampling: { readonly maxNewTokens: number; readonly temperature: number; readonly stopTokens?: number[] },
  { model: ref, watermark: id, batch }: GenerateInputs,
  resources: Resources,
): Promise<Generation[]> {
  const watermark = id === null ? undefined : await resources.watermark(id)
  const requests = asked.map(({ key, watermark: _, ...text }) => ({
    ...text,
    ...(watermark ? { watermark, key } : {}),
  }))
  return generateMany(await resources.model(ref), requests, { ...sampling, batchSize: batch })
}

export const generateStep = defineStep<GenerateInputs, [], Texts, Resources>({
  module: import.meta.url,
  cost: ({ from, to, per, tokens }) => (to - from) * per * tokens,
  async run(inputs, _, resources) {
    const model = await resources.model(inputs.model)
    const { examples } = await resources.data(inputs.data.name, inputs.data.limit)
    const asked = Array.from({ length: inputs.to - inputs.from }, (_, i) => inputs.from + i).flatMap(
      (prompt) =>
        Array.from({ length: inputs.per }, (_, g) => ({
          prompt: promptOf(inputs.model, examples[prompt]!),
          watermark: inputs.watermark,
          key: keyOf(inputs.keys, prompt),
          seed: `${inputs.seed} ${inputs.set} ${inputs.watermark ?? 'none'}`,
          index: prompt * inputs.per + g,
        })),
    )
    const sampling = {
      maxNewTokens: inputs.tokens,
      temperature: inputs.temperature,
      ...(inputs.stop ? {} : { stopTokens: [] }),
    }
    const written = inputs.model.generator
      ? await (await resources.generator()).write(
          asked.map(({ key, ...text }) =>
            text.watermark === null ? text : { ...text, key: { public: key } },
          ),
          sampling,
        )
      : await writeHere(asked, sampling, inputs, resources)
    return {
      texts: written.map(({ tokens }) => tokens),
      entropy: written.map(({ entropies }) => mean(entropies)),
      surprise: written.map(({ logProbabilities }) => -mean(logProbabilities)),
      excess: written.map((text) => round(excessOf(text.logProbabilities, text.entropies))),
      bets: written.map((text) => surpriseBets(text.logProbabilities, text.entropies).map(round)),
      ended: written.map(({ tokens }) => tokens.findIndex((token) => model.endTokens.includes(token))),
    }
  },
})
