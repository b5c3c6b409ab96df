/** Attacks texts; the p-values come from a cell of their own. */

import { outOfRange } from '../../input.ts'
import {
  type Attack,
  loadWordNet,
  paraphrase,
  parseAttack,
  reword,
  rewrite,
  roundTrip,
  survivingNgrams,
  survivingWords,
  synonyms,
  throughText,
} from '../../text/attacks/index.ts'
import { bertScore } from '../../text/metrics/index.ts'
import { type Encoder, type LanguageModel, promptTokens } from '../../text/models/index.ts'
import { defineStep } from '../cells/step.ts'
import { type GenerateInputs, promptOf, type Texts } from './generate.ts'
import type { ModelRef, Resources } from './resources.ts'

export interface AttackInputs {
  readonly model: ModelRef
  readonly data: GenerateInputs['data']
  readonly from: number
  readonly attack: string
  /** For paraphrasing: the sequence-to-sequence model. */
  readonly paraphraser?: ModelRef
  /** For texts without a watermark: the encoder by which their meaning is compared with what became of it. */
  readonly encoder?: ModelRef
  readonly seed: number
  /** The number of the attack, where there are several on the same text. */
  readonly trial: number
  /** The number of texts, from the first on. */
  readonly limit?: number
}

export interface AttackedTexts extends Pick<Texts, 'texts'> {
  /** Edit distance between each text and what became of it, in tokens. */
  readonly distance: readonly number[]
  /** Share of each text's triples, two tokens of context and a token, that are left. */
  readonly triples: readonly number[]
  /** Share of each text's content words that are left. */
  readonly words: readonly number[]
  /** BERTScore of what became of each text against the text: 0 as for unrelated texts of the model, 1 for the text itself. */
  readonly meaning?: readonly number[]
}

/** `name(a=1,b=2)` as a name and numbers. */
function parameters(id: string): { name: string; values: Record<string, number> } {
  const [name = '', list = ''] = id.replace(/\)$/, '').split('(')
  const values = list.split(',').flatMap((part) => {
    const [key, value] = part.split('=')
    return key && value ? [[key.trim(), Number(value)] as const] : []
  })
  return { name, values: Object.fromEntries(values) }
}

const round = (value: number): number => Number(value.toPrecision(7))

let wordnet: ReturnType<typeof loadWordNet> | undefined

/** Makes the attack of an id: with the model that wrote the text, a paraphraser, WordNet, or nothing but numbers. */
async function attackOf(inputs: AttackInputs, model: LanguageModel, resources: Resources): Promise<Attack> {
  const { name, values } = parameters(inputs.attack)
  if (name === 'rewrite') return rewrite(model, { strength: 0.6, batchSize: 64, ...values })
  if (name === 'reword') return reword(model, { batchSize: 64, ...values })
  if (name === 'roundTrip') return throughText(roundTrip(), model.tokenizer)
  if (name === 'synonyms') {
    wordnet ??= loadWordNet()
    return throughText(synonyms(await wordnet, { rate: values.rate ?? 0.2 }), model.tokenizer)
  }
  if (name === 'paraphrase') {
    if (!inputs.paraphraser) throw outOfRange('attack', 'a model to paraphrase with', inputs.attack)
    return throughText(paraphrase(await resources.model(inputs.paraphraser), values), model.tokenizer)
  }
  return parseAttack(inputs.attack)
}

/** The most texts whose meaning is compared. */
const MEANINGS = 48

/** The BERTScore of attacked texts, rescaled by that of texts which have nothing to do with each other. */
async function meaningOf(encoder: Encoder, texts: readonly string[], attacked: readonly string[]) {
  const used = texts.slice(0, MEANINGS)
  const others = used.map((_, i) => used[(i + Math.ceil(used.length / 3)) % used.length]!)
  const unrelated = await bertScore(encoder, others, used)
  const baseline = unrelated.reduce((sum, { f1 }) => sum + f1, 0) / unrelated.length
  const scores = await bertScore(encoder, attacked.slice(0, MEANINGS), used)
  return scores.map(({ f1 }) => round((f1 - baseline) / (1 - baseline)))
}

export const attackStep = defineStep<AttackInputs, [Texts], AttackedTexts, Resources>({
  module: import.meta.url,
  cost: ({ attack, limit = 48 }) => limit * (/rewrite|reword/.test(attack) ? 200 : 1),
  async run(inputs, [{ texts }], resources) {
    const model = await resources.model(inputs.model)
    const { examples } = await resources.data(inputs.data.name, inputs.data.limit)
    const attack = await attackOf(inputs, model, resources)
    const requests = texts.slice(0, inputs.limit).map((tokens, i) => ({
      tokens,
      options: {
        seed: `${inputs.seed} ${inputs.trial} ${inputs.from + i}`,
        vocabSize: model.vocabSize,
        exclude: model.endTokens,
        tokenizer: model.tokenizer,
        prompt: promptTokens(model, promptOf(inputs.model, examples[inputs.from + i]!)),
      },
    }))
    const attacked = attack.applyAll ? await attack.applyAll(requests) : []
    if (!attack.applyAll)
      for (const { tokens, options } of requests) attacked.push(await attack.apply(tokens, options))
    const { decode } = model.tokenizer
    const [before, after] = [texts.slice(0, attacked.length), attacked.map(({ tokens }) => tokens)].map(
      (list) => list.map((tokens) => decode(tokens)),
    ) as [string[], string[]]
    const meaning =
      inputs.encoder && (await meaningOf(await resources.encoder(inputs.encoder), before, after))
    return {
      texts: attacked.map(({ tokens }) => tokens),
      distance: attacked.map(({ distance }) => distance),
      triples: attacked.map(({ tokens }, i) => round(survivingNgrams(texts[i]!, tokens))),
      words: after.map((text, i) => round(survivingWords(before[i]!, text))),
      ...(meaning ? { meaning } : {}),
    }
  },
})
