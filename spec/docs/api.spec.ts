import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../commands/program.ts'
import { api } from './api-page.ts'

test('docs/api.md is what the source says (npm run docs writes it), and every exported function has a comment', async () => {
  const { page, undocumented } = api()
  await expect(page).toMatchFileSnapshot(join(root, 'docs/api.md'))
  expect(undocumented).toEqual([])
})
