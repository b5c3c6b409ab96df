// Builds dist/ from src/: one tsc run into a fresh folder that then takes the place of the old one, so that a deleted source
// leaves nothing behind and a program that runs from dist/ meanwhile never sees half of it. Up to date: nothing is done.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bundlePlayground } from './playground.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

/** A digest of everything that the build depends on. */
function sourceDigest() {
  const hash = createHash('sha256')
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const file of [
    ...files,
    ...['tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs', 'scripts/playground.mjs'].map((f) =>
      join(root, f),
    ),
  ])
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file))
  return hash.digest('hex')
}

const stamp = join(dist, '.source')
const digest = sourceDigest()
const upToDate = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === digest

/** Whether the process that wrote its number into the lock is still there; a lock just made is still empty. */
function ownerLives(lock) {
  try {
    const owner = Number(readFileSync(lock, 'utf8'))
    if (owner > 0) process.kill(owner, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH' // gone meanwhile, or somebody else's: try again
  }
}

/** One build at a time: tests of several files ask for it at once. */
async function alone(work) {
  const lock = join(root, 'dist.lock')
  for (;;) {
    try {
      writeFileSync(lock, `${process.pid}`, { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (!ownerLives(lock)) rmSync(lock, { force: true })
      await setTimeout(100)
    }
  }
  try {
    await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

async function build() {
  if (upToDate()) return
  const fresh = join(root, `dist.${process.pid}`)
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc')
  try {
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', fresh], {
      cwd: root,
      stdio: 'inherit',
    })
    // the report page's style and script are files, not modules
    cpSync(join(root, 'src/bench/report/page'), join(fresh, 'bench/report/page'), { recursive: true })
    await bundlePlayground(join(fresh, 'cli/playground/page'))
    if (existsSync(join(fresh, 'cli/uwbench.js'))) chmodSync(join(fresh, 'cli/uwbench.js'), 0o755)
    writeFileSync(join(fresh, '.source'), digest)
    rmSync(dist, { recursive: true, force: true })
    renameSync(fresh, dist)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

if (!upToDate()) await alone(build)
