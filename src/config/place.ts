/** Paths of a config file, which are relative to it. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from './index.ts'

/** A path if it is written as one or something is there; else a name: a hub id, an id of a watermark, a dataset. */
function placed(folder: string, name: string): string {
  const path = resolve(folder, name)
  return /^\.{0,2}\//.test(name) || existsSync(path) ? path : name
}

/** Names separated by commas outside parentheses, each placed. */
const allPlaced = (folder: string, names: string): string =>
  names
    .split(/,(?![^(]*\))/)
    .map((name) => placed(folder, name.trim()))
    .join(',')

/** Settings that name one model. */
const ones = ['model', 'tokenizer', 'summarizer', 'translator', 'judge', 'encoder', 'paraphraser'] as const

/** The settings of a file in another folder, as they are for the working directory. */
export function configFrom(folder: string, config: Config): Config {
  const { keyFile, keyFiles, store, watermark, data, models } = config
  const out: Record<string, unknown> = { ...config }
  if (keyFile !== undefined) out.keyFile = resolve(folder, keyFile)
  if (keyFiles !== undefined)
    out.keyFiles = Object.fromEntries(
      Object.entries(keyFiles).map(([id, path]) => [id, resolve(folder, path)]),
    )
  if (store !== undefined) out.store = store.startsWith('s3://') ? store : resolve(folder, store)
  if (watermark !== undefined) out.watermark = allPlaced(folder, watermark)
  if (typeof data === 'string') out.data = allPlaced(folder, data)
  else if (data !== undefined)
    out.data = Object.fromEntries(Object.entries(data).map(([name, path]) => [name, resolve(folder, path)]))
  if (models !== undefined) out.models = Array.from(models, (one) => placed(folder, one))
  for (const name of ones) if (config[name] !== undefined) out[name] = placed(folder, config[name])
  return out as Config
}
