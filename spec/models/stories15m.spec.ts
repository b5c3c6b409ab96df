/**
 * The real model, where it is cached (`loadModel('stories15m')` caches it); it is fetched where UWBENCH_REQUIRE names stories15m.
 * The published values come from an independent forward pass over the same weights.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, type TestContext, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { generate } from '../../src/text/decode/generate.ts'
import type { LanguageModel } from '../../src/text/decode/language-model.ts'
import { fetchModel, isKept } from '../../src/text/models/fetched-model.ts'
import { readCheckpoint } from '../../src/text/models/llama2c/checkpoint.ts'
import { loadModel } from '../../src/text/models/load.ts'
import { loadTokenizer } from '../../src/text/models/load-tokenizer.ts'
import { stories15m } from '../../src/text/models/stories15m.ts'
import { isRequired, requireComponent } from '../require.ts'
import { forward } from './llama2c/forward.ts'
import { checkpointBytes } from './llama2c/from-graph.ts'
import { encoder } from './llama2c/sentencepiece.ts'

interface Next {
  readonly top: readonly number[]
  readonly p: readonly number[]
  readonly entropy: number
}
const published: {
  readonly checkpoint_sha256: string
  readonly sequences: readonly { readonly tokens: readonly number[]; readonly next: readonly Next[] }[]
} = JSON.parse(readFileSync(new URL('../../fixtures/stories15m.json', import.meta.url), 'utf8'))

const SIZES = {
  width: 288,
  hidden: 768,
  layers: 6,
  heads: 6,
  keyValueHeads: 6,
  vocabSize: 32_000,
  positions: 256,
}

/** The models and the folder; undefined where the model is neither cached nor to be fetched. */
const opening = isKept(stories15m) || isRequired('stories15m') ? open() : undefined
async function open() {
  const folder = await fetchModel(stories15m)
  return {
    folder,
    model: await loadModel('stories15m', { threads: 1 }),
    exported: await loadModel('stories15m', { threads: 1, appendOnly: false }),
  }
}
opening?.catch(() => {}) // reported by the tests

async function opened(context: TestContext) {
  requireComponent(context, 'stories15m', opening !== undefined)
  return opening!
}
afterAll(async () => {
  const parts = await opening?.catch(() => undefined)
  await parts?.model.dispose()
  await parts?.exported.dispose()
})

const softmax = (logits: ArrayLike<number>): Float64Array => {
  const top = Array.from(logits).reduce((a, b) => Math.max(a, b))
  const masses = Float64Array.from(logits, (x) => Math.exp(x - top))
  const sum = masses.reduce((a, b) => a + b)
  return masses.map((mass) => mass / sum)
}

/** Visits the logits after every token of a text, read token by token. */
async function steps(
  model: LanguageModel,
  tokens: readonly number[],
  visit: (logits: Float32Array, at: number) => void,
) {
  const session = await model.begin([[tokens[0]!]])
  for (let at = 0; ; at++) {
    visit(session.logits, at)
    if (at + 1 === tokens.length) break
    await session.step([tokens[at + 1]!])
  }
  session.dispose()
}

describe('stories15m', () => {
  test('is a causal model with 32,000 tokens and a fixed digest', async (context) => {
    const { model } = await opened(context)
    expect(model).toMatchObject({
      id: 'stories15m',
      kind: 'causal',
      vocabSize: 32_000,
      maxLength: 256,
      endTokens: [1],
    })
    expect(await model.digest()).toBe('d0ca68df2ef65381ae7e4ff7965b9910af3c91b0fb3efc1a2c21552d0c4cb388')
  })

  test('holds the published checkpoint, bit for bit', async (context) => {
    const { folder } = await opened(context)
    const bytes = checkpointBytes(readFileSync(join(folder, 'onnx', 'model.onnx')), SIZES)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(published.checkpoint_sha256)
  })

  test('has the published probabilities, with either cache', async (context) => {
    const { model, exported } = await opened(context)
    for (const { tokens, next } of published.sequences)
      for (const one of [model, exported])
        await steps(one, tokens, (logits, at) => {
          const { top, p, entropy } = next[at]!
          const q = softmax(logits)
          for (const [i, token] of top.entries()) expect(Math.abs(q[token]! - p[i]!)).toBeLessThan(1e-4)
          const found = q.reduce((sum, x) => (x > 0 ? sum - x * Math.log(x) : sum), 0)
          expect(Math.abs(found - entropy)).toBeLessThan(1e-4)
        })
  })

  test('has the logits of the plain forward pass', async (context) => {
    const { folder, model } = await opened(context)
    const checkpoint = readCheckpoint(
      checkpointBytes(readFileSync(join(folder, 'onnx', 'model.onnx')), SIZES),
    )
    const { tokens } = published.sequences[2]!
    const exact = forward(checkpoint, tokens)
    await steps(model, tokens, (logits, at) => {
      const gap = logits.reduce((most, x, i) => Math.max(most, Math.abs(x - exact[at]![i]!)), 0)
      expect(gap).toBeLessThan(1e-4)
    })
  })

  test('writes a story', async (context) => {
    const { model } = await opened(context)
    const [text] = await generate(model, 'Once upon a time', { temperature: 0, maxNewTokens: 20 })
    expect(text!.prompt).toEqual([1, 9038, 2501, 263, 931])
    expect(text!.text).toBe(', there was a little girl named Lily. She loved to play outside in the sunshine')
  })
})

describe('its tokenizer', () => {
  test('agrees with sentencepiece on prose, runs of a character and odd text', async (context) => {
    const { folder } = await opened(context)
    const { tokenizer, vocabSize } = await loadTokenizer('stories15m')
    expect(vocabSize).toBe(32_000)
    const { model } = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'))
    const ids = Object.entries<number>(model.vocab).sort((a, b) => a[1] - b[1])
    const pieces = ids.slice(259).map(([piece]) => piece)
    // scores fall with the id, but for runs of spaces, which share the lowest
    const scores = pieces.map((piece, i) => (/^\u2581+$/.test(piece) ? -1e9 : -i))
    const plain = encoder({ pieces, scores })
    const check = (text: string) => expect(tokenizer.encode(text)).toEqual(plain(text))
    const lines = readFileSync(
      new URL('../../fixtures/data/continuation-test.jsonl', import.meta.url),
      'utf8',
    )
    for (const line of lines.split('\n').slice(0, 40)) check(JSON.parse(line).prompt)
    for (const c of [' ', '-', '.', '=', '*', 'w', 'x', 'I', '/', '─', '\n'])
      for (let n = 1; n <= 40; n++)
        for (const [a, b] of ['', ' ', 'a', '1'].flatMap((x) => ['', '.', 'e'].map((y) => [x, y])))
          check(`${a}${c.repeat(n)}${b}`)
    const stream = seededRandom(2, 'odd text')
    for (let i = 0; i < 2000; i++) {
      const words = Array.from({ length: 1 + stream.below(6) }, () => pieces[stream.below(pieces.length)]!)
      check(words.join('').replaceAll('\u2581', ' '))
    }
    for (const text of ['', ' ', 'naïve 猫 🦊\t\u0000', '\u2581a']) check(text)
  })
})
