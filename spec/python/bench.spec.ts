/** The benchmark with texts of the Python generator: the tables of the same texts written here. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { openStore } from '../../src/bench/cells/store.ts'
import { paperExperiments } from '../../src/bench/entry.ts'
import { runExperiment } from '../../src/bench/run/experiment.ts'
import { Generator } from '../../src/bench/steps/generator.ts'
import { dipmark, expEdit, gumbel, kgw, synthid } from '../../src/watermarks/entry.ts'
import { toyStudy } from '../bench/toy-study.ts'
import { requireComponent } from '../require.ts'
import { env, python } from './interpreters.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-bench-python-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => Generator.stopAll())

const modelFile = join(folder, 'toy.json')
writeFileSync(modelFile, JSON.stringify({ vocabSize: 64, order: 2, entropy: 1.5 }))
// the module is found by its folder, as `pip install` would have it
const command = [
  'env',
  `PYTHONPATH=${env.PYTHONPATH}`,
  ...[python ?? 'python3', '-S', '-m', 'uwbench.generate', '--model', modelFile, '--backend', 'tiny'],
]
const toy = toyStudy(4)
const study = (generator: boolean) => ({
  ...toy,
  watermarks: [kgw({ delta: 2 }), dipmark({ alpha: 0.4 }), gumbel(), synthid(), expEdit({ keyLength: 32 })],
  tasks: [],
  attacks: toy.attacks.filter(({ id }) => !id.startsWith('rewrite')),
  open: { ...toy.open, models: [{ id: 'toy', ...(generator ? { generator } : {}) }] },
})
const silent = { done: () => {}, warn: () => {}, end: () => {} }
const runs = async (generator: boolean, store = openStore(mkdtempSync(join(folder, 'store-')))) => {
  const info = generator ? (await Generator.shared(command)).info : undefined
  const options = {
    store,
    workers: 0,
    progress: silent,
    ...(info && { resources: { generator: { command, info } } }),
  }
  const { table3, table4, samples } = paperExperiments(study(generator))
  const found = []
  for (const one of [table3, table4, samples]) found.push(await runExperiment(one, options))
  return found
}

test('tables of the generator are those of the same texts written here, to the byte', async (context) => {
  requireComponent(context, 'python', python !== undefined)
  const [here, there] = [await runs(false), await runs(true)]
  const shown = (all: typeof here) =>
    all.map(({ report }) => JSON.stringify({ ...report, provenance: undefined, generated: undefined }))
  expect(shown(there)).toEqual(shown(here))
  // another model of the same name is another address: the generator says what it is
  const generated = (all: typeof here) =>
    all[0]!.cells.filter(({ step }) => step === 'generate').map((c) => c.digest)
  expect(generated(there)).toHaveLength(generated(here).length)
  expect(generated(there).some((digest) => generated(here).includes(digest))).toBe(false)
})

test('a generator that dies: one line, finished cells are kept, and a rerun asks for the rest only', async (context) => {
  requireComponent(context, 'python', python !== undefined)
  const store = openStore(mkdtempSync(join(folder, 'store-')))
  const { info } = await Generator.shared(command)
  // passes lines on, and ends after the third request
  const relay = join(folder, 'relay.py')
  writeFileSync(
    relay,
    `import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for n, line in enumerate(sys.stdin):
    if n == 3: sys.exit('out of memory')
    child.stdin.write(line); child.stdin.flush()
    while True:
        answer = child.stdout.readline()
        sys.stdout.write(answer); sys.stdout.flush()
        if '"progress"' not in answer: break
`,
  )
  const dying = [python!, relay, ...command]
  const { table3 } = paperExperiments(study(true))
  const options = { store, workers: 0, progress: silent }
  const failed = await runExperiment(table3, {
    ...options,
    resources: { generator: { command: dying, info } },
  }).catch((error: Error) => error)
  expect((failed as Error).message).toMatch(
    /^generator '.*' exited with code 1; its standard error ends: .*out of memory[^\n]*$/,
  )
  const again = await runExperiment(table3, { ...options, resources: { generator: { command, info } } })
  expect(again.report?.name).toBe('table3')
  expect(again.run.reused).toBeGreaterThanOrEqual(2)
})
