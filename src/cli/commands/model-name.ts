import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from './command.ts'

/** Refuses the name of a model or tokenizer that looks like a folder that does not exist; other names are looked up on the hub. */
export function checkModelName(option: string, name: string): void {
  if (/^https?:\/\//i.test(name) && option === '--model') return // the address of a server
  if (name === '') throw new UsageError(`${option}: expected a folder or a hub id, got an empty name`)
  if (/^[./\\~]/.test(name) && !existsSync(name)) throw new UsageError(`${option}: ${name}: no such folder`)
  if (existsSync(name) && !/\.gguf$/i.test(name) && !existsSync(join(name, 'tokenizer.json')))
    throw new UsageError(`${option}: ${name}: expected a folder with tokenizer.json, a GGUF file or a hub id`)
}
