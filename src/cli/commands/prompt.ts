/** The tokens before a text: `--prompt`, `--prompt-file`, or what a record says. */

import type { Tokens } from '../../core/keys/index.ts'
import { type Flag, type Input, UsageError } from './command.ts'
import { readText } from './files.ts'
import { readIds } from './ids.ts'
import { tokenizerOf } from './tokenizer.ts'

export const promptFlags: Record<string, Flag> = {
  prompt: {
    value: 'TEXT',
    help: 'the prompt before the text (with --ids: its token ids), for contexts that reach into it; records may have their own',
  },
  'prompt-file': { value: 'FILE', help: 'a file with the prompt; token ids if it is .json' },
}

/** Reads the prompt of the command line as token ids. */
export async function readPrompt(input: Input): Promise<Tokens | undefined> {
  const [given, file] = [input.flag('prompt'), input.flag('prompt-file')]
  if (given !== undefined && file !== undefined)
    throw new UsageError('give --prompt or --prompt-file, not both')
  const text = given ?? (file === undefined ? undefined : (await readText(file)).replace(/\r?\n$/, ''))
  if (text === undefined) return undefined
  if (input.on('ids') || file?.endsWith('.json')) return readIds(file ?? '--prompt', text).tokens
  return (await tokenizerOf(input)).tokenizer.encode(text)
}
