import type { LanguageModel } from '../decode/language-model.ts'
import { loadModel } from './load.ts'

export interface EmbeddedOptions {
  /** Threads of one run. Default 1: a second thread gains little on so small a model; a second worker gains more. */
  readonly threads?: number
}

/**
 * Loads the model that ships with the package: three million parameters, public-domain English, no network. The same as
 * `loadModel('embedded')`.
 * @example
 * const model = await embeddedModel()
 * const [text] = await generate(model, 'The whale', { maxNewTokens: 20, seed: 1 })
 * text.tokens.length <= 20 // true
 * await model.dispose()
 */
export const embeddedModel = (options: EmbeddedOptions = {}): Promise<LanguageModel> =>
  loadModel('embedded', options)
