/** Reads the secret key of a command. It is never printed. */
import { expectToyKeys } from '../../core/keys/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { type Flag, type Input, UsageError } from './command.ts'
import { readBytes } from './files.ts'

export const keyFlags: Record<string, Flag> = {
  key: { value: 'K', help: 'the secret key (other users of this machine can see it: prefer --key-file)' },
  'key-file': {
    value: 'FILE',
    help: 'a file with the secret key; a trailing newline is part of the key',
  },
}

/** The largest key file, in bytes. */
const MAX_KEY_FILE = 2 ** 20

/** Keys of fewer bytes can be guessed. */
const SAFE_KEY_BYTES = 16

export interface Key {
  readonly key: string | Uint8Array
  /** The file that the key comes from. */
  readonly file?: string
  /** Returns a warning to print after the result, for the watermark that the key is used with. */
  warning(watermark?: AnyWatermark): string | undefined
}

/** Reads the secret key from --key, --key-file or UWBENCH_KEY; a watermark with a key of its own (TGI) needs none. */
export function readKey(input: Input, watermark?: AnyWatermark): Key {
  const given = input.flag('key')
  const file = input.flag('key-file')
  if (given !== undefined && file !== undefined) throw new UsageError('give --key or --key-file, not both')
  if (file !== undefined) return readKeyFile(file)
  const key = given ?? process.env.UWBENCH_KEY
  const own = watermark?.keyOf?.(undefined)
  if (key === undefined && typeof own === 'string') return { key: own, warning: () => undefined }
  if (key === undefined || key === '')
    throw new UsageError('no key: give --key K, --key-file FILE or set UWBENCH_KEY')
  return withWarning(key)
}

/** Reads every key of a command that takes several: one for each --key-file. */
export function readKeys(input: Input, watermark?: AnyWatermark): [Key, ...Key[]] {
  const [, ...others] = input.all('key-file')
  const keys: [Key, ...Key[]] = [readKey(input, watermark), ...others.map(readKeyFile)]
  const seen = new Map<string, string>()
  for (const { key, file = '' } of keys) {
    const bytes = Buffer.from(key).toString('base64')
    if (seen.has(bytes)) throw new UsageError(`--key-file: ${file} has the key of ${seen.get(bytes)}`)
    seen.set(bytes, file)
  }
  return keys
}

/** Reads a key file; every byte is part of the key. */
export function readKeyFile(file: string): Key {
  const key = readBytes(file, MAX_KEY_FILE)
  if (key.length === 0) throw new UsageError(`${file}: expected a key, found an empty file`)
  return withWarning(key, file)
}

function withWarning(key: string | Uint8Array, file?: string): Key {
  expectToyKeys() // the command itself prints the warning, once it has a result
  const bytes = Buffer.from(key)
  const warning = (watermark?: AnyWatermark) => {
    // published formats fix the length of their keys, and leave a newline out
    if (watermark?.needsKey) return undefined
    if (file !== undefined && bytes.at(-1) === 10)
      return `warning: ${file} ends in a newline, which is part of the key; if you did not mean that, write the file with: printf %s KEY > ${file}`
    if (bytes.length >= SAFE_KEY_BYTES) return undefined
    return `warning: the key has fewer than ${SAFE_KEY_BYTES} bytes and may be guessed; use ${SAFE_KEY_BYTES} or more random bytes`
  }
  return { key, warning, ...(file !== undefined && { file }) }
}
