/** Settings from a file, checked; paths in it are relative to it. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, defineConfig } from './entry.ts'

/** Reads the settings in a JSON file. */
export function readJsonConfig(path: string): Config {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new TypeError(
      `${path}: expected a JSON file of settings (${(error as Error).message.split('\n')[0]})`,
    )
  }
  return checkedConfig(path, value)
}

/** Checks settings; errors name the file, or where else the settings come from. */
export function checkedConfig(where: string, value: unknown): Config {
  try {
    return defineConfig(value as Config)
  } catch (error) {
    throw new TypeError(`${where}: ${(error as Error).message}`)
  }
}

/** Returns a path if the name is written as one or something is there; else the name: a hub id, an id of a watermark, a dataset. */
function placed(folder: string, name: string): string {
  const path = resolve(folder, name)
  return /^\.{0,2}\//.test(name) || existsSync(path) ? path : name
}

/** Places each of the names, which are separated by commas outside parentheses. */
const allPlaced = (folder: string, names: string): string =>
  names
    .split(/,(?![^(]*\))/)
    .map((name) => placed(folder, name.trim()))
    .join(',')

const allResolved = (folder: string, paths: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, resolve(folder, path)]))

/** Settings that name one model. */
const ones = ['model', 'tokenizer', 'summarizer', 'translator', 'judge', 'encoder', 'paraphraser'] as const

/** Returns the settings of a file in another folder with paths that hold in the working directory. */
export function configFrom(folder: string, config: Config): Config {
  const { keyFile, keyFiles, store, watermark, data, models } = config
  const out: Record<string, unknown> = { ...config }
  if (keyFile !== undefined) out.keyFile = resolve(folder, keyFile)
  if (keyFiles !== undefined) out.keyFiles = allResolved(folder, keyFiles)
  if (store !== undefined) out.store = store.startsWith('s3://') ? store : resolve(folder, store)
  if (watermark !== undefined) out.watermark = allPlaced(folder, watermark)
  if (typeof data === 'string') out.data = allPlaced(folder, data)
  else if (data !== undefined) out.data = allResolved(folder, data)
  if (models !== undefined) out.models = Array.from(models, (one) => placed(folder, one))
  for (const name of ones) if (config[name] !== undefined) out[name] = placed(folder, config[name])
  return out as Config
}
