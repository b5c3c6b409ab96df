/** The keys of texts that exist: by the id that a record names, from the files of the settings, or one for all. */
import { show } from '../../input.ts'
import { type Input, UsageError } from './command.ts'
import { projectConfig } from './config.ts'
import type { EvaluatedText } from './eval-texts.ts'
import { type Key, readKey, readKeyFile } from './key.ts'

export interface TextKeys {
  /** The key of a text. */
  of(text: EvaluatedText): string | Uint8Array
  /** True: texts are tested under the keys that their records name. */
  readonly byId: boolean
  /** A warning about the keys that were used. */
  warning(): string | undefined
}

/** One key for all texts. */
function oneKey({ key, warning }: Key): TextKeys {
  return { of: () => key, byId: false, warning }
}

/** The keys of an evaluation; those of the settings are read when a text names them. */
export async function keysOf(input: Input): Promise<TextKeys> {
  const { keyFiles } = await projectConfig()
  if (keyFiles === undefined) return oneKey(readKey(input))
  const read = new Map<string | undefined, Key>()
  const keyOf = (id: string | undefined): Key => {
    if (id === undefined) return readKey(input)
    if (!Object.hasOwn(keyFiles, id))
      throw new UsageError(
        `keyId: expected one of ${Object.keys(keyFiles).map(show).join(', ')}, which 'keyFiles' of the settings names, got ${show(id)}`,
      )
    return readKeyFile(keyFiles[id]!)
  }
  return {
    of({ keyId }) {
      const known = read.get(keyId) ?? keyOf(keyId)
      read.set(keyId, known)
      return known.key
    },
    byId: true,
    warning: () => [...read.values()].map((key) => key.warning()).find((line) => line !== undefined),
  }
}

/**
 * Texts without a watermark that name no key, each under one key of the marked texts, in turn: a test of one text under all of them would raise
 * more false alarms than its level.
 */
export function underKeys(
  plain: readonly EvaluatedText[],
  marked: readonly EvaluatedText[],
): EvaluatedText[] {
  const ids = [...new Set(marked.flatMap(({ keyId }) => keyId ?? []))]
  return plain.map((text, i) =>
    text.keyId !== undefined || ids.length === 0 ? text : { ...text, keyId: ids[i % ids.length]! },
  )
}
