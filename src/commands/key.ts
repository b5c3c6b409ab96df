/** The secret key of a command. It is never printed. */

import { expectToyKeys } from '../keys/short-key.ts'
import { type Flag, type Input, UsageError } from './command.ts'
import { readBytes } from './files.ts'

export const keyFlags: Record<string, Flag> = {
  key: { value: 'K', help: 'the secret key (seen by others on this machine: prefer --key-file)' },
  'key-file': {
    value: 'FILE',
    help: 'a file whose bytes are the secret key (all of them, a final newline too)',
  },
}

/** The largest key file, in bytes. */
const MAX_KEY_FILE = 2 ** 20

/** Keys with fewer bytes can be guessed. */
const SAFE_KEY_BYTES = 16

export interface Key {
  readonly key: string | Uint8Array
  /** What is to be said about it. */
  readonly warning: string | undefined
}

/** The secret key: --key, --key-file or UWBENCH_KEY. */
export function readKey(input: Input): Key {
  const given = input.flag('key')
  const file = input.flag('key-file')
  if (given !== undefined && file !== undefined) throw new UsageError('give --key or --key-file, not both')
  if (file !== undefined) return readKeyFile(file)
  const key = given ?? process.env.UWBENCH_KEY
  if (key === undefined || key === '')
    throw new UsageError('no key: give --key K, --key-file FILE or set UWBENCH_KEY')
  return withWarning(key)
}

/** The key in a file: all of its bytes. */
export function readKeyFile(file: string): Key {
  const key = readBytes(file, MAX_KEY_FILE)
  if (key.length === 0) throw new UsageError(`${file}: expected a key, found an empty file`)
  return withWarning(key)
}

function withWarning(key: string | Uint8Array): Key {
  expectToyKeys() // the command itself prints the warning, once it has a result
  const bytes = typeof key === 'string' ? Buffer.byteLength(key) : key.length
  const warning =
    bytes < SAFE_KEY_BYTES
      ? `warning: the key has fewer than ${SAFE_KEY_BYTES} bytes and may be guessed; use ${SAFE_KEY_BYTES} or more random bytes`
      : undefined
  return { key, warning }
}
