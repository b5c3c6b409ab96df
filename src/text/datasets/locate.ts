import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'

/** The place of a dataset's files: a file, a folder in the layout of its repository, or the hub's cache. */
export interface Place {
  /** The file itself, or a folder that holds it. */
  readonly path?: string
  /** The hub's cache folder, which holds `datasets--owner--name`. Default: the folder that the hub's own tools use. */
  readonly cache?: string
  /** A branch, tag or commit in the cache. */
  readonly revision?: string
}

/** The files to look for. */
export interface Sought {
  readonly id: string
  /** Owner and name on the hub, if the dataset is there. */
  readonly repository?: string
  /** Matches the files' paths inside the repository or folder. */
  readonly files: RegExp
  /** The origin of files that are not simply downloaded, for error messages. */
  readonly origin?: string
}

/** Returns the cache folder that the hub's own tools use. */
export const hubCache = (env: Readonly<Record<string, string | undefined>> = process.env): string =>
  env.HF_HUB_CACHE ?? join(env.HF_HOME ?? join(homedir(), '.cache', 'huggingface'), 'hub')

/**
 * Returns the files of a dataset, sorted by name. Throws an error that says where it looked, and for what, if there are none.
 */
export function locate(sought: Sought, place: Place = {}): string[] {
  if (place.path !== undefined) return inPath(sought, place.path)
  if (sought.repository === undefined)
    throw new Error(
      `${sought.id}: it is not on the hub; give a path to the file or folder that holds ${sought.files}${hint(sought)}`,
    )
  return inCache(sought, sought.repository, place)
}

function inPath(sought: Sought, path: string): string[] {
  if (!existsSync(path)) throw new Error(`${sought.id}: no file or folder at ${path}`)
  if (!statSync(path).isDirectory()) return [path]
  return matching(sought, path)
}

function inCache(
  sought: Sought,
  repository: string,
  { cache = hubCache(), revision = 'main' }: Place,
): string[] {
  const root = join(cache, `datasets--${repository.replaceAll('/', '--')}`)
  if (!existsSync(root))
    throw new Error(
      `${sought.id}: no ${root}; download ${repository} with the hub's tools, or give path or cache`,
    )
  const ref = join(root, 'refs', revision)
  const commit = existsSync(ref) ? readFileSync(ref, 'utf8').trim() : revision
  const snapshot = join(root, 'snapshots', commit)
  if (!existsSync(snapshot)) {
    const known = existsSync(join(root, 'snapshots')) ? readdirSync(join(root, 'snapshots')) : []
    throw new Error(
      `${sought.id}: no revision '${revision}' in ${root}; it has ${known.join(', ') || 'none'}`,
    )
  }
  return matching(sought, snapshot)
}

const listing = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))

const hint = ({ origin }: Sought): string => (origin === undefined ? '' : `; ${origin}`)

/** Returns the files whose path inside the folder matches, with or without the folder's own name: a repository and a subfolder both work. */
function matching(sought: Sought, folder: string): string[] {
  const names = listing(folder)
  const files = names.filter(
    (name) => sought.files.test(name) || sought.files.test(`${basename(folder)}/${name}`),
  )
  if (files.length > 0) return files.sort().map((name) => join(folder, name))
  const found = names.filter((name) => /\.\w+$/.test(basename(name))).slice(0, 8)
  throw new Error(
    `${sought.id}: no file in ${folder} matches ${sought.files}; found ${found.join(', ') || 'no files'}${hint(sought)}`,
  )
}
