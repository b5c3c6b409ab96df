/** A causal language model over an onnxruntime session. */
import { outOfRange } from '../../../input.ts'
import type { Continuation, LanguageModel, Tokenizer, Tokens } from '../../decode/language-model.ts'
import { checkedText, checkedTokens, type TextLimits } from '../../decode/prompt.ts'
import { type CausalGraph, CausalSession } from './causal-session.ts'
import { hiddenWidth } from './graph.ts'
import { once } from './once.ts'
import { PerLengthSession } from './per-length-session.ts'
import { scanTexts } from './scan.ts'
import { logProbability, readFloats } from './tensor.ts'

interface CausalParts extends CausalGraph, Omit<TextLimits, 'vocabSize'> {
  readonly tokenizer: Tokenizer
  readonly endTokens: readonly number[]
  digest(): Promise<string>
}

const limitsOf = (parts: CausalParts): TextLimits => ({ ...parts, vocabSize: parts.graph.vocabSize })

async function logLikelihood(parts: CausalParts, texts: readonly Continuation[]): Promise<Float64Array[]> {
  const limits = limitsOf(parts)
  const { vocabSize } = limits
  const found = texts.map(({ tokens }) => new Float64Array(tokens.length))
  const prompts = texts.map(({ prompt, tokens }, i) =>
    checkedText(`texts[${i}]`, prompt, tokens.length, limits),
  )
  const tokens = texts.map((text, i) => checkedTokens(`texts[${i}].tokens`, text.tokens, vocabSize))
  // the last token is predicted, not read
  const inputs = prompts.map((prompt, i) => [...prompt, ...tokens[i]!.slice(0, -1)])
  await scanTexts(parts, inputs, 'logits', vocabSize, (text, position, values, from) => {
    const at = position - (prompts[text]!.length - 1)
    if (at >= 0 && at < found[text]!.length)
      found[text]![at] = logProbability(values, from, vocabSize, tokens[text]![at]!)
  })
  return found
}

async function hiddenStates(
  parts: CausalParts,
  width: number,
  texts: readonly Tokens[],
): Promise<Float32Array[]> {
  const limits = limitsOf(parts)
  const lead = parts.beginToken === undefined ? [] : [parts.beginToken]
  const found = texts.map(({ length }) => new Float32Array(length * width))
  const inputs = texts.map((text, i) => checkedText(`texts[${i}]`, [...lead, ...Array.from(text)], 0, limits))
  await scanTexts(parts, inputs, 'last_hidden_state', width, (text, position, values, from) => {
    const at = position - lead.length
    if (at >= 0) readFloats(values, from, width, found[text]!, at * width)
  })
  return found
}

export function causalModel(parts: CausalParts): LanguageModel {
  const { id, graph, tokenizer } = parts
  if (graph.slots.length === 0)
    throw outOfRange(
      `${id}: the graph's inputs`,
      'a key-value cache (past_key_values.*): export it with past',
      graph.session.inputNames,
    )
  const width = hiddenWidth(graph.session)
  const limits = limitsOf(parts)
  return {
    id,
    kind: 'causal',
    tokenizer,
    vocabSize: graph.vocabSize,
    endTokens: parts.endTokens,
    maxLength: parts.maxLength,
    begin(prompts) {
      const list = prompts.map((prompt, i) => checkedText(`prompts[${i}]`, prompt, 0, limits))
      const open = (some: readonly Tokens[]) => CausalSession.begin(parts, some)
      return graph.inputs.has('position_ids') ? open(list) : PerLengthSession.begin(list, open)
    },
    logLikelihood: (texts) => logLikelihood(parts, texts),
    ...(width !== undefined && {
      hidden: { id, tokenizer, width, hiddenStates: (texts) => hiddenStates(parts, width, texts) },
    }),
    digest: () => parts.digest(),
    dispose: once(async () => {
      await parts.picker?.release()
      await graph.session.release()
    }),
  }
}
