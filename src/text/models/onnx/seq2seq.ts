/** A sequence-to-sequence language model (the layouts of BART, mBART and T5): the prompt is a source, the text is decoded. */
import { outOfRange } from '../../../input.ts'
import type { Continuation, LanguageModel, Tokenizer, Tokens } from '../../decode/language-model.ts'
import { checkedTokens, checkFits } from '../../decode/prompt.ts'
import { encoderModel } from './encoder.ts'
import { once } from './once.ts'
import { batches } from './scan.ts'
import { type Seq2seqGraphs, Seq2seqSession } from './seq2seq-session.ts'
import { logProbability } from './tensor.ts'

interface Seq2seqParts extends Seq2seqGraphs {
  readonly id: string
  readonly tokenizer: Tokenizer
  readonly endTokens: readonly number[]
  /** The tokens before a text's first free token: the decoder's start token, a language, a forced begin token. */
  readonly start: readonly number[]
  /** Longest source and longest text. */
  readonly maxLength: number
  /** Width of the encoder's states. */
  readonly width: number
  digest(): Promise<string>
}

function checkedSource(name: string, source: Tokens, parts: Seq2seqParts): number[] {
  const list = checkedTokens(name, source, parts.first.vocabSize)
  if (list.length === 0) list.push(...parts.tokenizer.encodePrompt(''))
  checkFits(name, list.length, parts)
  return list
}

async function logLikelihood(parts: Seq2seqParts, texts: readonly Continuation[]): Promise<Float64Array[]> {
  const { start, first } = parts
  const V = first.vocabSize
  const found = texts.map(({ tokens }) => new Float64Array(tokens.length))
  const sources = texts.map(({ prompt }, i) => checkedSource(`texts[${i}].prompt`, prompt, parts))
  const tokens = texts.map((text, i) => checkedTokens(`texts[${i}].tokens`, text.tokens, V))
  // texts of one length at a time: the decoder has no mask for its own padding
  const inputs = tokens.map((list) => [...start, ...list.slice(0, -1)])
  for (const batch of batches(inputs, true)) {
    const pick = <T>(list: readonly T[]): T[] => batch.map((i) => list[i]!)
    const { session, values } = await Seq2seqSession.begin(parts, pick(sources), pick(inputs))
    const columns = inputs[batch[0]!]!.length
    for (const [row, i] of batch.entries())
      for (const [at, token] of tokens[i]!.entries())
        found[i]![at] = logProbability(values, (row * columns + start.length - 1 + at) * V, V, token)
    session.dispose()
  }
  return found
}

export function seq2seqModel(parts: Seq2seqParts): LanguageModel {
  const { id, tokenizer, first, next, encoder, maxLength, width } = parts
  const { vocabSize } = first
  if (next.slots.length === 0)
    throw outOfRange(
      `${id}: the decoder's inputs`,
      'a key-value cache (past_key_values.*): export it with past',
      next.session.inputNames,
    )
  return {
    id,
    kind: 'seq2seq',
    tokenizer,
    vocabSize,
    endTokens: parts.endTokens,
    maxLength: maxLength - parts.start.length,
    async begin(prompts) {
      const sources = prompts.map((prompt, i) => checkedSource(`prompts[${i}]`, prompt, parts))
      const starts = sources.map(() => parts.start)
      return (await Seq2seqSession.begin(parts, sources, starts)).session
    },
    logLikelihood: (texts) => logLikelihood(parts, texts),
    hidden: encoderModel({ ...encoder, id, tokenizer, width, vocabSize, maxLength }),
    digest: () => parts.digest(),
    dispose: once(async () => {
      const sessions = new Set([encoder.session, first.session, next.session])
      for (const session of sessions) await session.release()
    }),
  }
}
