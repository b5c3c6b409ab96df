/** `uwbench init --python`: a Python watermark to start from, what it imports, and a CI workflow. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from './command.ts'
import { tryToWrite } from './files.ts'
import { type Output, print } from './output.ts'

const folder = new URL('../../testee/', import.meta.url)

/** What is written, and from which file of the package. */
const FILES: readonly (readonly [target: string, source: string])[] = [
  ['my_watermark.py', 'example.py'],
  ['uwbench_testee.py', 'uwbench_testee.py'],
  ['.github/workflows/watermark.yml', 'workflow.yml'],
]

/** Writes the files into a folder; none of them may be there already. */
export function initPython(into: string, output: Output): number {
  const files = FILES.map(
    ([target, source]) => [join(into, target), readFileSync(new URL(source, folder), 'utf8')] as const,
  )
  const there = files.map(([path]) => path).filter((path) => existsSync(path))
  if (there.length > 0) throw new UsageError(`${there.join(', ')}: already there; nothing was written`)
  for (const [path] of files) mkdirSync(dirname(path), { recursive: true })
  const problem = tryToWrite(files)
  if (problem !== undefined) throw new Error(problem)
  const lines = files.map(([path]) => `wrote ${path}`)
  print(
    output,
    `${lines.join('\n')}\n\nnext: npx uwbench check --testee 'python3 ${join(into, 'my_watermark.py')}'`,
  )
  return 0
}
