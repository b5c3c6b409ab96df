/** Parts of the documentation that code writes are up to date. `npm run docs` writes them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../commands/program.ts'
import { choices, lengths } from './choices.ts'
import { keys, laws, unseen } from './gate-page.ts'
import { fill } from './parts.ts'
import { facts, picture, results, scores } from './results.ts'
import { pairs, power } from './text-laws.ts'
import { list, pages, written } from './watermark-pages.ts'

const folder = join(root, 'docs/watermarks')
const read = (file: string): string => readFileSync(file, 'utf8')

test.each(pages)('docs/watermarks: $file', async (page) => {
  const { path, text } = written(page)
  await expect(text).toMatchFileSnapshot(path)
})

test('docs/watermarks/README.md', async () => {
  const file = join(folder, 'README.md')
  await expect(fill(read(file), { list: list() })).toMatchFileSnapshot(file)
})

test('no page is without its method', () => {
  const known = [...pages.map(({ file }) => `${file}.md`), 'README.md']
  expect(readdirSync(folder).filter((file) => !known.includes(file))).toEqual([])
})

test('README.md: picture, facts and results', async () => {
  const file = join(root, 'README.md')
  const parts = { picture: picture(), facts: facts(), results: results() }
  await expect(fill(read(file), parts)).toMatchFileSnapshot(file)
})

test('docs/numbers.md', async () => {
  const file = join(root, 'docs/numbers.md')
  await expect(fill(read(file), { scores: scores() })).toMatchFileSnapshot(file)
})

test('docs/choose.md', async () => {
  const file = join(root, 'docs/choose.md')
  await expect(fill(read(file), { choices: choices(), lengths: lengths(0.01) })).toMatchFileSnapshot(file)
})

test('docs/scale.md', async () => {
  const file = join(root, 'docs/scale.md')
  await expect(fill(read(file), { lengths: lengths(5e-8) })).toMatchFileSnapshot(file)
})

test('docs/gate.md', async () => {
  const file = join(root, 'docs/gate.md')
  await expect(
    fill(read(file), { laws: laws(), keys: keys(), unseen: unseen(), pairs: pairs(), power: power() }),
  ).toMatchFileSnapshot(file)
})

test('docs/theorems.md quotes the reports word for word', () => {
  const reports = ['theorems', 'audit', 'false-positives']
    .map((name) => read(join(root, 'reports', `${name}.md`)))
    .join('\n')
  const quotations = [...read(join(root, 'docs/theorems.md')).matchAll(/^> (.*)$/gm)].map(([, text]) => text!)
  expect(quotations.length).toBeGreaterThan(8)
  for (const text of quotations) expect(reports).toContain(text)
})
