/** The data beside reports: every number is computed again from it without a model, and a changed number is found. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore, paperExperiments, smokeStudy } from '../../src/bench/entry.ts'
import { runReport } from '../../src/bench/run/driver.ts'
import { gumbel, kgw } from '../../src/watermarks/entry.ts'
import { inProcess } from '../commands/in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-verify-'))
const report = join(folder, 'table3.json')
const cells = join(folder, 'data/cells.jsonl.br')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeAll(async () => {
  const smoke = smokeStudy()
  const study = {
    ...smoke,
    watermarks: [gumbel(), kgw({ delta: 2 })],
    open: { ...smoke.open, prompts: 4 },
    human: { ...smoke.human, passages: 3 },
  }
  const { table3 } = paperExperiments(study)
  const show = { stream: { isTTY: false, write() {} }, every: 1e6 }
  await runReport(table3, [table3], { folder, show, store: openStore(join(folder, '.store')), workers: 0 })
})

const verify = () => inProcess(['verify', folder])

test('a fresh run is computed again from its data, number by number', async () => {
  const { status, stdout } = await verify()
  expect(stdout).toMatch(/table3: \d+ cells, computed again from its data: no differences/)
  expect(status).toBe(0)
  const lines = brotliDecompressSync(readFileSync(cells)).toString().trim().split('\n')
  const texts = lines.map((line) => JSON.parse(line)).filter(({ step }) => step === 'generate')
  expect(texts.length).toBeGreaterThan(0)
  for (const { inputs, value } of texts) {
    expect(inputs).toMatchObject({ seed: 1, model: { id: 'embedded' } })
    expect(value.texts[0].length).toBe(40) // token ids
  }
})

test('a smoke run says that its numbers mean nothing, and blames no network', () => {
  for (const kind of ['json', 'md']) {
    const text = readFileSync(join(folder, `table3.${kind}`), 'utf8')
    expect(text).toContain('its numbers mean nothing')
    expect(text).not.toContain('could not be fetched')
  }
})

test('one changed digit of a table is found', async () => {
  const before = readFileSync(report, 'utf8')
  const changed = JSON.parse(before)
  changed.tables[0].rows[1].cells.tpr5.value += 0.01
  writeFileSync(report, JSON.stringify(changed))
  const { status, stdout } = await verify()
  expect(stdout).toContain('table3/tables/0/rows/1/cells/tpr5/value: the file has')
  expect(status).toBe(1)
  writeFileSync(report, before)
})

test('one changed p-value of the data is found', async () => {
  const before = readFileSync(cells)
  const lines = brotliDecompressSync(before).toString().trim().split('\n')
  const at = lines.findIndex((line) => JSON.parse(line).step === 'detect')
  const line = JSON.parse(lines[at]!)
  line.value.full[0] = line.value.full[0] < -3 ? 0 : -50
  lines[at] = JSON.stringify(line)
  writeFileSync(cells, brotliCompressSync(lines.join('\n')))
  expect((await verify()).status).toBe(1)
  writeFileSync(cells, before)
  expect((await verify()).status).toBe(0)
})
