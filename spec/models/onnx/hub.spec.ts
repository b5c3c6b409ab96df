/** A hub of our own on this machine, with the hub's addresses: `/{owner}/{name}/resolve/{revision}/{file}`. */
import { createReadStream, existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from '@huggingface/transformers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generate } from '../../../src/text/decode/generate.ts'
import { embeddedModel } from '../../../src/text/models/embedded.ts'
import { loadModel } from '../../../src/text/models/load.ts'
import { embeddedFolder } from '../../../src/text/models/named.ts'
import { onnxruntime } from '../../../src/text/models/onnx/runtime.ts'
import { refused } from '../refused.ts'
import { writeTinyCausal, writeTinySeq2seq } from '../tiny/folder.ts'

const cacheDir = mkdtempSync(join(tmpdir(), 'uwbench-cache-'))
const folders = new Map<string, string>()
const requests: string[] = []
const realHub = env.remoteHost
let server: Server

beforeAll(async () => {
  folders.set('tiny/causal', await writeTinyCausal())
  folders.set('own/embedded', embeddedFolder())
  folders.set('tiny/seq2seq', await writeTinySeq2seq('bart'))
  server = createServer(({ url = '' }, response) => {
    const [, id = '', file = ''] = /^\/([^/]+\/[^/]+)\/resolve\/main\/(.+)$/.exec(url) ?? []
    const path = join(folders.get(id) ?? '/nowhere', file)
    requests.push(url)
    if (existsSync(path)) createReadStream(path).pipe(response)
    else response.writeHead(folders.has(id) ? 404 : 401).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  env.remoteHost = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})

afterAll(async () => {
  env.remoteHost = realHub
  server.close()
  for (const folder of [...folders.values(), cacheDir])
    if (folder !== embeddedFolder()) await rm(folder, { recursive: true })
})

test.each(['tiny/causal', 'tiny/seq2seq'])(
  '%s by its id is the model of the folder, and is kept',
  async (id) => {
    const hub = await loadModel(id, { cacheDir, threads: 1 })
    const local = await loadModel(folders.get(id)!, { threads: 1 })
    expect(hub).toMatchObject({
      id,
      kind: local.kind,
      endTokens: local.endTokens,
      maxLength: local.maxLength,
    })
    const options = { maxNewTokens: 20, count: 3, seed: 0 }
    expect(await generate(hub, 'the cat', options)).toEqual(await generate(local, 'the cat', options))
    expect(await hub.digest()).toBe(await local.digest())
    await hub.dispose()
    await local.dispose()
    const asked = requests.length
    const again = await loadModel(id, { cacheDir, threads: 1 })
    // optional files that the hub does not have may be asked for again, the model not
    expect(requests.slice(asked).filter((url) => url.endsWith('.onnx'))).toEqual([])
    await again.dispose()
  },
)

test('appendOnly rewrites the downloaded graph', async () => {
  const hub = await loadModel('own/embedded', { cacheDir, threads: 1, appendOnly: true })
  const local = await embeddedModel()
  const options = { maxNewTokens: 20, count: 3, seed: 0 }
  expect(await generate(hub, 'The whale', options)).toEqual(await generate(local, 'The whale', options))
  expect(await hub.digest()).toBe(await local.digest())
  await hub.dispose()
  await local.dispose()
  await refused(
    loadModel('tiny/causal', { cacheDir, appendOnly: true }),
    /cannot load .*model\.onnx \(the graph's inputs: expected position_ids/,
  )
  await refused(
    loadModel('tiny/seq2seq', { cacheDir, appendOnly: true }),
    /^appendOnly: expected false for a sequence-to-sequence model, got true$/,
  )
})

test('an id that the hub does not have', async () => {
  await refused(
    loadModel('tiny/nothing', { cacheDir }),
    /^no model 'tiny\/nothing' on the hub, or no ONNX files/,
  )
})

test('a number format that the hub does not have', async () => {
  await refused(
    loadModel('tiny/causal', { cacheDir, dtype: 'q4' }),
    /^no model 'tiny\/causal' on the hub, or no ONNX/,
  )
})

test('a hub out of reach', async () => {
  const host = env.remoteHost
  const gone = createServer()
  await new Promise<void>((ready) => gone.listen(0, '127.0.0.1', ready))
  const { port } = gone.address() as AddressInfo
  await new Promise((closed) => gone.close(closed))
  env.remoteHost = `http://127.0.0.1:${port}/`
  await refused(
    loadModel('tiny/other', { cacheDir }),
    /^cannot reach the hub for 'tiny\/other' \(ECONNREFUSED\): pass a local folder/,
  ).finally(() => {
    env.remoteHost = host
  })
})

test('a missing package is named with the command that installs it', () => {
  expect(() => onnxruntime('file:///nowhere/module.js')).toThrow(
    'neural models need the package @huggingface/transformers: ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers',
  )
})
