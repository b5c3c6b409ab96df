/** A lock beside a file that one run at a time may write. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { cannotWrite, isAlive, remove, targetOf } from '../../bench/report/index.ts'
import { UsageError } from './command.ts'
import { statOf } from './files.ts'

/** Milliseconds within which a process that makes a lock writes its name into it. */
const NAMING_MS = 5000

const mine = (): string => `${process.pid} ${hostname()}\n`

/** Returns the process that holds a lock, or undefined where it has ended. A process of another machine counts as running. */
function holderOf(lock: string): string | undefined {
  try {
    const [, pid, host] = /^(\d+) (\S+)\n$/.exec(readFileSync(lock, 'utf8')) ?? []
    if (pid === undefined)
      return Date.now() - statSync(lock).mtimeMs < NAMING_MS ? 'another process' : undefined
    return host === hostname() && !isAlive(Number(pid)) ? undefined : `process ${pid} on ${host}`
  } catch {
    return undefined
  }
}

/** Makes a file with the name of this process. Returns false if the file exists. */
function claim(file: string): boolean {
  try {
    writeFileSync(file, mine(), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    remove(file) // an empty one, where the disk is full
    throw cannotWrite(file, error)
  }
}

/**
 * Makes a lock, also in the place of an abandoned one. Returns the file that is in the way if another process holds it. Only the run
 * that made the file `.replacing` removes an abandoned lock, and it looks again before: no run can remove the lock of a live one.
 */
function take(lock: string): string | undefined {
  if (claim(lock)) return undefined
  if (holderOf(lock) !== undefined) return lock
  const replacing = `${lock}.replacing`
  if (!claim(replacing)) return replacing
  try {
    if (holderOf(lock) === undefined) rmSync(lock, { force: true })
    return claim(lock) ? undefined : lock
  } finally {
    rmSync(replacing, { force: true })
  }
}

/** Locks a file and returns the function that unlocks it. Devices and pipes need no lock: nothing in them is kept. */
export function lockFile(file: string): () => void {
  const stat = statOf(file)
  if (stat && !stat.isFile()) return () => {}
  const lock = `${targetOf(file)}.lock`
  const held = take(lock)
  if (held !== undefined)
    throw new UsageError(
      `${file}: ${holderOf(held) ?? 'another process'} is writing it; wait, give another --out, or remove ${held} if that run has ended`,
    )
  const release = (): void => {
    process.off('exit', release)
    rmSync(lock, { force: true })
  }
  process.on('exit', release)
  return release
}
