/** A lock beside a file that one run at a time may write. */
import { readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { cannotWrite, isAlive } from '../../bench/report/index.ts'
import { UsageError } from './command.ts'
import { statOf } from './files.ts'

/** Milliseconds within which a process that makes a lock writes its name into it. */
const NAMING_MS = 5000

/** Milliseconds within which runs that find the same abandoned lock replace it. */
const SETTLING_MS = 100

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

/** Makes a lock, also in the place of an abandoned one. Returns false if another process holds it. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, mine(), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(lock, error)
  }
  if (holderOf(lock) !== undefined) return false
  rmSync(lock, { force: true })
  writeFileSync(lock, mine())
  // of several runs that replace it, the last one keeps it
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLING_MS)
  return readFileSync(lock, 'utf8') === mine()
}

/** Locks a file and returns the function that unlocks it. Devices and pipes need no lock: nothing in them is kept. */
export function lockFile(file: string): () => void {
  const stat = statOf(file)
  if (stat && !stat.isFile()) return () => {}
  const lock = `${stat ? realpathSync(file) : file}.lock`
  if (!take(lock))
    throw new UsageError(
      `${file}: ${holderOf(lock) ?? 'another process'} is writing it; wait, give another --out, or remove ${lock} if that run has ended`,
    )
  const release = (): void => {
    process.off('exit', release)
    rmSync(lock, { force: true })
  }
  process.on('exit', release)
  return release
}
