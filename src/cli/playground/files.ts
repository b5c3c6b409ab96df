/**
 * The files of a playground, by their paths: the page and its scripts, the user's installed runtime of neural models, the models, and a
 * manifest. A site writes them into a folder; `uwbench playground` serves them.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { embeddedFolder } from '../../text/models/index.ts'
import type { Manifest, ModelInfo } from './browser/protocol.ts'
import { int8Graph } from './int8-graph.ts'

const compress = promisify(gzip)

/** Bundled by `npm run build`. The path is the same from src/ and from dist/. */
const PAGE = fileURLToPath(new URL('../../../dist/cli/playground/page', import.meta.url))

export interface PlaygroundOptions {
  /** Level of gzip, from 1 (fast) to 9 (small). */
  readonly level: number
  /** A folder of stories15m in the hub's layout. */
  readonly stories?: string
  /** Text on the page if there is no stories15m. */
  readonly missing?: string
  /** A module with the user's own watermarks, ready for a browser. */
  readonly own?: string
  readonly first?: Manifest['first']
  /** HTML above the page. */
  readonly header?: string
}

type Files = Map<string, Uint8Array>

const PACKAGE = '@huggingface/transformers'

/** Returns the folder of a package that `@huggingface/transformers` uses; a strict installation has it nowhere else. */
function installed(name: string): string {
  try {
    return dirname(createRequire(createRequire(import.meta.url).resolve(PACKAGE)).resolve(name))
  } catch (cause) {
    throw new Error(
      `the playground needs the package ${PACKAGE}: ONNXRUNTIME_NODE_INSTALL=skip npm install ${PACKAGE}`,
      { cause },
    )
  }
}

/** Removes the reference to a source map, which is not served. */
const withoutMap = (code: string): string => code.replace(/\n?\/\/# source\w+=.*\n?$/, '\n')

/** The terms of packages that come without a file of them. */
const MIT = `MIT License

Copyright (c) Microsoft Corporation

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

/** Returns the notice of an installed package. @param folder any folder inside it */
async function noticeOf(folder: string): Promise<string> {
  const manifest = join(folder, 'package.json')
  const { name, version, license } = existsSync(manifest) ? JSON.parse(await readFile(manifest, 'utf8')) : {}
  if (version === undefined) return noticeOf(dirname(folder))
  const file = join(folder, 'LICENSE')
  return `${name} ${version} (${license})\n\n${existsSync(file) ? await readFile(file, 'utf8') : MIT}`
}

/** Returns the notices of all packages whose code a playground serves. */
export async function notices(): Promise<string> {
  const hashes = dirname(createRequire(import.meta.url).resolve('@noble/hashes/sha2.js'))
  const folders = [hashes, installed('onnxruntime-web'), installed('@huggingface/tokenizers')]
  return (await Promise.all(folders.map(noticeOf))).join(`\n${'-'.repeat(80)}\n\n`)
}

async function vendor(level: number): Promise<Files> {
  const runtime = installed('onnxruntime-web')
  const tokenizers = installed('@huggingface/tokenizers')
  const read = async (path: string) => Buffer.from(withoutMap(await readFile(path, 'utf8')))
  const wasm = await readFile(join(runtime, 'ort-wasm-simd-threaded.wasm'))
  return new Map([
    ['vendor/ort.mjs', await read(join(runtime, 'ort.wasm.bundle.min.mjs'))],
    ['vendor/ort.wasm.gz', await compress(wasm, { level })],
    ['vendor/NOTICES.txt', Buffer.from(await notices())],
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

async function pageFiles({ header = '' }: PlaygroundOptions): Promise<Files> {
  if (!existsSync(PAGE)) throw new Error(`${PAGE}: expected the built playground; run npm run build`)
  const files: Files = new Map()
  for (const name of await readdir(PAGE)) files.set(name, await readFile(join(PAGE, name)))
  const html = new TextDecoder().decode(files.get('index.html'))
  return files.set('index.html', Buffer.from(html.replace('<!-- header -->', () => header)))
}

/** Returns every file of a playground, with its content. */
export async function playgroundFiles(options: PlaygroundOptions): Promise<Files> {
  const { level, own, missing, first } = options
  // the first is the default: stories15M writes better English
  const models = [...(options.stories === undefined ? [] : [stories(options.stories)]), embedded()]
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
