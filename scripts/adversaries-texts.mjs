// Writes the texts that reports/adversaries.md learns from, into .uwbench/adversaries/: of each embedded model, without a mark and under each
// method, one key for all texts of a method, as an attacker finds them. An interrupted run resumes. Needs the built package (npm run build).
import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { parseWatermark } from '../dist/index.js'
import { embeddedDataset } from '../dist/text/datasets/embedded.js'
import { generateMany, loadModel } from '../dist/text/models/index.js'

const root = new URL('..', import.meta.url).pathname
export const cache = process.env.ADVERSARIES_CACHE ?? `${root}.uwbench/adversaries`

/** Tokens of a text. */
export const LENGTH = 100
/** Texts written side by side; they are saved together. */
const BATCH = 100
/** Examples whose prompts the attacker never asks: texts to scrub and prompts to forge for. */
export const HELD_OUT = 40

export const methods = [
  'unigram(delta=2)',
  'kgw(delta=2)',
  'sta1(gamma=0.5)',
  'dipmark(alpha=0.4)',
  'synthid(layers=20)',
  'gumbel',
  'expEdit(keyLength=256)',
]

/** The embedded models at the temperatures of the benchmark, and the texts that an attacker collects at most. */
export const sources = [
  { name: 'embedded', data: 'continuation', temperature: 0.53, texts: 3000 },
  { name: 'stories15m', data: 'stories', temperature: 1, texts: 300 },
]

/** Texts of a method: an estimate by context learns nothing from EXP-Edit, however many. */
export const textsOf = ({ texts }, kind) => (kind.startsWith('expEdit') ? Math.min(300, texts) : texts)

export const key = 'the secret key of the report adversaries'

/** The prompt of text i: the beginning of an example, longer in every round, so that no prompt is asked twice. */
export function prompts(model, examples, count) {
  const own = examples.map(({ prompt, reference }) => model.tokenizer.encode(`${prompt} ${reference}`))
  return Array.from({ length: count }, (_, i) =>
    own[i % own.length].slice(0, 10 + 6 * Math.floor(i / own.length)),
  )
}

/** Texts of one kind in a file: two bytes per token. */
export const fileOf = (model, kind) => `${cache}/${model}-${kind.replace(/\W+/g, '-')}.bin`

export function readTexts(model, kind, count) {
  const bytes = readFileSync(fileOf(model, kind))
  const tokens = new Uint16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2))
  if (tokens.length < count * LENGTH) throw new Error(`${fileOf(model, kind)}: expected ${count} texts`)
  return Array.from({ length: count }, (_, i) => Array.from(tokens.subarray(i * LENGTH, (i + 1) * LENGTH)))
}

const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

async function write(model, kind, { temperature }, asked) {
  const file = fileOf(model.id, kind)
  const mark = kind.startsWith('unmarked') ? {} : { watermark: parseWatermark(kind.split(' ')[0]), key }
  for (let at = sizeOf(file) / (2 * LENGTH); at < asked.length; at += BATCH) {
    const requests = asked.slice(at, at + BATCH).map((prompt, i) => ({ prompt, index: at + i }))
    const options = {
      ...mark,
      temperature,
      maxNewTokens: LENGTH,
      stopTokens: [],
      batchSize: BATCH,
      seed: kind,
    }
    const texts = await generateMany(model, requests, options)
    appendFileSync(file, Buffer.from(Uint16Array.from(texts.flatMap(({ tokens }) => tokens)).buffer))
  }
}

/** Text files of a model: N texts of each method, texts without a mark, and for each method held-out texts. */
export async function writeTexts(model, source) {
  mkdirSync(cache, { recursive: true })
  const { examples } = await embeddedDataset(source.data)
  const asked = prompts(model, examples.slice(HELD_OUT), source.texts)
  const held = prompts(model, examples.slice(0, HELD_OUT), HELD_OUT)
  for (const kind of ['unmarked', ...methods]) {
    await write(model, `${kind} held`, source, held)
    await write(model, kind, source, asked.slice(0, textsOf(source, kind)))
    console.log(model.id, kind, Math.round(process.cpuUsage().user / 1e6), 's')
  }
}

if (process.argv[1]?.endsWith('adversaries-texts.mjs'))
  for (const source of sources.filter(({ name }) => [undefined, name].includes(process.argv[2]))) {
    const model = await loadModel(source.name, { threads: 1 })
    await writeTexts(model, source)
    await model.dispose()
  }
