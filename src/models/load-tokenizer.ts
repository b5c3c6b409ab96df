/** Tokenizers without their models, for detection. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isGguf, loadGguf } from './gguf/load.ts'
import type { Tokenizer } from './language-model.ts'
import { namedModels } from './named.ts'
import { logitsWidth } from './onnx/folder.ts'
import { vocabularyMismatch } from './onnx/graph.ts'
import { explained } from './onnx/hub.ts'
import { transformers } from './onnx/runtime.ts'
import { wrapTokenizer } from './onnx/tokenizer.ts'

/** A tokenizer and what is known of its model. */
export interface LoadedTokenizer {
  readonly tokenizer: Tokenizer
  /** The width of the model's logits, as its graph states it or else its config.json, if one of them does. */
  readonly vocabSize: number | undefined
}

/**
 * Loads a tokenizer without its model, for detection.
 * @param name a folder in the hub's layout, a hub id, a GGUF file, `embedded` or `stories15m`
 * @example
 * const { tokenizer, vocabSize } = await loadTokenizer('embedded')
 * tokenizer.decode(tokenizer.encode('the whale')) // 'the whale'
 */
export async function loadTokenizer(name: string): Promise<LoadedTokenizer> {
  if (isGguf(name)) return loadGguf(name)
  const { AutoConfig, AutoTokenizer } = await transformers()
  const folder = (await namedModels.get(name)?.folder({})) ?? name
  if (existsSync(join(folder, 'tokenizer.json'))) {
    const file = join(folder, 'config.json')
    const config = existsSync(file)
      ? (JSON.parse(await readFile(file, 'utf8')) as { vocab_size?: number })
      : {}
    const inner = await AutoTokenizer.from_pretrained(folder, { local_files_only: true })
    const width = await logitsWidth(folder)
    if (width !== undefined && config.vocab_size !== undefined && width !== config.vocab_size)
      throw vocabularyMismatch(basename(folder), width, config.vocab_size)
    return { tokenizer: wrapTokenizer(inner), vocabSize: width ?? config.vocab_size }
  }
  if (existsSync(folder) || /^[./\\]/.test(folder))
    throw new Error(`${folder}: expected a folder with tokenizer.json, or a hub id`)
  try {
    const config = (await AutoConfig.from_pretrained(folder)) as unknown as { vocab_size?: number }
    return {
      tokenizer: wrapTokenizer(await AutoTokenizer.from_pretrained(folder)),
      vocabSize: config.vocab_size,
    }
  } catch (cause) {
    throw explained(folder, cause)
  }
}
