/** The page of adversaries and its part of SECURITY.md are what their data says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../commands/program.ts'
import { fill } from '../docs/parts.ts'
import { findings, page, readCells } from './report.ts'

const cells = readCells()

test('reports/adversaries.md', async () => {
  await expect(page(cells)).toMatchFileSnapshot('../../reports/adversaries.md')
})

test('SECURITY.md', async () => {
  const file = join(root, 'SECURITY.md')
  await expect(fill(readFileSync(file, 'utf8'), { adversaries: findings(cells) })).toMatchFileSnapshot(file)
})

test('every cell has its attack, its cost and a share of texts', () => {
  expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length)
  for (const { id, hits, count, ppl, kept } of cells) {
    expect(hits, id).toBeLessThanOrEqual(count)
    expect(Number(ppl ?? kept), id).toBeGreaterThan(0)
  }
})

test('a changed cell changes the page', () => {
  const [first, ...rest] = cells
  expect(page([{ ...first!, hits: first!.hits === 0 ? 1 : 0 }, ...rest])).not.toBe(page(cells))
})
