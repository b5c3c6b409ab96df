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
import { type LanguageModel, promptTokens } from '../../text/models/index.ts'
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
    return {
      texts: attacked.map(({ tokens }) => tokens),
      distance: attacked.map(({ distance }) => distance),
      triples: attacked.map(({ tokens }, i) => round(survivingNgrams(texts[i]!, tokens))),
      words: attacked.map(({ tokens }, i) => {
        const { decode } = model.tokenizer
        return round(survivingWords(decode(texts[i]!), decode(tokens)))
      }),
    }
  },
})
