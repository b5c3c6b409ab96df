/** The settings of a project: `uwbench.config.ts` or `.js` in the working directory. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, defineConfig } from '../config/index.ts'
import { UsageError } from './command.ts'
import { importModule } from './modules.ts'

const files = ['uwbench.config.ts', 'uwbench.config.mts', 'uwbench.config.js', 'uwbench.config.mjs'] as const

const kebab = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)

/** Values of options that the command line does not give, by their long name. */
export async function readConfig(folder = '.'): Promise<Record<string, string>> {
  const name = files.find((file) => existsSync(resolve(folder, file)))
  if (name === undefined) return {}
  const { exports } = await importModule(resolve(folder, name))
  let config: Config
  try {
    config = defineConfig(exports.default as Config)
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}`)
  }
  const { keyFile, ...rest } = config
  // a key of the environment comes first
  const key = keyFile === undefined || process.env.UWBENCH_KEY ? {} : { keyFile }
  return Object.fromEntries(
    Object.entries({ ...rest, ...key })
      .filter(([, value]) => value !== undefined)
      .map(([option, value]) => [kebab(option), String(value)]),
  )
}
