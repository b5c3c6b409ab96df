/** Settings from a file, checked. */
import { readFileSync } from 'node:fs'
import { type Config, defineConfig } from './index.ts'

/** The settings in a JSON file; paths in it are relative to it. */
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

/** Errors name the file, or where else the settings come from. */
export function checkedConfig(where: string, value: unknown): Config {
  try {
    return defineConfig(value as Config)
  } catch (error) {
    throw new TypeError(`${where}: ${(error as Error).message}`)
  }
}
