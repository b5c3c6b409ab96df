/** The page of adversaries and its part of SECURITY.md are what their data says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clopperPearson } from '../../src/core/stats/index.ts'
import { root } from '../commands/program.ts'
import { fill, table } from '../docs/parts.ts'
import { type Cell, findings, page, readCells } from './report.ts'
import { lead } from './report-lead.ts'

const cells = readCells()

test('reports/adversaries.md', async () => {
  await expect(page(cells)).toMatchFileSnapshot('../../reports/adversaries.md')
})

test('SECURITY.md', async () => {
  const file = join(root, 'SECURITY.md')
  await expect(fill(readFileSync(file, 'utf8'), { adversaries: findings(cells) })).toMatchFileSnapshot(file)
})

/** Rows that are not as wide as the header above them. */
function uneven(markdown: string): string[] {
  let width = 0
  return markdown.split('\n').filter((line) => {
    const own = line.startsWith('|') ? line.replaceAll('\\|', '').split('|').length : 0
    if (own === 0 || width === 0) width = own
    return own !== width
  })
}

test('rows of a table are as wide as its header', () => {
  expect(uneven(page(cells))).toEqual([])
  expect(uneven('| a | b |\n| --- | --- |\n| 1 | 2 |\n| 1 | 2 | 3 |')).toEqual(['| 1 | 2 | 3 |'])
  expect(() => table(['a', 'b'], [['1', '2', '3']])).toThrow('expected 2 cells, as in "a | b", found 3')
})

test('the page begins with at most five sentences and has no long table', () => {
  expect(lead(cells).length).toBeLessThanOrEqual(5)
  for (const section of page(cells).split('## '))
    for (const block of section.split('\n\n').filter((text) => text.startsWith('|')))
      expect(block.split('\n').length, section.slice(0, 40)).toBeLessThanOrEqual(14)
})

test('every cell has its attack, its cost and a share of texts', () => {
  expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length)
  for (const { id, hits, count, ppl, kept, budgets, length } of cells) {
    expect(hits, id).toBeLessThanOrEqual(count)
    const cost = Array.isArray(budgets) ? Math.max(...budgets) : (ppl ?? kept ?? length)
    expect(Number(cost), id).toBeGreaterThan(0)
  }
})

/** The cells that detect more than the best possible test; each is wrongly named with probability below 1e-9. */
const aboveCeiling = (own: readonly Cell[]) =>
  own.filter(
    ({ hits, count, ceiling }) =>
      ceiling !== undefined && clopperPearson(hits, count, 1 - 1e-9).low > Number(ceiling),
  )

test('no detector is above the likelihood-ratio bound', () => {
  expect(aboveCeiling(cells)).toEqual([])
  const impossible = { id: '', stage: 'entropy', model: '', method: '', count: 40, hits: 40, ceiling: 0.3 }
  expect(aboveCeiling([impossible])).toEqual([impossible])
})

test('another round of rewriting is another text', () => {
  const rewritten = cells.filter(({ stage }) => stage === 'recursive')
  const facts = rewritten.map(({ method, hits, ppl, edits }) => [method, hits, ppl, edits].join())
  expect(new Set(facts).size).toBe(rewritten.length)
})

test('a changed cell changes the page', () => {
  const [first] = cells.filter(({ stage, strength }) => stage === 'spoof' && strength === 4)
  const changed = { ...first!, hits: first!.hits === 0 ? 1 : 0 }
  expect(page(cells.map((cell) => (cell === first ? changed : cell)))).not.toBe(page(cells))
})
