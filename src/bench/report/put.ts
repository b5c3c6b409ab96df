/**
 * Writes files whole or not at all: the content goes to a draft beside the file, which then takes its name and keeps its mode. Readers
 * see the old file or the new one. A draft that a killed process left behind is swept by the next one that writes there. Links are
 * followed; devices and pipes are written to.
 */
import { createHash, randomUUID } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'

/** Stores may be shared by machines, whose processes have numbers of their own. */
const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

const draftOf = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${machine}-${process.pid}-${randomUUID().slice(0, 8)}.tmp`)

const draftName = /\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.tmp$/

/** Milliseconds after which a draft of another machine counts as left behind. */
const MAX_DRAFT_AGE = 24 * 3600 * 1000

/** Removes a file after a failure. */
export const remove = (path: string): void => {
  try {
    rmSync(path, { force: true })
  } catch {
    // what went wrong before says more
  }
}

/** Links that are followed, at most. */
const MAX_LINKS = 40

/** Names of files that are open already, such as /dev/stdout: who has them open would lose a file that takes their place. */
const isOpen = (path: string): boolean => /^\/(dev\/(std(in|out|err)$|fd\/)|proc\/)/.test(path)

/** Returns the file that links lead to, which need not exist. */
export function targetOf(path: string): string {
  let target = resolve(path)
  for (let i = 0; i < MAX_LINKS && !isOpen(target); i++) {
    if (!lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) break
    target = resolve(dirname(target), readlinkSync(target))
  }
  return target
}

/** Returns true for a device, a pipe, a socket or a file by the name under which it is open. */
export function isSpecial(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return (stat !== undefined && !stat.isFile() && !stat.isDirectory()) || isOpen(targetOf(path))
}

/** Writes the draft of a file. Returns the function that puts it in place: for a device or a pipe, writing the content to it. */
function writeDraft(path: string, content: string | Uint8Array): { draft?: string; place: () => void } {
  const old = statSync(path, { throwIfNoEntry: false })
  if (isSpecial(path)) return { place: () => writeFileSync(path, content) }
  const target = targetOf(path)
  const draft = draftOf(target)
  try {
    writeFileSync(draft, content, old ? { mode: old.mode } : {})
    if (old) chmodSync(draft, old.mode)
  } catch (error) {
    remove(draft)
    throw error
  }
  return { draft, place: () => renameSync(draft, target) }
}

/**
 * Writes several files: if one cannot be written (a full disk, a folder that is read-only), all of them stay as they were. The error
 * names the file. Only a kill between two renames leaves some new and some old, each of them whole.
 */
export function putAll(files: Iterable<readonly [path: string, content: string | Uint8Array]>): void {
  const drafts: { path: string; draft?: string; place: () => void }[] = []
  let current = ''
  try {
    for (const [path, content] of files) {
      current = path
      drafts.push({ path, ...writeDraft(path, content) })
    }
    for (const { path, place } of drafts) {
      current = path
      place()
    }
  } catch (error) {
    for (const { draft } of drafts) if (draft !== undefined) remove(draft)
    throw cannotWrite(current, error)
  }
}

/** Writes one file, or leaves it as it was. */
export const put = (path: string, content: string | Uint8Array): void => putAll([[path, content]])

/** Adds to the end of a file. */
export function append(path: string, text: string): void {
  try {
    appendFileSync(path, text)
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** The error of a file that could not be written; `code` is the system's, such as ENOSPC. */
export function cannotWrite(path: string, error: unknown): NodeJS.ErrnoException {
  const { message, code } = error as NodeJS.ErrnoException
  // system errors go on with the call and the draft's name
  const reason = message.split(',')[0]!
  return Object.assign(new Error(`${path}: cannot write (${reason})`, { cause: error }), code ? { code } : {})
}

/** Removes the drafts that killed processes left in a folder; returns how many. */
export function sweepDrafts(folder: string): number {
  let removed = 0
  for (const name of list(folder)) {
    const owner = draftName.exec(name)
    if (!owner || !abandoned(join(folder, name), owner[1]!, Number(owner[2]))) continue
    remove(join(folder, name))
    removed++
  }
  return removed
}

function abandoned(path: string, owner: string, pid: number): boolean {
  if (owner === machine) return !isAlive(pid)
  const { mtimeMs = Number.POSITIVE_INFINITY } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return Date.now() - mtimeMs > MAX_DRAFT_AGE
}

/** The names in a folder; none where it cannot be read. */
export function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns true if a process of this machine is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
