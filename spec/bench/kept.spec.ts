/** Texts kept in a repository: found without a model, whatever code wrote them, and only they. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Cell, cell, closure } from '../../src/bench/cells/cell.ts'
import { runCells } from '../../src/bench/cells/runner.ts'
import { openStore } from '../../src/bench/cells/store.ts'
import { paperExperiments } from '../../src/bench/entry.ts'
import { cellsOf, prepare } from '../../src/bench/run/experiment.ts'
import { withKept } from '../../src/bench/run/kept.ts'
import { chatStudy } from '../../src/bench/study/scales.ts'
import { kgw } from '../../src/watermarks/entry.ts'
import { toyStudy } from './toy-study.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-kept-'))
afterAll(() => rmSync(root, { recursive: true }))

const studyIn = (folder: string, prompts = 4, version = 1) => {
  const toy = toyStudy(prompts)
  return {
    ...toy,
    tasks: [],
    batch: 2,
    watermarks: [kgw({ delta: 2 })],
    kept: { folder: join(root, folder), version },
  }
}
const silent = { done: () => {}, warn: () => {}, end: () => {} }

/** Runs table 4 with an empty store; returns the steps of the cells that were computed, and all values. */
async function run(study: ReturnType<typeof studyIn>, changed: (c: Cell) => Cell = (c) => c) {
  const { table4 } = paperExperiments(study)
  const prepared = await prepare([table4])
  const cells = closure(cellsOf(prepared, table4)).map(changed)
  const warnings: string[] = []
  const store = openStore(mkdtempSync(join(root, 'store-')))
  const computed: string[] = []
  const { value } = await runCells(cells, {
    ...prepared.options,
    store: withKept(store, study, (text) => warnings.push(text)),
    workers: 0,
    progress: silent,
    onStored: ({ step, inputs }) =>
      computed.push(step === 'attack' ? String(inputs.attack).split('(')[0]! : step),
  })
  return { computed, warnings, values: cells.map((c) => JSON.stringify(value(c))) }
}
const files = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.br'))
    .sort()

test('a fresh clone writes no text again, and has the same values', async () => {
  const first = await run(studyIn('one'))
  expect(first.computed).toContain('generate')
  const kept = files('one').map((name) => readFileSync(join(root, 'one', name)))
  const second = await run(studyIn('one'))
  expect(second.computed).not.toContain('generate')
  expect(second.computed).not.toContain('rewrite')
  expect(second.computed).toContain('detect')
  expect(second.values).toEqual(first.values)
  // the same bytes from another run
  await run(studyIn('two'))
  expect(files('two')).toEqual(files('one'))
  expect(files('two').map((name) => readFileSync(join(root, 'two', name)))).toEqual(kept)
})

test('more prompts add to what is there', async () => {
  const more = await run(studyIn('one', 6))
  expect(more.computed.filter((step) => step === 'generate')).toHaveLength(2)
})

test('folders that two machines wrote are joined by copying', async () => {
  for (const part of ['left', 'right']) mkdirSync(join(root, part), { recursive: true })
  const all = files('two')
  for (const [i, name] of all.entries())
    await cp(join(root, 'two', name), join(root, i % 2 ? 'left' : 'right', name))
  await cp(join(root, 'left'), join(root, 'joined'), { recursive: true })
  await cp(join(root, 'right'), join(root, 'joined'), { recursive: true })
  expect((await run(studyIn('joined'))).computed).not.toContain('generate')
})

test('an edit of code leaves kept texts, and nothing else', async () => {
  const study = studyIn('two')
  const edited = ({ step, inputs, label, code, needs }: Cell): Cell =>
    cell(step, inputs, { label, code: `${code} edited`, needs: needs.map(edited) })
  const again = await run(study, edited)
  expect(again.computed).not.toContain('generate')
  expect(again.computed).toContain('detect')
  const { table3 } = paperExperiments(study)
  const [first] = closure(cellsOf(await prepare([table3]), table3))
  const store = openStore(mkdtempSync(join(root, 'store-')))
  expect(withKept(store, study, () => {}).has(edited(first!))).toBe(true)
  expect(store.has(first!)).toBe(false)
})

test('a raised version, other inputs or a corrupt file: the texts are written anew', async () => {
  expect((await run(studyIn('two', 4, 2))).computed).toContain('generate')
  const study = studyIn('joined')
  expect((await run({ ...study, temperature: 0.9 })).computed).toContain('generate')
  for (const name of files('joined')) writeFileSync(join(root, 'joined', name), 'nothing')
  const { computed, warnings } = await run(study)
  expect(computed).toContain('generate')
  expect(warnings[0]).toMatch(/^corrupt entry for .*; recomputing$/)
})

test('the prompts of the chat scale are at least 100, all different, and none is in the scale twice', async () => {
  const { open, kept, watermarks } = chatStudy()
  const path = new URL('../../fixtures/data/instructions-test.jsonl', import.meta.url)
  const prompts = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { prompt: string }).prompt)
  expect(new Set(prompts).size).toBe(prompts.length)
  expect(prompts.length).toBeGreaterThanOrEqual(100)
  expect(open.prompts).toBeLessThanOrEqual(prompts.length)
  expect([open.tokens, watermarks.length, kept?.version]).toEqual([200, 19, 1])
})
