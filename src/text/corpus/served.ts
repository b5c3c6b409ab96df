/** Answers of OpenAI-style servers as files: completions, chats, and streams saved as lines `data: {...}`. One text per choice. */
import type { Entry } from './entry.ts'
import { parseJson } from './lines.ts'
import type { Row } from './row.ts'

const isRecord = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the choices of an answer, or of an answer that `check --server --out` saved; undefined for anything else. */
function choicesOf(value: unknown): { readonly record: Row; readonly choices: readonly Row[] } | undefined {
  if (!isRecord(value)) return undefined
  const record = isRecord(value.response) && Array.isArray(value.response.choices) ? value.response : value
  const { choices } = record
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isRecord)) return undefined
  return { record: value, choices }
}

/** Returns the text and the token ids of a choice, or of a piece of one. */
function partsOf(choice: Row): {
  readonly text: string | undefined
  readonly ids: readonly number[] | undefined
} {
  const said = [choice.message, choice.delta].find(isRecord)?.content ?? choice.text
  const ids = choice.token_ids
  return {
    text: typeof said === 'string' ? said : undefined,
    ids: Array.isArray(ids) ? (ids as number[]) : undefined,
  }
}

/** A choice of a stream: what came of it so far. Its ids count only if every piece of text came with some. */
interface Growing {
  text: string
  readonly ids: number[]
  hasIds: boolean
}

/** A stream of one answer. */
interface Open {
  readonly entry: Entry
  readonly id: unknown
  readonly texts: Map<unknown, Growing>
}

/** Replaces answers of a server by their texts; other entries pass as they are. */
export async function* unpacked(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const entry of entries) {
    const found = choicesOf(entry.value)
    if (found === undefined) {
      yield entry
      continue
    }
    const { response: _, choices: __, ...rest } = found.record
    for (const [i, choice] of found.choices.entries()) {
      const { text, ids } = partsOf(choice)
      const where = found.choices.length > 1 ? `${entry.where}, choice ${i + 1}` : entry.where
      const value = { ...rest, ...(text !== undefined && { text }), ...(ids && { token_ids: ids }) }
      yield { where, line: entry.line, value }
    }
  }
}

/** Yields the texts of streams from lines `data: {...}`; other lines are comments and names of events. */
export async function* eventLines(lines: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  let open: Open | undefined
  const closed = function* (): Generator<Entry> {
    for (const { text, ids, hasIds } of open?.texts.values() ?? [])
      yield { ...open!.entry, value: { text, ...(hasIds && ids.length > 0 && { token_ids: ids }) } }
    open = undefined
  }
  for await (const entry of lines) {
    const data = /^data:\s*(.*)$/s.exec(String(entry.value))?.[1]
    if (data === undefined) continue
    const event = data === '[DONE]' ? undefined : parseJson(data, entry.where)
    const id = isRecord(event) ? event.id : undefined
    if (event === undefined || (open !== undefined && open.id !== id)) yield* closed()
    for (const choice of choicesOf(event)?.choices ?? []) {
      open ??= { entry, id, texts: new Map() }
      const known = open.texts.get(choice.index) ?? { text: '', ids: [], hasIds: true }
      const { text = '', ids = [] } = partsOf(choice)
      known.text += text
      for (const id of ids) known.ids.push(id)
      if (text !== '' && ids.length === 0) known.hasIds = false
      open.texts.set(choice.index, known)
    }
  }
  yield* closed()
}
