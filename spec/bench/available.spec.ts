import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { availableStudy } from '../../src/bench/study/available.ts'
import { embeddedStudy, smokeStudy } from '../../src/bench/study/scales.ts'
import { hasRoundTrip } from '../../src/text/attacks/entry.ts'
import { isKept } from '../../src/text/models/fetched-model.ts'
import { minilm } from '../../src/text/models/minilm.ts'
import { stories15m } from '../../src/text/models/stories15m.ts'
import { requireComponent } from '../require.ts'

const cache = mkdtempSync(join(tmpdir(), 'uwbench-available-'))
afterAll(() => rm(cache, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

const here = (study: Awaited<ReturnType<typeof availableStudy>>) =>
  study.standIns.map((one) => one.here).join('\n')

test('without npm and Apertium a study goes on, and says what stands in', async () => {
  vi.stubEnv('PATH', '/nowhere')
  vi.stubEnv('UWBENCH_CACHE', cache)
  const study = await availableStudy(embeddedStudy())
  for (const { encoder } of study.tasks) expect(encoder).toEqual({ id: 'embedded' })
  expect(study.attacks.map(({ label }) => label)).not.toContain('Round trip')
  expect(here(study)).toContain('hidden states, because all-MiniLM-L6-v2 could not be fetched')
  expect(here(study)).toContain('Apertium was not installed')
  expect(here(study)).not.toContain('layers')
  expect(study.human.corpus).toEqual({ ...embeddedStudy().human.corpus, missing: true })
})

test('with all: MiniLM for BERTScore, the round trip and the second model', async (context) => {
  requireComponent(context, 'minilm', isKept(minilm))
  requireComponent(context, 'apertium', await hasRoundTrip())
  requireComponent(context, 'stories15m', isKept(stories15m))
  const study = await availableStudy(embeddedStudy())
  for (const { encoder } of study.tasks) expect(encoder).toEqual({ id: 'minilm' })
  expect(study.attacks.map(({ label }) => label)).toContain('Round trip')
  expect(here(study)).toContain('states after 5 of its 6 layers')
  expect(here(study)).not.toContain('not')
  expect(study.more?.map(({ name, open }) => [name, open?.models])).toEqual([
    ['stories15m', [{ id: 'stories15m' }]],
  ])
})

test('the smoke run fetches nothing', async () => {
  const study = smokeStudy()
  expect((await availableStudy(study)).tasks).toEqual(study.tasks)
  expect(study.tasks.some(({ encoder }) => encoder?.optional)).toBe(false)
  expect(study.human.corpus).toBeUndefined()
})
