/** docs/architecture.md and its picture say what the imports say. `npm run docs` writes them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../commands/program.ts'
import { fill, table } from '../parts.ts'
import { draw } from './draw.ts'
import { type Arrow, allowed, readGraph } from './graph.ts'
import { essential } from './layout.ts'

const graph = await readGraph()
const file = join(root, 'docs/architecture.md')
const page = readFileSync(file, 'utf8')
const usedBy = (room: string): Arrow[] => graph.arrows.filter(({ from }) => from === room)

test('docs/architecture.svg', async () => {
  await expect(draw(graph)).toMatchFileSnapshot(join(root, 'docs/architecture.svg'))
})

test('docs/architecture.md: who uses whom', async () => {
  const rows = [...graph.rooms].sort().map((room) => [
    room,
    usedBy(room)
      .map(({ to }) => to)
      .sort()
      .join(', ') || 'none',
  ])
  await expect(fill(page, { uses: table(['room', 'uses'], rows) })).toMatchFileSnapshot(file)
})

test('docs/architecture.md: one paragraph per room', () => {
  const described = [...page.matchAll(/^\*\*(\w+)\*\* /gm)].map(([, room]) => room!)
  expect(described.sort()).toEqual([...graph.rooms].sort())
})

test('the lint rule has a line for every room, and no other', () => {
  expect(Object.keys(allowed).sort()).toEqual([...graph.rooms].sort())
})

test('the lint rule allows nothing that is not used', () => {
  const isUsed = (room: string, may: string): boolean =>
    usedBy(room).some(({ to, files }) =>
      may.includes('/') ? [...files].some((used) => used.startsWith(may)) : to === may,
    )
  const unused = Object.entries(allowed).flatMap(([room, list]) =>
    list.filter((may) => !isUsed(room, may)).map((may) => `${room} -> ${may}`),
  )
  expect(unused).toEqual([])
})

test('arrows that others imply are left out of the picture, and only those', () => {
  const arrow = (from: string, to: string): Arrow => ({ from, to, files: new Set() })
  const kept = essential([arrow('a', 'b'), arrow('b', 'c'), arrow('a', 'c'), arrow('b', 'a')])
  expect(kept.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(['a b', 'b a', 'b c'])
})
