import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Command, UsageError } from './command.ts'
import { tryToWrite } from './files.ts'
import { python } from './init-python.ts'
import { typescript } from './init-typescript.ts'
import { type Output, print } from './output.ts'

/** A project to start from. */
export interface Kind {
  readonly help: string
  /** Its files: path and content. */
  readonly files: () => readonly (readonly [path: string, content: string])[]
  /** What to do next, for files in a folder. */
  next(folder: string): string
}

/** What can be begun; the first is the default. */
const kinds: Readonly<Record<string, Kind>> = { typescript, python }

/** Writes the files of a kind into a folder; none of them may be there already. */
function write({ files, next }: Kind, folder: string, output: Output): number {
  const all = files().map(([path, content]) => [join(folder, path), content] as const)
  const there = all.map(([path]) => path).filter((path) => existsSync(path))
  if (there.length > 0) throw new UsageError(`${there.join(', ')}: already there; nothing was written`)
  for (const [path] of all) mkdirSync(dirname(path), { recursive: true })
  const problem = tryToWrite(all)
  if (problem !== undefined) throw new Error(problem)
  print(output, `${all.map(([path]) => `wrote ${path}`).join('\n')}\n\n${next(folder)}`)
  return 0
}

export const init: Command = {
  usage: `[FOLDER] ${Object.keys(kinds)
    .map((kind) => `[--${kind}]`)
    .join(' ')}`,
  summary: 'Writes a watermark to start from, its test and a CI workflow.',
  words: 1,
  flags: Object.fromEntries(Object.entries(kinds).map(([kind, { help }]) => [kind, { help }])),
  async run(input, output) {
    const asked = Object.keys(kinds).filter((kind) => input.on(kind))
    if (asked.length > 1) throw new UsageError(`give one of ${asked.map((kind) => `--${kind}`).join(', ')}`)
    const [folder = '.'] = input.words
    if (folder === '') throw new UsageError('expected the name of a folder, got an empty one')
    return write(kinds[asked[0] ?? Object.keys(kinds)[0]!]!, folder, output)
  },
}
