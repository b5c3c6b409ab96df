/**
 * Settings of a project: `uwbench.config.ts`, `.js` or `.json` in the working directory, or the file that `UWBENCH_CONFIG` names. Several
 * files are merged; a setting in two of them is an error.
 */
import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Config } from '../../bench/config/index.ts'
import { checkedConfig, configFrom, readJsonConfig } from '../../bench/config/index.ts'
import { isServer } from '../../text/models/index.ts'
import { UsageError } from './command.ts'
import { importModule } from './modules.ts'
import { isModule } from './own-watermark.ts'

const names = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `uwbench.config.${extension}`)

const kebab = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)

function filesOf(folder: string): string[] {
  const named = process.env.UWBENCH_CONFIG
  if (!named) return names.filter((name) => existsSync(resolve(folder, name)))
  if (!existsSync(resolve(folder, named)))
    throw new UsageError(`UWBENCH_CONFIG: expected a file that exists, got '${named}'`)
  return [named]
}

/** Reads the settings of one file, with paths relative to `folder`. */
async function read(folder: string, name: string): Promise<Config> {
  const file = resolve(folder, name)
  const config = file.endsWith('.json')
    ? readJsonConfig(name)
    : checkedConfig(name, (await importModule(file)).exports.default)
  const home = dirname(file)
  return relative(folder, home) === '' ? config : configFrom(home, config)
}

/** Reads all settings of the project. */
export async function projectConfig(): Promise<Config> {
  const folder = process.cwd()
  const all: Record<string, unknown> = {}
  const setBy = new Map<string, string>()
  for (const name of filesOf(folder))
    for (const [setting, value] of Object.entries(await read(folder, name))) {
      if (value === undefined) continue
      const other = setBy.get(setting)
      if (other !== undefined)
        throw new UsageError(`'${setting}' is set in ${other} and in ${name}; remove it from one of them`)
      setBy.set(setting, name)
      all[setting] = value
    }
  return all as Config
}

/** Names of which one is in the root of every project. */
const roots = ['package.json', 'node_modules', '.git']

/** Says what is dangerous about a file of settings: reading or using it runs code, or sends prompts and the token of a server somewhere. */
function dangerIn(name: string): string | undefined {
  if (!name.endsWith('.json')) return 'runs code'
  const { watermark = '', model, models = [] } = readJsonConfig(name)
  if (watermark.split(/,(?![^(]*\))/).some(isModule)) return 'runs code'
  return [model, ...models].some(isServer) ? 'names a server' : undefined
}

/** Refuses code and servers that nobody named, in a folder that is not the root of a project: a download, a shared folder. */
function refuseForeignCode(): void {
  if (process.env.UWBENCH_CONFIG || roots.some((name) => existsSync(name))) return
  for (const name of filesOf(process.cwd())) {
    const danger = dangerIn(name)
    if (danger === undefined) continue
    throw new UsageError(
      `${name} ${danger}, and this folder is not the root of a project (it has no ${roots.join(', ')}). If you trust the file, add --trust-config or set UWBENCH_CONFIG=${name}`,
    )
  }
}

/**
 * Returns the project's values for options of a command, by their long name.
 * @param isTrusted whether the working directory may run code wherever it is
 */
export async function readConfig(command: string, isTrusted: boolean): Promise<Record<string, string>> {
  if (!isTrusted) refuseForeignCode()
  const { keyFile, watermark, model, tokenizer, vocabSize, data, store, models } = await projectConfig()
  const options = {
    // a key in the environment comes first
    keyFile: process.env.UWBENCH_KEY ? undefined : keyFile,
    watermark,
    // `models` of the benchmark replaces `model` of the other commands
    model: command === 'bench' && models !== undefined ? undefined : model,
    tokenizer,
    vocabSize,
    data: typeof data === 'string' ? data : undefined,
    store,
  }
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== undefined)
      .map(([option, value]) => [kebab(option), String(value)]),
  )
}
