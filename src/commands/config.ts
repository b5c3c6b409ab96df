/**
 * The settings of a project: `uwbench.config.ts`, `.js` or `.json` in the working directory, or the file that `UWBENCH_CONFIG` names. Several
 * files are one as long as no setting is in two of them.
 */
import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Config } from '../config/index.ts'
import { configFrom } from '../config/place.ts'
import { checkedConfig, readJsonConfig } from '../config/read.ts'
import { UsageError } from './command.ts'
import { importModule } from './modules.ts'

const names = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `uwbench.config.${extension}`)

const kebab = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)

function filesOf(folder: string): string[] {
  const named = process.env.UWBENCH_CONFIG
  if (!named) return names.filter((name) => existsSync(resolve(folder, name)))
  if (!existsSync(resolve(folder, named)))
    throw new UsageError(`UWBENCH_CONFIG: expected a file that exists, got '${named}'`)
  return [named]
}

/** What one file sets, with paths for the folder. */
async function read(folder: string, name: string): Promise<Config> {
  const file = resolve(folder, name)
  const config = file.endsWith('.json')
    ? readJsonConfig(name)
    : checkedConfig(name, (await importModule(file)).exports.default)
  const home = dirname(file)
  return relative(folder, home) === '' ? config : configFrom(home, config)
}

/** All that the project sets. */
export async function projectConfig(): Promise<Config> {
  const folder = process.cwd()
  const all: Record<string, unknown> = {}
  const setBy = new Map<string, string>()
  for (const name of filesOf(folder))
    for (const [setting, value] of Object.entries(await read(folder, name))) {
      if (value === undefined) continue
      const other = setBy.get(setting)
      if (other !== undefined)
        throw new UsageError(`'${setting}' is set in ${other} and in ${name}; leave it in one of them`)
      setBy.set(setting, name)
      all[setting] = value
    }
  return all as Config
}

/** Values of options that the command line does not give, by their long name. */
export async function readConfig(command: string): Promise<Record<string, string>> {
  const { keyFile, watermark, model, tokenizer, vocabSize, data, store, models } = await projectConfig()
  const options = {
    // a key of the environment comes first
    keyFile: process.env.UWBENCH_KEY ? undefined : keyFile,
    watermark,
    // a benchmark with models of its own is not about the one of the other commands
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
