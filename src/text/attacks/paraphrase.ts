import { checkSeed } from '../../core/keys/index.ts'
import { text as checkText, integer, outOfRange, refuseUnknown, requireOptions } from '../../input.ts'
import { generate } from '../decode/generate.ts'
import type { LanguageModel } from '../decode/language-model.ts'
import { requireModel } from '../decode/prompt.ts'
import { type Sampling, warper } from '../decode/warp.ts'
import type { TextAttack } from './attack.ts'
import { samplingSuffix } from './regenerate.ts'

/**
 * Paraphrase by a sequence-to-sequence model with the control codes of DIPPER (Krishna et al., 2023). The published model reads
 *
 *   lexical = {100 - lexical diversity}, order = {100 - order diversity} {context} <sent> {sentences} </sent>
 *
 * and answers with those sentences in other words. A text is worked off a few sentences at a time; the context is the prompt and
 * what has been paraphrased so far. Sentences are split by `Intl.Segmenter`, where the published script uses NLTK's.
 */
export interface ParaphraseOptions extends Sampling {
  /** Difference of the words: 0, 20, ..., 100. Default 60, as in the paper's strong setting. */
  readonly lexical?: number
  /** Difference of the order: 0, 20, ..., 100. Default 0. */
  readonly order?: number
  /** Sentences per step. Default 3. */
  readonly sentences?: number
  readonly maxNewTokens?: number
}

const LEVELS = [0, 20, 40, 60, 80, 100]

function level(name: string, value: number): number {
  if (!LEVELS.includes(value)) throw outOfRange(name, `one of ${LEVELS.join(', ')}`, value)
  return value
}

/** Writes white space as single spaces, as DIPPER was trained. */
const oneLine = (text: string): string => text.split(/\s+/).filter(Boolean).join(' ')

/**
 * Returns the sentences of an English text.
 *
 * @example splitSentences('It rained. We went home.') // ['It rained.', 'We went home.']
 */
export const splitSentences = (text: string): string[] =>
  Array.from(new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text), ({ segment }) =>
    segment.trim(),
  ).filter(Boolean)

/** Writes what DIPPER reads for one step. */
export const dipperPrompt = (lexical: number, order: number, context: string, sentences: string): string =>
  `lexical = ${100 - lexical}, order = ${100 - order}${context && ` ${context}`} <sent> ${sentences} </sent>`

/**
 * Returns an attack on text by paraphrase, sampled with top-p 0.75 unless told otherwise, as published.
 * @example
 * const model = await loadModel('./models/dipper') // a sequence-to-sequence model that reads DIPPER's control codes
 * paraphrase(model, { lexical: 60 }).id // 'paraphrase(lexical=60,order=0,sentences=3)'
 * await model.dispose()
 */
export function paraphrase(model: LanguageModel, options: ParaphraseOptions = {}): TextAttack {
  requireModel(model)
  refuseUnknown('paraphrase', options, [
    'lexical',
    'order',
    'sentences',
    'maxNewTokens',
    'temperature',
    'topK',
    'topP',
  ])
  const { lexical = 60, order = 0, sentences = 3, maxNewTokens, ...sampling } = options
  warper(sampling) // checks the values before the id shows them
  if (maxNewTokens !== undefined) integer('maxNewTokens', maxNewTokens, 1)
  level('lexical', lexical)
  level('order', order)
  integer('sentences', sentences, 1)
  if (model.kind !== 'seq2seq') throw outOfRange('model', 'a sequence-to-sequence model', model.kind)
  return {
    id: `paraphrase(lexical=${lexical},order=${order},sentences=${sentences}${samplingSuffix(sampling)})`,
    async apply(text, more) {
      checkText('text', text)
      requireOptions('attack', more, ['seed', 'prompt'])
      const { seed, prompt = '' } = more
      checkSeed(seed)
      checkText('prompt', prompt)
      const all = splitSentences(oneLine(text))
      const written: string[] = []
      for (let start = 0; start < all.length; start += sentences) {
        const context = [oneLine(prompt), ...written].filter(Boolean).join(' ')
        const input = dipperPrompt(lexical, order, context, all.slice(start, start + sentences).join(' '))
        const limit = maxNewTokens === undefined ? {} : { maxNewTokens }
        const [answer] = await generate(model, input, {
          topP: 0.75,
          ...sampling,
          ...limit,
          seed,
          first: start,
        })
        written.push(answer!.text.trim())
      }
      return written.filter(Boolean).join(' ')
    },
  }
}
