/** The examples of python/README.md print what the page says. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { requireComponent } from '../require.ts'
import { python, root, run } from './interpreters.ts'

const page = readFileSync(`${root}python/README.md`, 'utf8')
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({
  language,
  code: code!,
}))

const examples = blocks.flatMap(({ language, code }, i) =>
  language === 'python' && blocks[i + 1]?.language === 'text' ? [{ code, printed: blocks[i + 1]!.code }] : [],
)

describe('python/README.md', () => {
  test.for(examples.map((example, i) => ({ ...example, i })))('example $i', ({ code, printed }, context) => {
    requireComponent(context, 'python', python !== undefined)
    expect(run([python!, '-W', 'ignore', '-c', code])).toBe(printed)
  })

  test('every block of Python is an example that runs, or needs what is not installed', (context) => {
    requireComponent(context, 'python', python !== undefined)
    expect(examples).toHaveLength(blocks.filter(({ language }) => language === 'python').length)
    const others = blocks.filter(({ language }) => language === 'py').map(({ code }) => code)
    expect(others).toHaveLength(2)
    for (const code of others)
      run([python!, '-c', 'import sys; compile(sys.stdin.read(), "README", "exec")'], code)
  })
})
