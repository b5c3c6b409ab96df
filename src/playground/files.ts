/**
 * The files of a playground, by their paths: the page and its scripts, the runtime of neural models from where the user has it
 * installed, models, and a manifest of it all. A site writes them into a folder, `uwbench playground` serves them.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { embeddedFolder } from '../models/embedded-folder.ts'
import type { Manifest, ModelInfo } from './browser/protocol.ts'
import { int8Graph } from './int8-graph.ts'

const compress = promisify(gzip)

/** Bundled by `npm run build`; the same from src/ and from dist/. */
const PAGE = fileURLToPath(new URL('../../dist/playground/page', import.meta.url))

export interface PlaygroundOptions {
  /** From 1 (fast) to 9 (small), as gzip has it. */
  readonly level: number
  /** A folder of stories15m in the hub's layout. */
  readonly stories?: string
  /** What the page says where there is none. */
  readonly missing?: string
  /** A module with watermarks of the user's own, ready for a browser. */
  readonly own?: string
  readonly first?: Manifest['first']
  /** What stands above and below the page. */
  readonly header?: string
  readonly footer?: string
}

type Files = Map<string, Uint8Array>

const PACKAGE = '@huggingface/transformers'

/** The folder of a package that `@huggingface/transformers` uses; a strict installation has it nowhere else. */
function installed(name: string, from: string): string {
  try {
    return dirname(createRequire(createRequire(from).resolve(PACKAGE)).resolve(name))
  } catch (cause) {
    throw new Error(`the playground needs the package ${PACKAGE}: npm install ${PACKAGE}`, { cause })
  }
}

/** A map of a minified file is not served. */
const withoutMap = (code: string): string => code.replace(/\n?\/\/# source\w+=.*\n?$/, '\n')

async function vendor(level: number): Promise<Files> {
  const runtime = installed('onnxruntime-web', import.meta.url)
  const tokenizers = installed('@huggingface/tokenizers', import.meta.url)
  const read = async (path: string) => Buffer.from(withoutMap(await readFile(path, 'utf8')))
  const wasm = await readFile(join(runtime, 'ort-wasm-simd-threaded.wasm'))
  return new Map([
    ['vendor/ort.mjs', await read(join(runtime, 'ort.wasm.bundle.min.mjs'))],
    ['vendor/ort.wasm.gz', await compress(wasm, { level })],
    ['vendor/tokenizers.mjs', await read(join(tokenizers, 'tokenizers.min.mjs'))],
  ])
}

interface Model extends Omit<ModelInfo, 'bytes' | 'folder'> {
  readonly source: string
  readonly graph: (file: Uint8Array) => Uint8Array
}

const embedded = (): Model => ({
  name: 'uwbench-lm',
  about: '3M parameters, old prose',
  source: embeddedFolder(),
  graph: (file) => file,
  prompts: [
    'It was the best of times, it was the worst of times,',
    'The whale came up beside the ship, and the captain',
    'There was once a king who had',
    'She looked out of the window and',
    'In the beginning',
  ],
})

const stories = (source: string): Model => ({
  name: 'stories15M',
  about: "15M parameters, children's stories",
  source,
  graph: (file) => int8Graph(file),
  prompts: [
    'Once upon a time, there was a little girl named Lily.',
    'Tom and his dog went to the park.',
    'One day, a bird found a shiny stone.',
  ],
})

async function modelFiles({ name, source, graph }: Model, level: number): Promise<Files> {
  const files: Files = new Map()
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json'])
    files.set(`models/${name}/${file}`, await readFile(join(source, file)))
  const onnx = graph(await readFile(join(source, 'onnx/model.onnx')))
  files.set(`models/${name}/model.onnx.gz`, await compress(onnx, { level }))
  return files
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

async function pageFiles({ header = '', footer = '' }: PlaygroundOptions): Promise<Files> {
  if (!existsSync(PAGE)) throw new Error(`expected the built playground in ${PAGE}: npm run build`)
  const names = await readdir(PAGE)
  const files: Files = new Map()
  for (const name of names) files.set(name, await readFile(join(PAGE, name)))
  const html = new TextDecoder().decode(files.get('index.html'))
  files.set(
    'index.html',
    Buffer.from(html.replace('<!-- header -->', () => header).replace('<!-- footer -->', () => footer)),
  )
  return files
}

/** Every file of a playground, with its content. */
export async function playgroundFiles(options: PlaygroundOptions): Promise<Files> {
  const { level, own, missing, first } = options
  const models = [embedded(), ...(options.stories === undefined ? [] : [stories(options.stories)])]
  const kept = await vendor(level)
  for (const model of models)
    for (const [path, bytes] of await modelFiles(model, level)) kept.set(path, bytes)
  const manifest: Manifest = {
    models: models.map(({ name, about, prompts }) => ({
      name,
      about,
      prompts,
      folder: `models/${name}`,
      bytes: kept.get(`models/${name}/model.onnx.gz`)!.length,
    })),
    digests: Object.fromEntries([...kept].map(([path, bytes]) => [path, digestOf(bytes)])),
    ...(own !== undefined && { own: 'own.js' }),
    ...(first !== undefined && { first }),
    ...(missing !== undefined && { missing }),
  }
  return new Map([
    ...(await pageFiles(options)),
    ...kept,
    ...(own === undefined ? [] : [['own.js', Buffer.from(own)] as const]),
    ['playground.json', Buffer.from(JSON.stringify(manifest))],
  ])
}
