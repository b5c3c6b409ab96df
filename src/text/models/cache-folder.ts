/** Folders that are made once and kept in the user's cache. */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir, platform } from 'node:os'
import { basename, dirname, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** Returns the project's folder in the user's cache; `UWBENCH_CACHE` moves it. */
export function userCache(env: Env = process.env, system: string = platform()): string {
  if (env.UWBENCH_CACHE) return env.UWBENCH_CACHE
  if (system === 'win32')
    return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'uwbench', 'Cache')
  if (system === 'darwin') return join(homedir(), 'Library', 'Caches', 'uwbench')
  return join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'uwbench')
}

const MAX_DRAFT_AGE = 24 * 60 * 60 * 1000

/** Removes drafts that an interrupted run left behind. */
async function sweep(folder: string): Promise<void> {
  const drafts = readdirSync(dirname(folder))
    .filter((name) => name.startsWith(`${basename(folder)}.draft-`))
    .map((name) => join(dirname(folder), name))
  for (const draft of drafts) {
    const made = statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - made > MAX_DRAFT_AGE) await rm(draft, { recursive: true, force: true })
  }
}

/** Makes `folder` unless it exists. It appears whole or not at all: `make` fills a draft, which is then renamed. */
export async function makeOnce(folder: string, make: (draft: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder
  const draft = `${folder}.draft-${randomUUID()}`
  await mkdir(draft, { recursive: true })
  try {
    await sweep(folder)
    await make(draft)
    await rename(draft, folder)
  } catch (cause) {
    // another process may have been faster
    if (!existsSync(folder)) throw cause
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return folder
}
