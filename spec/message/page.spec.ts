/** The example of docs/messages.md prints what the page says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as uwbench from '../../src/index.ts'
import { root } from '../commands/program.ts'

test('the example on the page prints what stands below it', () => {
  const page = readFileSync(join(root, 'docs/messages.md'), 'utf8')
  const parts = /```js\nimport \{ ([^}]*) \} from 'uwbench'\n(.*?)```\n\n```text\n(.*?)```/s.exec(page)
  const [, names, code, printed] = parts!
  const lines: string[] = []
  const log = (...values: unknown[]) => lines.push(values.join(' '))
  new Function('uwbench', 'console', `const { ${names} } = uwbench\n${code}`)(uwbench, { log })
  expect(`${lines.join('\n')}\n`).toBe(printed)
})
