/** The language model that ships with the package: see its card, `fixtures/models/uwbench-lm/README.md`. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LanguageModel } from './language-model.ts'
import { loadModel } from './load.ts'

/** The same from src/ and from dist/. */
export const embeddedFolder = fileURLToPath(new URL('../../fixtures/models/uwbench-lm', import.meta.url))

export interface EmbeddedOptions {
  /** Threads of one run. Default 1: a second thread gains little on so small a model; a second worker gains more. */
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
  if (!existsSync(embeddedFolder))
    throw new Error(`the embedded model is not in this installation: no ${embeddedFolder}`)
  return loadModel(embeddedFolder, { name: 'uwbench-lm', appendOnly: true, threads: options.threads ?? 1 })
}
