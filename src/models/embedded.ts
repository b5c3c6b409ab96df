/** The language model that ships with the package: see its card, `fixtures/models/uwbench-lm/README.md`. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { integer } from '../input.ts'
import type { LanguageModel } from './language-model.ts'
import { causalModel } from './onnx/causal.ts'
import { digestFiles } from './onnx/digest.ts'
import { readGraph } from './onnx/graph.ts'
import { once } from './onnx/once.ts'
import { onnxruntime, transformers } from './onnx/runtime.ts'
import { standingGraph } from './onnx/standing.ts'
import { wrapTokenizer } from './onnx/tokenizer.ts'

/** The same from src/ and from dist/. */
export const embeddedFolder = fileURLToPath(new URL('../../fixtures/models/uwbench-lm', import.meta.url))
/** Begin, end and padding. */
const END_OF_TEXT = 0

export interface EmbeddedOptions {
  /**
   * Threads of one run. Default 1: the model is so small that two threads gain little, and two workers with one thread each
   * do better.
   */
  readonly threads?: number
}

/**
 * The embedded model: three million parameters, public-domain English, no network.
 * @example
 * const model = await embeddedModel()
 * const [text] = await generate(model, 'The whale', { maxNewTokens: 20, seed: 1 })
 * text.tokens.length <= 20 // true
 * await model.dispose()
 */
export async function embeddedModel(options: EmbeddedOptions = {}): Promise<LanguageModel> {
  const threads = integer('threads', options.threads ?? 1, 1, 1024)
  const file = `${embeddedFolder}/onnx/model.onnx`
  if (!existsSync(file)) throw new Error(`the embedded model is not in this installation: no ${file}`)
  const { AutoTokenizer } = await transformers()
  const ort = onnxruntime()
  const tokenizer = await AutoTokenizer.from_pretrained(embeddedFolder, { local_files_only: true })
  const session = await ort.InferenceSession.create(standingGraph(await readFile(file)), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
  })
  return causalModel({
    id: 'uwbench-lm',
    ort,
    graph: readGraph(session),
    standing: true,
    tokenizer: wrapTokenizer(tokenizer, { beginToken: END_OF_TEXT }),
    endTokens: [END_OF_TEXT],
    beginToken: END_OF_TEXT,
    maxLength: 512,
    digest: once(() => digestFiles([file, `${embeddedFolder}/tokenizer.json`])),
  })
}
