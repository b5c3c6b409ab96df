/** Language models in GGUF files, through llama.cpp: whole next-token distributions, key-value cache, batches. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, resolve } from 'node:path'
import { outOfRange } from '../../input.ts'
import type { Continuation, LanguageModel, Tokenizer } from '../language-model.ts'
import { logProbability } from '../onnx/likelihood.ts'
import { once } from '../onnx/once.ts'
import type { LoadOptions } from '../onnx/options.ts'
import { checkedTokens } from '../prompt.ts'
import { type LlamaModel, openLlama } from './llama-cpp.ts'
import { type GgufParts, GgufSession, openContext } from './session.ts'

/** Whether a name is that of a GGUF file. */
export const isGguf = (name: string): boolean => typeof name === 'string' && /\.gguf$/i.test(name)

/** The most tokens of a text: the cache of every row has room for so many. */
const MAX_CONTEXT = 4096

/** Refuses a file that is not there or begins otherwise: llama.cpp would say less, or end the process. */
export async function checkGguf(path: string): Promise<void> {
  if (!existsSync(path)) throw outOfRange('model', 'a GGUF file that exists', path)
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

/** SHA-256 of the file, which holds all that determines the logits. */
export async function ggufDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  return hash.digest('hex')
}

const tokenizerOf = (model: LlamaModel): Tokenizer => {
  const encode = (text: string) => Array.from(model.tokenize(text, false), Number)
  const { bos, shouldPrependBosToken } = model.tokens
  return {
    encode,
    encodePrompt: (text) => [...(bos !== null && shouldPrependBosToken ? [bos] : []), ...encode(text)],
    decode: (tokens) => model.detokenize(Array.from(tokens), false),
  }
}

/** The tokens of a text (the begin token if it is empty), checked to be in the vocabulary and to leave `room` for more. */
function checked(name: string, tokens: ArrayLike<number>, room: number, parts: GgufParts): number[] {
  const { model, vocabSize, maxLength } = parts
  const list = checkedTokens(name, tokens, vocabSize)
  if (list.length === 0 && model.tokens.bos !== null) list.push(model.tokens.bos)
  if (list.length === 0) throw outOfRange(name, 'at least one token (the model has no begin token)', tokens)
  if (list.length + room > maxLength)
    throw outOfRange(name, `at most ${maxLength} tokens in all`, `${list.length + room} tokens`)
  return list
}

async function logLikelihood(parts: GgufParts, texts: readonly Continuation[]): Promise<Float64Array[]> {
  const { vocabSize } = parts
  const context = await openContext(parts, 1)
  const sequence = context.getSequence()
  const row = new Float32Array(vocabSize)
  const found: Float64Array[] = []
  try {
    for (const [i, text] of texts.entries()) {
      const prompt = checked(`texts[${i}]`, text.prompt, text.tokens.length, parts)
      const tokens = checkedTokens(`texts[${i}].tokens`, text.tokens, vocabSize)
      const values = new Float64Array(tokens.length)
      await sequence.clearHistory()
      // token by token: the logits of a whole text at once would take gigabytes
      if (prompt.length > 1) await sequence.controlledEvaluate(prompt.slice(0, -1))
      for (const [at, token] of tokens.entries()) {
        const before = at === 0 ? prompt.at(-1)! : tokens[at - 1]!
        const [output] = await sequence.controlledEvaluate([[before, { generateNext: { logits: true } }]])
        row.fill(Number.NEGATIVE_INFINITY)
        for (const [id, logit] of output!.next.logits!) row[id] = logit
        values[at] = logProbability(row, 0, vocabSize, token)
      }
      found.push(values)
    }
  } finally {
    await context.dispose()
  }
  return found
}

/** Loads a GGUF file. */
export async function loadGguf(file: string, options: LoadOptions = {}): Promise<LanguageModel> {
  const path = resolve(file)
  await checkGguf(path)
  const llama = await openLlama(options.device)
  const model = await llama.loadModel({ modelPath: path }).catch(async (cause: Error) => {
    await llama.dispose()
    throw new Error(`${path}: llama.cpp cannot load it (${cause.message.split('\n')[0]})`, { cause })
  })
  const { eos, eot } = model.tokens
  const parts: GgufParts = {
    model,
    vocabSize: model.fileInfo.metadata.tokenizer.ggml.tokens.length,
    maxLength: Math.min(model.trainContextSize, MAX_CONTEXT),
    // its threads wait by spinning: more of them than physical cores slow each other down
    threads: options.threads ?? Math.max(1, Math.floor(availableParallelism() / 2)),
  }
  return {
    id: options.name ?? basename(path, '.gguf'),
    kind: 'causal',
    tokenizer: tokenizerOf(model),
    vocabSize: parts.vocabSize,
    endTokens: [...new Set([eos, eot].flatMap((token) => token ?? []))],
    maxLength: parts.maxLength,
    begin: (prompts) =>
      GgufSession.begin(
        parts,
        prompts.map((prompt, i) => checked(`prompts[${i}]`, prompt, 0, parts)),
      ),
    logLikelihood: (texts) => logLikelihood(parts, texts),
    digest: () => ggufDigest(path),
    dispose: once(async () => {
      await model.dispose()
      await llama.dispose()
    }),
  }
}
