/**
 * Faults in the file system, one at a time: the n-th call that changes a file fails as on a full disk, or the process is "killed" in it.
 * After a kill no call has any effect any more, so that code which would tidy up cannot: that is what distinguishes it from an error.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** `before`: the call does nothing; `inside`: a write leaves half of its content. */
export type Fault = 'full before' | 'full inside' | 'killed before' | 'killed inside' | 'read-only'
/** Those that strike at one call; a folder that is read-only refuses every change. */
export const faults: readonly Fault[] = ['full before', 'full inside', 'killed before', 'killed inside']

class Killed extends Error {}

const changing = ['writeFileSync', 'renameSync', 'mkdirSync', 'rmSync'] as const

export interface Outcome<T> {
  /** Calls that changed a file or would have. */
  readonly calls: number
  readonly value?: T
  readonly error?: Error
}

/** Runs `work` with a fault at the n-th call, from 1; a full disk stays full for `lasting` calls. */
export async function withFault<T>(
  work: () => T | Promise<T>,
  fault: Fault,
  at: number,
  lasting = Number.POSITIVE_INFINITY,
): Promise<Outcome<T>> {
  const original = Object.fromEntries(changing.map((name) => [name, fs[name]])) as Record<string, unknown>
  let calls = 0
  let killed = false
  for (const name of changing) {
    const real = fs[name] as (...args: unknown[]) => unknown
    const wrapped = (...args: unknown[]): unknown => {
      if (killed) throw new Killed()
      calls++
      const lasts = !fault.startsWith('killed')
      const hit = lasts ? calls >= at && calls < at + lasting : calls === at
      // a full disk still removes and renames
      if (!hit || (fault.startsWith('full') && (name === 'rmSync' || name === 'renameSync')))
        return real(...args)
      if (fault.endsWith('inside')) {
        if (name === 'writeFileSync')
          real(args[0], String(args[1]).slice(0, String(args[1]).length / 2), ...args.slice(2))
        else real(...args)
      }
      if (fault.startsWith('killed')) {
        killed = true
        throw new Killed()
      }
      throw fault === 'read-only'
        ? Object.assign(new Error('EROFS: read-only file system, open'), { code: 'EROFS' })
        : Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    }
    Object.assign(fs, { [name]: wrapped })
  }
  syncBuiltinESMExports()
  try {
    return { value: await work(), calls }
  } catch (error) {
    return { error: error as Error, calls }
  } finally {
    Object.assign(fs, original)
    syncBuiltinESMExports()
  }
}
