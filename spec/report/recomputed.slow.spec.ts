/** The committed reports are what their data say: every cell of every table, without a model, in under a minute. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { beyondThePaper } from '../../src/watermarks/index.ts'
import { inProcess } from '../commands/in-process.ts'
import { root } from '../commands/program.ts'

const folder = join(root, 'reports')

test('uwbench verify finds no difference, within a minute of processor time', async () => {
  const before = process.cpuUsage()
  const { status, stdout } = await inProcess(['verify', folder])
  const { user, system } = process.cpuUsage(before)
  expect(stdout).not.toMatch(/: the file has/)
  expect(stdout).toMatch(/table3: \d+ cells, computed again from its data: no differences/)
  expect(status).toBe(0)
  expect((user + system) / 1e6).toBeLessThan(60)
})

test('the table of methods that the paper lacks has a row for each, computed from its data', async () => {
  const { status, stdout } = await inProcess(['verify', join(folder, 'beyond')])
  expect(stdout).toMatch(/table3: \d+ cells, computed again from its data: no differences/)
  expect(status).toBe(0)
  const csv = readFileSync(join(folder, 'beyond/table3.csv'), 'utf8')
  for (const { id } of beyondThePaper()) expect(csv).toContain(id)
})

test('the data has a few megabytes: 22,600 texts take 5.9', () => {
  expect(statSync(join(folder, 'data/cells.jsonl.br')).size).toBeLessThan(6.5e6)
})
