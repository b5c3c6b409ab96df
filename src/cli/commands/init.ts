import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Command, UsageError } from './command.ts'
import { tryToWrite } from './files.ts'
import { type Output, print } from './output.ts'

/** A project to start from. */
interface Kind {
  readonly help: string
  /** Paths of its files in the package, by their paths in the project. */
  readonly files: Readonly<Record<string, string>>
  /** Returns the next commands to run, for files in a folder. */
  next(folder: string): string
}

/** The kinds of projects; the first is the default. */
const kinds: Readonly<Record<string, Kind>> = {
  typescript: {
    help: 'TypeScript (the default): declaration, vitest spec, workflow, uwbench.config.ts',
    files: {
      'my-watermark.ts': 'examples/watermark/my-watermark.ts',
      'my-watermark.spec.ts': 'examples/watermark/my-watermark.spec.ts',
      'uwbench.config.ts': 'examples/watermark/uwbench.config.ts',
      '.github/workflows/watermark.yml': 'examples/watermark/workflow.yml',
    },
    next: (folder) =>
      `next:${folder === '.' ? '' : ` cd ${folder}, then`}
  npm install --save-dev uwbench vitest fast-check
  npx vitest run                           the laws, as tests
  npx uwbench check ./my-watermark.ts      the same without a test runner`,
  },
  python: {
    help: 'a Python watermark and uwbench_testee.py, which serves it',
    files: {
      'my_watermark.py': 'testee/example.py',
      'uwbench_testee.py': 'testee/uwbench_testee.py',
      '.github/workflows/watermark.yml': 'testee/workflow.yml',
    },
    next: (folder) => `next: npx uwbench check --testee 'python3 ${join(folder, 'my_watermark.py')}'`,
  },
}

const fileOfPackage = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** Writes the files of a kind into a folder. Refuses if one of them exists. */
function write({ files, next }: Kind, folder: string, output: Output): number {
  const all = Object.entries(files).map(([to, from]) => [join(folder, to), fileOfPackage(from)] as const)
  const existing = all.map(([path]) => path).filter((path) => existsSync(path))
  if (existing.length > 0)
    throw new UsageError(
      `${existing.join(', ')}: already there; nothing was written; name another folder: uwbench init FOLDER`,
    )
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
    if (asked.length > 1)
      throw new UsageError(`give only one of ${asked.map((kind) => `--${kind}`).join(', ')}`)
    const [folder = '.'] = input.words
    if (folder === '') throw new UsageError('expected the name of a folder, got an empty one')
    return write(kinds[asked[0] ?? Object.keys(kinds)[0]!]!, folder, output)
  },
}
