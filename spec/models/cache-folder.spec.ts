import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeOnce, userCache } from '../../src/text/models/cache-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-cache-folder-'))
afterAll(() => rm(root, { recursive: true }))

const fill = (content: string) => async (draft: string) => writeFileSync(join(draft, 'file'), content)

test('a folder is made once', async () => {
  const folder = join(root, 'deep', 'model-1')
  expect(await makeOnce(folder, fill('first'))).toBe(folder)
  await makeOnce(folder, fill('second'))
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('first')
  expect(readdirSync(join(root, 'deep'))).toEqual(['model-1'])
})

test('a failure leaves nothing behind', async () => {
  const folder = join(root, 'failed')
  const fail = async (draft: string) => {
    await fill('half')(draft)
    throw new Error('interrupted')
  }
  await expect(makeOnce(folder, fail)).rejects.toThrow('interrupted')
  expect(readdirSync(root).filter((name) => name.startsWith('failed'))).toEqual([])
})

test('two at once: one wins, both get the folder', async () => {
  const folder = join(root, 'race')
  const paths = await Promise.all([makeOnce(folder, fill('a')), makeOnce(folder, fill('b'))])
  expect(paths).toEqual([folder, folder])
  expect(readFileSync(join(folder, 'file'), 'utf8')).toMatch(/^[ab]$/)
  expect(readdirSync(root).filter((name) => name.startsWith('race'))).toEqual(['race'])
})

test('drafts of interrupted runs are removed after a day', async () => {
  const [old, recent] = [join(root, 'swept.draft-1-1'), join(root, 'swept.draft-2-2')]
  for (const draft of [old, recent]) mkdirSync(draft)
  const before = Date.now() / 1000 - 25 * 60 * 60
  utimesSync(old, before, before)
  await makeOnce(join(root, 'swept'), fill('x'))
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true])
})

test("the user's cache follows the system, UWBENCH_CACHE overrides it", () => {
  const home = homedir()
  expect(userCache({}, 'linux')).toBe(join(home, '.cache', 'uwbench'))
  expect(userCache({ XDG_CACHE_HOME: '/c' }, 'linux')).toBe(join('/c', 'uwbench'))
  expect(userCache({}, 'darwin')).toBe(join(home, 'Library', 'Caches', 'uwbench'))
  expect(userCache({ LOCALAPPDATA: 'L' }, 'win32')).toBe(join('L', 'uwbench', 'Cache'))
  expect(userCache({ UWBENCH_CACHE: '/own' }, 'darwin')).toBe('/own')
})
