import { readFile } from 'node:fs/promises'
import { oneOf } from '../input.ts'
import type { DatasetDeclaration } from './dataset.ts'
import { type Literal, pythonConstants } from './python-literals.ts'
import { type Row, textColumn } from './row.ts'
import { readRows } from './rows.ts'

/**
 * Mark My Words (Piet et al., 2023): book reports, stories and fake news, 100 prompts or fewer of each. The project publishes them as
 * templates and topics inside its code (`utils/generation_prompts.py`); the prompts are built from a copy of that file, in the
 * project's order. A jsonl or csv file with the column `prompt`, and `system` if there is one, does as well.
 *
 * @example readDataset(mmw('story'), { path: 'MarkMyWords' })
 */
export function mmw(kind: 'book-report' | 'story' | 'fake-news'): DatasetDeclaration {
  oneOf('kind', kind, ['book-report', 'story', 'fake-news'])
  const id = `mmw-${kind}`
  return {
    id,
    files: new RegExp(`(^|/)(generation_prompts\\.py|${id}\\.(jsonl|csv))$`),
    columns: ['prompt'],
    read: (path) => (path.endsWith('.py') ? publishedPrompts(path, kind) : readRows(path)),
    example: (row, index) => ({
      id: `${kind}-${index}`,
      prompt: textColumn(row, 'prompt', id),
      ...(typeof row.system === 'string' ? { system: row.system } : {}),
    }),
  }
}

async function* publishedPrompts(path: string, kind: string): AsyncGenerator<Row> {
  const constants = pythonConstants(await readFile(path, 'utf8'))
  const text = (name: string): string =>
    ofType(path, constants, name, (value) => typeof value === 'string') as string
  const list = (name: string) => ofType(path, constants, name, Array.isArray) as readonly Literal[]
  const name = { 'book-report': 'report', story: 'story', 'fake-news': 'fake_news' }[kind]!
  const topics =
    kind === 'book-report'
      ? (list('report_topics') as readonly (readonly string[])[])
      : kind === 'story'
        ? list('t1').flatMap((mood) => list('t2').map((plot) => [mood, plot] as string[]))
        : meetings(list('person') as readonly string[], list('location') as readonly string[])
  const template = text(`${name}_prompt`)
  const system = text(`${name}_system_prompt`)
  for (const topic of topics.slice(0, 100)) {
    let next = 0
    yield { prompt: template.replace(/\{\}/g, () => topic[next++] ?? ''), system }
  }
}

/** Every pair of people once, at every place. */
const meetings = (people: readonly string[], places: readonly string[]): string[][] =>
  people.flatMap((guest, i) =>
    people.slice(i + 1).flatMap((host) => places.map((place) => [guest, host, place])),
  )

function ofType(
  path: string,
  constants: ReadonlyMap<string, Literal>,
  name: string,
  fits: (value: unknown) => boolean,
): Literal {
  const value = constants.get(name)
  if (value === undefined || !fits(value))
    throw new TypeError(
      `${path}: expected a constant ${name}, found ${[...constants.keys()].join(', ') || 'none'}`,
    )
  return value
}
