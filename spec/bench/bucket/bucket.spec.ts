/** Cells in a bucket, on a server that verifies signatures. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { bucketAddress } from '../../../src/bench/cells/bucket/address.ts'
import { openBucket } from '../../../src/bench/cells/bucket/bucket.ts'
import { cell } from '../../../src/bench/cells/cell.ts'
import { runCells } from '../../../src/bench/cells/runner.ts'
import { sharedCells } from '../../../src/bench/cells/shared-cells.ts'
import { openStore } from '../../../src/bench/cells/store.ts'
import { temporaryFolder } from '../../commands/program.ts'
import { freePort } from '../queue/redis.ts'
import { type S3Server, startS3 } from './server.ts'

const folder = temporaryFolder('bucket')
const URL_OF_STORE = 's3://cells/a/study'
const steps = new URL('../queue/steps.ts', import.meta.url).href
let s3: S3Server
let count = 0

beforeAll(async () => {
  s3 = await startS3()
})
afterAll(() => s3.end())

const set = (env: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
}
beforeEach(() => set(s3.env))
afterEach(() => {
  vi.unstubAllEnvs()
  s3.objects.clear()
  s3.served.length = 0
  s3.faults.length = 0
  s3.readOnly = false
})

const newFolder = (): string => join(folder, `${++count}`)
const squares = (many: number) =>
  Array.from({ length: many }, (_, x) => cell('square', { x }, { label: `square ${x}` }))
const total = cell('sum', {}, { label: 'total', needs: squares(7) })
const keyOf = (digest: string): string => `a/study/cells/${digest.slice(0, 2)}/${digest}`

/** A run on a machine of its own. */
function run(own = newFolder(), cells = [total], more: object = {}) {
  const [lines, log] = [[] as string[], join(folder, `trace-${++count}`)]
  const store = openStore(URL_OF_STORE, { folder: own, warn: (line) => lines.push(line) })
  const progress = { done() {}, warn: (line: string) => lines.push(line), end() {} }
  const result = runCells(cells, { steps, store, workers: 0, progress, resources: { log }, ...more })
  return { result, lines, own, log }
}

describe('a hostile bucket is left with one line', () => {
  const answering = async (
    answer: (response: ServerResponse) => void,
    ask: (url: string) => Promise<unknown>,
  ) => {
    const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    try {
      return await ask('s3://cells/prefix').catch((error: Error) => error.message)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }
  const endless = (response: ServerResponse) => {
    const more = () => {
      while (!response.destroyed && response.write('<Key>a</Key>'.repeat(10_000)));
    }
    response.on('drain', more)
    more()
  }

  test('its list repeats a page', async () => {
    const page = '<Key>prefix/a</Key><NextContinuationToken>a</NextContinuationToken>'
    expect(
      await answering(
        (response) => response.end(page),
        (url) => openBucket(url).list(''),
      ),
    ).toBe('bucket s3://cells/prefix: its list does not end after 2 pages; use a prefix of its own')
  })
  test('a page has more names than S3 gives, or a character that there is not', async () => {
    const list = (page: string) =>
      answering(
        (response) => response.end(page),
        (url) => openBucket(url).list(''),
      )
    expect(await list('<Key>prefix/a</Key>'.repeat(1001))).toBe(
      'bucket s3://cells/prefix: its list has a page of 1001 names; S3 gives at most 1000',
    )
    expect(await list('<NextContinuationToken>&#99999999;</NextContinuationToken>')).toBe(
      'bucket s3://cells/prefix: its list does not end after 2 pages; use a prefix of its own',
    )
  })
  test('a page does not end', async () => {
    expect(await answering(endless, (url) => openBucket(url).list(''))).toBe(
      'bucket s3://cells/prefix: an answer has more than 16 MB; expected less',
    )
  })
  test('a file is too large', async () => {
    const large = (response: ServerResponse) =>
      response.writeHead(200, { 'content-length': 2 ** 40 }).write('a')
    expect(await answering(large, (url) => openBucket(url).get('a'))).toBe(
      'bucket s3://cells/prefix: an answer has more than 256 MB; expected less',
    )
  })
})

describe('a bucket', () => {
  test('gives back what was put, and lists it page by page', async () => {
    const bucket = openBucket('s3://cells/prefix')
    expect(await bucket.get('no/such')).toBeUndefined()
    const names = Array.from({ length: 12 }, (_, i) => `some/${String.fromCharCode(97 + i)}=e`)
    for (const name of names) await bucket.put(name, `${name}: ∑ & <b>\n`)
    await bucket.put('other', '')
    expect(await bucket.get(names[3]!)).toBe(`${names[3]}: ∑ & <b>\n`)
    expect(await bucket.get('other')).toBe('')
    expect(await bucket.list('some/')).toEqual(names)
    expect(s3.objects.has('prefix/other')).toBe(true)
  })

  test('a new file never replaces another', async () => {
    const bucket = openBucket('s3://cells')
    await bucket.put('id', 'first', { isNew: true })
    await bucket.put('id', 'second', { isNew: true })
    expect(await bucket.get('id')).toBe('first')
  })

  test('busy servers and lost connections are tried again', async () => {
    s3.faults.push(503, 0, 500, 429)
    await openBucket('s3://cells').put('x', 'y')
    expect(s3.objects.get('x')).toBe('y')
  })

  test('temporary credentials are sent and signed', async () => {
    await openBucket('s3://cells', { ...s3.env, AWS_SESSION_TOKEN: 'of a session' }).put('x', 'y')
    expect(s3.objects.get('x')).toBe('y')
  })

  test('without an endpoint it is that of AWS, with a host per bucket', () => {
    const { AWS_ENDPOINT_URL: _, ...env } = s3.env
    expect(bucketAddress('s3://my-cells/p', env)).toMatchObject({
      base: 'https://my-cells.s3.eu-test-1.amazonaws.com',
      prefix: 'p/',
    })
    expect(bucketAddress('s3://my.cells', env)).toMatchObject({
      base: 'https://s3.eu-test-1.amazonaws.com/my.cells',
      prefix: '',
    })
  })
})

describe('a store with a bucket behind it', () => {
  test('what one machine computed, another finds', async () => {
    const first = run()
    expect((await first.result).computed).toBe(8)
    expect(s3.objects.has(keyOf(total.digest))).toBe(true)
    const second = run()
    const { computed, value } = await second.result
    expect([computed, value(total)]).toEqual([0, 91])
    expect(existsSync(second.log)).toBe(false)
    // cells that were found are kept: the third run asks for a list only
    s3.served.length = 0
    await run(second.own).result
    expect(s3.served).toEqual(['GET ', 'GET '])
  })

  test('cells that were computed before there was a bucket are put into it', async () => {
    const own = newFolder()
    await runCells(squares(3), {
      steps,
      store: openStore(own),
      workers: 0,
      progress: { done() {}, warn() {}, end() {} },
    })
    expect((await run(own).result).computed).toBe(5)
    expect([...s3.objects.keys()].filter((key) => key.includes('/cells/'))).toHaveLength(8)
  })

  test('a corrupt entry, or one in the place of another, is recomputed and replaced', async () => {
    await run().result
    const right = new Map(s3.objects)
    const [a, b, c] = squares(3).map(({ digest }) => keyOf(digest)) as [string, string, string]
    s3.objects.set(a, right.get(b)!)
    s3.objects.set(b, `${right.get(b)}0`)
    s3.objects.set(c, '')
    const { result, lines } = run()
    expect((await result).computed).toBe(3)
    expect(lines.sort()[0]).toBe(`store: corrupt entry for square 0 (s3://cells/${a}); recomputing`)
    expect(lines).toHaveLength(3)
    expect(s3.objects).toEqual(right)
  })

  test('results that cannot be put are kept, said once, and uploaded by the next run', async () => {
    const own = newFolder()
    const store = openStore(URL_OF_STORE, { folder: own })
    await sharedCells(store).id()
    const { bucket } = store
    const broken = {
      ...store,
      bucket: {
        ...bucket!,
        write: async (...[c, value]: Parameters<NonNullable<typeof bucket>['write']>) => {
          s3.readOnly = true
          await bucket!.write(c, value)
        },
      },
    }
    const first = run(own, [total], { store: broken })
    await expect(first.result).rejects.toThrow(
      `bucket ${URL_OF_STORE}: access denied; expected the rights to list the bucket, and to read and write its objects; 8 finished cells only in ${own}: rerun the command to upload`,
    )
    expect(first.lines).toHaveLength(1)
    s3.readOnly = false
    expect((await run(own).result).computed).toBe(0)
    expect(s3.objects.has(keyOf(total.digest))).toBe(true)
  })
})

describe('one clear line before anything is computed', () => {
  const refused = async (env: Record<string, string>, url = URL_OF_STORE): Promise<string> => {
    set(env)
    const log = join(folder, `trace-${++count}`)
    try {
      const store = openStore(url, { folder: newFolder() })
      await runCells([total], { steps, store, workers: 0, resources: { log } })
      return 'no error'
    } catch (error) {
      const { message } = error as Error
      expect(existsSync(log)).toBe(false)
      expect(message).not.toContain('\n')
      for (const name of ['AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'])
        if (process.env[name]) expect(message).not.toContain(process.env[name])
      expect(message).not.toMatch(/password|key:secret/)
      return message
    }
  }

  test.each([
    [
      'a wrong secret',
      { AWS_SECRET_ACCESS_KEY: 'of+another/0123' },
      'wrong secret key; check AWS_SECRET_ACCESS_KEY',
    ],
    ['an unknown key', { AWS_ACCESS_KEY_ID: 'NOBODY' }, 'unknown access key; check AWS_ACCESS_KEY_ID'],
    ['no secret', { AWS_SECRET_ACCESS_KEY: '' }, 'no credentials; set AWS_SECRET_ACCESS_KEY'],
    [
      'another region',
      { AWS_REGION: 'us-east-1' },
      'it is in the region eu-test-1, not in us-east-1; set AWS_REGION',
    ],
  ])('%s', async (_, env, reason) => {
    expect(await refused(env)).toBe(`bucket ${URL_OF_STORE}: ${reason}`)
  })

  test('no bucket', async () => {
    expect(await refused({}, 's3://other/p')).toBe(`bucket s3://other/p: no bucket 'other' at ${s3.endpoint}`)
  })

  test('no server', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`
    expect(await refused({ AWS_ENDPOINT_URL: endpoint })).toBe(
      `bucket ${URL_OF_STORE}: nothing listens at ${endpoint} (ECONNREFUSED); check AWS_ENDPOINT_URL`,
    )
  })

  test('no right to write', async () => {
    s3.readOnly = true
    expect(await refused({})).toBe(
      `bucket ${URL_OF_STORE}: access denied; expected the rights to list the bucket, and to read and write its objects`,
    )
  })

  test.each(['s3://', 's3://Upper/p', 's3://cells/a/../b', 's3://cells/a b', 's3://key:secret@cells'])(
    '%s',
    async (url) => {
      expect(await refused({}, url)).toMatch(/^store: expected s3:\/\/BUCKET or s3:\/\/BUCKET\/PREFIX/)
    },
  )

  test.each(['localhost:9000', 'http://user:password@localhost:9000', 'ftp://host'])(
    'the endpoint %s, without its password',
    async (endpoint) => {
      expect(await refused({ AWS_ENDPOINT_URL: endpoint })).toMatch(
        /^AWS_ENDPOINT_URL: expected the address of an S3 server/,
      )
    },
  )
})
