/** Language models in GGUF files, through llama.cpp: whole next-token distributions, key-value cache, batches. */
import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, resolve } from 'node:path'
import { outOfRange } from '../../../input.ts'
import type { Continuation, LanguageModel, Tokenizer } from '../../decode/language-model.ts'
import { checkedText, checkedTokens } from '../../decode/prompt.ts'
import { once } from '../onnx/once.ts'
import type { LoadOptions } from '../onnx/options.ts'
import { logProbability } from '../onnx/tensor.ts'
import { jinja, type LlamaModel, openLlama } from './llama-cpp.ts'
import { evaluate, type GgufParts, GgufSession, openContext } from './session.ts'

/** Tells whether a name ends as GGUF files do. */
export const isGguf = (name: string): boolean => typeof name === 'string' && /\.gguf$/i.test(name)

/** The most tokens of a text, for which the cache of every row has room. */
const MAX_CONTEXT = 4096

/** Refuses a file that is not there or begins otherwise: llama.cpp would say less, or end the process. */
export async function checkGguf(path: string): Promise<void> {
  // a pipe would wait for ever
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw outOfRange('model', 'a GGUF file that exists', path)
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0)
    if (bytesRead < 8 || buffer.toString('latin1', 0, 4) !== 'GGUF')
      throw outOfRange(path, "a GGUF file, which begins with 'GGUF'", buffer.toString('latin1', 0, bytesRead))
    if (buffer.readUInt32LE(4) < 2)
      throw outOfRange(path, 'version 2 or later of GGUF', buffer.readUInt32LE(4))
  } finally {
    await file.close()
  }
}

/** Returns the SHA-256 of the file, which holds all that determines the logits. */
export async function ggufDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  return hash.digest('hex')
}

/**
 * Writes a conversation with the chat template of the file, or another. The begin token comes first where the file asks for one and the
 * template does not write it.
 */
async function chatEncoder(model: LlamaModel, source: string): Promise<NonNullable<Tokenizer['encodeChat']>> {
  const template = await jinja(source)
  const { bos, eos, shouldPrependBosToken } = model.tokens
  const nameOf = (token: number | null) => (token === null ? '' : model.detokenize([token], true))
  const special = { bos_token: nameOf(bos), eos_token: nameOf(eos) }
  return (messages) => {
    const text = template.render({ messages, add_generation_prompt: true, ...special })
    const tokens = Array.from(model.tokenize(text, true), Number)
    return bos !== null && shouldPrependBosToken && tokens[0] !== bos ? [bos, ...tokens] : tokens
  }
}

const tokenizerOf = async (model: LlamaModel, chatTemplate?: string): Promise<Tokenizer> => {
  const template = chatTemplate ?? model.fileInfo.metadata.tokenizer.chat_template
  const encode = (text: string) => Array.from(model.tokenize(text, false), Number)
  const { bos, shouldPrependBosToken } = model.tokens
  return {
    encode,
    encodePrompt: (text) => [...(bos !== null && shouldPrependBosToken ? [bos] : []), ...encode(text)],
    decode: (tokens) => model.detokenize(Array.from(tokens), false),
    ...(template === undefined ? {} : { encodeChat: await chatEncoder(model, template) }),
  }
}

async function logLikelihood(parts: GgufParts, texts: readonly Continuation[]): Promise<Float64Array[]> {
  const { vocabSize } = parts
  const context = await openContext(parts, 1)
  const sequence = context.getSequence()
  const row = new Float32Array(vocabSize)
  const found: Float64Array[] = []
  try {
    for (const [i, text] of texts.entries()) {
      const prompt = checkedText(`texts[${i}]`, text.prompt, text.tokens.length, parts)
      const tokens = checkedTokens(`texts[${i}].tokens`, text.tokens, vocabSize)
      const values = new Float64Array(tokens.length)
      await sequence.clearHistory()
      // token by token: the logits of a whole text at once would take gigabytes
      if (prompt.length > 1) await sequence.controlledEvaluate(prompt.slice(0, -1))
      for (const [at, token] of tokens.entries()) {
        await evaluate(sequence, [at === 0 ? prompt.at(-1)! : tokens[at - 1]!], row)
        values[at] = logProbability(row, 0, vocabSize, token)
      }
      found.push(values)
    }
  } finally {
    await context.dispose()
  }
  return found
}

export async function loadGguf(file: string, options: LoadOptions = {}): Promise<LanguageModel> {
  const path = resolve(file)
  await checkGguf(path)
  const llama = await openLlama(options.device)
  const model = await llama.loadModel({ modelPath: path }).catch(async (cause: Error) => {
    await llama.dispose()
    throw new Error(`${path}: llama.cpp cannot load it (${cause.message.split('\n')[0]})`, { cause })
  })
  const { bos, eos, eot } = model.tokens
  const parts: GgufParts = {
    id: options.name ?? basename(path, '.gguf'),
    model,
    beginToken: bos ?? undefined,
    vocabSize: model.fileInfo.metadata.tokenizer.ggml.tokens.length,
    maxLength: Math.min(model.trainContextSize, MAX_CONTEXT),
    // its threads wait by spinning: more of them than physical cores slow each other down
    threads: options.threads ?? Math.max(1, Math.floor(availableParallelism() / 2)),
  }
  return {
    id: parts.id,
    kind: 'causal',
    tokenizer: await tokenizerOf(model, options.chatTemplate),
    vocabSize: parts.vocabSize,
    endTokens: [...new Set([eos, eot].flatMap((token) => token ?? []))],
    maxLength: parts.maxLength,
    begin: (prompts) =>
      GgufSession.begin(
        parts,
        prompts.map((prompt, i) => checkedText(`prompts[${i}]`, prompt, 0, parts)),
      ),
    logLikelihood: (texts) => logLikelihood(parts, texts),
    digest: () => ggufDigest(path),
    dispose: once(async () => {
      await model.dispose()
      await llama.dispose()
    }),
  }
}
