/** `uwbench init --python`: a Python watermark to start from, what it imports, and a CI workflow. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from './init.ts'

const folder = new URL('../../testee/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')

export const python: Kind = {
  help: 'a Python watermark and uwbench_testee.py, which serves it',
  files: () => [
    ['my_watermark.py', read('example.py')],
    ['uwbench_testee.py', read('uwbench_testee.py')],
    ['.github/workflows/watermark.yml', read('workflow.yml')],
  ],
  next: (into) => `next: npx uwbench check --testee 'python3 ${join(into, 'my_watermark.py')}'`,
}
