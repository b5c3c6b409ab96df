/** Texts to evaluate, from records that name their watermark. */

import { show } from '../../input.ts'
import { openSource, type Row, recordOf, textOfEntry } from '../../text/corpus/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { type Input, UsageError } from './command.ts'
import { itemsOf } from './text-metrics.ts'

export interface EvaluatedText {
  readonly tokens: ArrayLike<number>
  /** Words, or token ids where there is no text: the input of the metrics. */
  readonly items: ArrayLike<string | number>
  readonly vocabSize: number
  /** Null: no watermark. */
  readonly watermark: string | null
  readonly text?: string
  readonly reference?: string
  /** The task of the text, such as summarization. */
  readonly task?: string
  /** Model and prompt: texts that share it are generations of one prompt. */
  readonly prompt?: string
  /** All columns of the record. */
  readonly row: Row
  /** The name of the key, where records have one. */
  readonly keyId?: string
}

/** The texts of one method, and those without a watermark. */
export interface Group {
  readonly watermark: AnyWatermark
  readonly marked: readonly EvaluatedText[]
  readonly plain: readonly EvaluatedText[]
}

/** Numbers and texts as one text; other values as JSON. */
const named = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'bigint' ? `${value}` : JSON.stringify(value)

async function tokenizerOf(input: Input) {
  const { loadTokenizer } = await import('../../text/models/index.ts')
  return loadTokenizer(input.flag('tokenizer') ?? 'embedded')
}

/** The texts of a file, one at a time. */
export async function* readEvaluated(file: string, input: Input): AsyncGenerator<EvaluatedText> {
  const width = input.number('vocab-size')
  let loaded: ReturnType<typeof tokenizerOf> | undefined
  const source = await openSource(file, input.flag('format'))
  for await (const entry of source.entries()) {
    const { where } = entry
    const record = recordOf(entry)
    const { watermark = null, reference, task, text: plain } = record
    const { prompt = null, model = null } = record
    const keyId = record.keyId ?? record.key_id ?? null
    if (watermark !== null && typeof watermark !== 'string')
      throw new UsageError(`${where}: watermark: expected an id or null, got ${show(watermark)}`)
    const found = textOfEntry(entry, { field: input.flag('field') })
    const prose = typeof found === 'string' ? found : typeof plain === 'string' ? plain : undefined
    const more = {
      items: itemsOf(prose ?? found),
      watermark,
      row: record,
      ...(prose === undefined ? {} : { text: prose }),
      ...(typeof reference === 'string' ? { reference } : {}),
      ...(typeof task === 'string' ? { task } : {}),
      ...(prompt === null ? {} : { prompt: JSON.stringify([named(model), named(prompt)]) }),
      ...(keyId === null ? {} : { keyId: named(keyId) }),
    }
    if (typeof found === 'string') {
      loaded ??= tokenizerOf(input)
      const { tokenizer, vocabSize } = await loaded
      const known = width ?? vocabSize
      if (known === undefined)
        throw new UsageError(`${where}: the tokenizer names no vocabulary size; give --vocab-size N`)
      yield { tokens: tokenizer.encode(found), vocabSize: known, ...more }
      continue
    }
    const own = record.vocabSize ?? record.vocab_size
    const known = width ?? (typeof own === 'number' ? own : undefined)
    if (known === undefined)
      throw new UsageError(`${where}: token ids need --vocab-size N, the width of the model's logits`)
    yield { tokens: found, vocabSize: known, ...more }
  }
}
