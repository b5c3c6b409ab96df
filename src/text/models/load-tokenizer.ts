/** Tokenizers without their models, for detection. */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Tokenizer } from '../decode/language-model.ts'
import { isGguf, loadGguf } from './gguf/load.ts'
import { namedModels } from './named.ts'
import { setting } from './onnx/files.ts'
import { folderTokenizer, logitsWidth, readJson } from './onnx/folder.ts'
import { vocabularyMismatch } from './onnx/graph.ts'
import { hubConfig, hubTokenizer } from './onnx/hub.ts'
import { wrapTokenizer } from './onnx/tokenizer.ts'

/** A tokenizer and what is known of its model. */
export interface LoadedTokenizer {
  readonly tokenizer: Tokenizer
  /** The width of the model's logits, as its graph states it or else its config.json, if one of them does. */
  readonly vocabSize: number | undefined
}

/**
 * Loads a tokenizer without its model, for detection.
 * @param name a folder in the hub's layout, a hub id, a GGUF file, `embedded`, `stories15m` or `tinyllama`
 * @example
 * const { tokenizer, vocabSize } = await loadTokenizer('embedded')
 * tokenizer.decode(tokenizer.encode('the whale')) // 'the whale'
 */
export async function loadTokenizer(name: string): Promise<LoadedTokenizer> {
  if (isGguf(name)) return loadGguf(name)
  const named = namedModels.get(name)
  const folder = (await named?.folder({})) ?? name
  if (named?.file) return loadGguf(join(folder, named.file))
  if (existsSync(join(folder, 'tokenizer.json'))) {
    const file = join(folder, 'config.json')
    const config = existsSync(file) ? await readJson(file) : {}
    const inner = await folderTokenizer(folder)
    const width = await logitsWidth(folder)
    const stated = setting(config, 'vocab_size')
    if (width !== undefined && stated !== undefined && width !== stated)
      throw vocabularyMismatch(basename(folder), width, stated)
    return { tokenizer: wrapTokenizer(inner), vocabSize: width ?? stated }
  }
  if (existsSync(folder) || /^[./\\]/.test(folder))
    throw new Error(`${folder}: expected a folder with tokenizer.json, or a hub id`)
  const config = await hubConfig(folder, {})
  const tokenizer = wrapTokenizer(await hubTokenizer(folder, {}))
  return { tokenizer, vocabSize: setting(config, 'vocab_size') }
}
