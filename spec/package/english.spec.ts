/** The lint of words finds what it should, where it should. */
import { expect, test } from 'vitest'
import { findingsIn } from '../../scripts/english.mjs'

const found = (file: string, text: string): string[] =>
  findingsIn(file, text).map(({ line, what }) => `${line}: ${what}`)

test.each([
  ["throw new Error('expected a whole number')", ['1: whole number']],
  ['// draws up to so many tokens', ['1: so many']],
  ['const a = 1\n/** What is drawn. */', ['2: opens with What']],
  ['/**\n * Whether it is drawn,\n * that of the key. */', ['1: opens with Whether', '3: that of']],
  ['const text = `expected the usual rule`', ['1: usual']],
])('%j', (text, findings) => {
  expect(found('src/a.ts', text)).toEqual(findings)
})

test.each([
  "const effort = 'usual'",
  'const usual = method.usual()',
  '/** Draws what is asked for, at the `usual` effort. */',
  '// people who know how',
])('nothing is wrong with %j', (text) => {
  expect(found('src/a.ts', text)).toEqual([])
})

test('pages are read without their code', () => {
  const page =
    '# A page\n\n```js\n// so many\n```\n\nUp to so many. Who asks? You do. Who asks gets an answer.\n'
  expect(found('docs/a.md', page)).toEqual(['7: . Who', '7: so many'])
})
