/** A causal language model over an onnxruntime session. */
import { outOfRange } from '../../input.ts'
import type { Continuation, LanguageModel, Tokenizer, Tokens } from '../language-model.ts'
import { checkedTokens } from '../prompt.ts'
import { type CausalGraph, CausalSession } from './causal-session.ts'
import { logProbability } from './likelihood.ts'
import { once } from './once.ts'
import { PerLengthSession } from './per-length-session.ts'
import { scanTexts } from './scan.ts'
import { readFloats } from './tensor.ts'

interface CausalParts extends CausalGraph {
  readonly id: string
  readonly tokenizer: Tokenizer
  readonly endTokens: readonly number[]
  /** The token that stands for an empty prompt. */
  readonly beginToken: number | undefined
  readonly maxLength: number
  digest(): Promise<string>
}

/** The tokens of a text (the begin token if it is empty), checked to be in the vocabulary and to leave `room` for more. */
function checkedText(name: string, tokens: Tokens, room: number, parts: CausalParts): number[] {
  const { id, beginToken, maxLength, graph } = parts
  const list = checkedTokens(name, tokens, graph.vocabSize)
  if (list.length === 0 && beginToken !== undefined) list.push(beginToken)
  if (list.length === 0) throw outOfRange(name, `at least one token (${id} has no begin token)`, tokens)
  if (list.length + room > maxLength)
    throw outOfRange(name, `at most ${maxLength} tokens in all (${id})`, `${list.length + room} tokens`)
  return list
}

async function logLikelihood(parts: CausalParts, texts: readonly Continuation[]): Promise<Float64Array[]> {
  const { vocabSize } = parts.graph
  const found = texts.map(({ tokens }) => new Float64Array(tokens.length))
  const prompts = texts.map(({ prompt, tokens }, i) =>
    checkedText(`texts[${i}]`, prompt, tokens.length, parts),
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
  const lead = parts.beginToken === undefined ? [] : [parts.beginToken]
  const found = texts.map(({ length }) => new Float32Array(length * width))
  const inputs = texts.map((text, i) => checkedText(`texts[${i}]`, [...lead, ...Array.from(text)], 0, parts))
  await scanTexts(parts, inputs, 'last_hidden_state', width, (text, position, values, from) => {
    const at = position - lead.length
    if (at >= 0) readFloats(values, from, width, found[text]!, at * width)
  })
  return found
}

/** The width of the hidden states, if the graph outputs them. */
function hiddenWidth({ graph }: CausalGraph): number | undefined {
  const output = graph.session.outputMetadata.find(({ name }) => name === 'last_hidden_state')
  const width = output?.isTensor ? output.shape.at(-1) : undefined
  return typeof width === 'number' ? width : undefined
}

export function causalModel(parts: CausalParts): LanguageModel {
  const { id, graph, tokenizer } = parts
  if (graph.slots.length === 0)
    throw outOfRange(
      `${id}: the graph's inputs`,
      'a key-value cache (past_key_values.*): export it with past',
      graph.session.inputNames,
    )
  const width = hiddenWidth(parts)
  return {
    id,
    kind: 'causal',
    tokenizer,
    vocabSize: graph.vocabSize,
    endTokens: parts.endTokens,
    maxLength: parts.maxLength,
    begin(prompts) {
      const list = prompts.map((prompt, i) => checkedText(`prompts[${i}]`, prompt, 0, parts))
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
