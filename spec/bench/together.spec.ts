import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Experiment, openStore, paperExperiments, runExperiment } from '../../src/bench/entry.ts'
import { runTogether } from '../../src/bench/run/driver.ts'
import { toyStudy } from './toy-study.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-together-'))
afterAll(() => rmSync(folder, { recursive: true }))

const { table3, table4, samples } = paperExperiments(toyStudy())
const options = () => ({
  store: openStore(folder),
  workers: 0,
  progress: { done() {}, warn() {}, end() {} },
})
const together = (ready: (one: Experiment) => void) =>
  runTogether([table4, table3, samples], ready, options())

test('each of several experiments is announced once, when nothing of it is left to compute', async () => {
  const announced: Promise<[string, number]>[] = []
  const look = async (one: Experiment): Promise<[string, number]> => [
    one.name,
    (await runExperiment(one, options())).run.computed,
  ]
  await together((one) => announced.push(look(one)))
  expect((await Promise.all(announced)).sort()).toEqual([
    ['samples', 0],
    ['table3', 0],
    ['table4', 0],
  ])
  const again: string[] = []
  await together(({ name }) => again.push(name))
  expect(again).toEqual(['table4', 'table3', 'samples']) // all in the store
})
