import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/core/keys/stream.ts'
import type { LanguageModel } from '../../../src/text/decode/language-model.ts'
import { embeddedModel } from '../../../src/text/models/embedded.ts'
import { loadModel } from '../../../src/text/models/load.ts'
import { appendOnlyGraph } from '../../../src/text/models/onnx/append-only-graph.ts'
import { graph, node, onnxFile, valueInfo } from '../../../src/text/models/onnx/onnx-file.ts'
import { writeTinyCausal, writeTinySeq2seq } from '../tiny/folder.ts'

const FOLDER = fileURLToPath(new URL('../../../fixtures/models/uwbench-lm', import.meta.url))

describe('the embedded model, rewritten to append to its cache', () => {
  let appending: LanguageModel
  let plain: LanguageModel
  beforeAll(async () => {
    appending = await embeddedModel()
    plain = await loadModel(FOLDER, { threads: 1 })
  })
  afterAll(async () => {
    await appending.dispose()
    await plain.dispose()
  })

  /** Prompts of 1, 2, 40, 64 and 130 tokens: around the blocks in which columns are allocated. */
  const stream = seededRandom(1, 'append-only')
  const prompts = [1, 2, 40, 64, 130].map((n) => Array.from({ length: n }, () => stream.below(4096)))
  const gap = (a: Float32Array, b: Float32Array) =>
    a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0)

  test('has the logits of the exported graph, through 80 steps and selections', async () => {
    const sessions = [await appending.begin(prompts), await plain.begin(prompts)] as const
    let rows = prompts.length
    for (let i = 0; i < 80; i++) {
      if (i % 20 === 9) {
        const chosen = Array.from({ length: 2 + stream.below(5) }, () => stream.below(rows))
        for (const session of sessions) session.select(chosen)
        rows = chosen.length
      }
      const tokens = Array.from({ length: rows }, () => stream.below(4096))
      for (const session of sessions) await session.step(tokens)
      expect(sessions[0].logits.length).toBe(rows * 4096)
      // logits reach 20 or so; float32 sums of a few hundred terms in another order
      expect(gap(sessions[0].logits, sessions[1].logits)).toBeLessThan(2e-3)
    }
    for (const session of sessions) session.dispose()
  })

  test('reads long prompts in pieces, even pieces that are all padding', async () => {
    // 80 rows of 4,096 logits: 102 columns at a time
    const lengths = Array.from({ length: 80 }, (_, i) => (i === 0 ? 150 : 1 + stream.below(150)))
    lengths[1] = 3
    const many = lengths.map((n) => Array.from({ length: n }, () => stream.below(4096)))
    for (const model of [appending, plain]) {
      const session = await model.begin(many)
      await session.step(many.map(() => 7))
      for (const row of [0, 1, 40]) {
        const alone = await model.begin([[...many[row]!, 7]])
        expect(gap(alone.logits, session.logits.slice(row * 4096, (row + 1) * 4096))).toBeLessThan(2e-3)
      }
      session.dispose()
    }
  })

  test('gives the same likelihoods and hidden states', async () => {
    const texts = prompts.map((tokens) => ({ prompt: [0], tokens }))
    const [a, b] = [await appending.logLikelihood(texts), await plain.logLikelihood(texts)]
    for (const [i, list] of a.entries())
      for (const [t, x] of list.entries()) expect(x).toBeCloseTo(b[i]![t]!, 3)
    const [c, d] = [await appending.hidden!.hiddenStates(prompts), await plain.hidden!.hiddenStates(prompts)]
    for (const [i, states] of c.entries()) expect(gap(states, d[i]!)).toBeLessThan(1e-3)
  })
})

describe('graphs built differently are refused, not broken', () => {
  const file = (nodes: Parameters<typeof node>[], positions = true) =>
    onnxFile(
      graph('g', {
        nodes: nodes.map((args) => node(...args)),
        inputs: ['x', 'past_key_values.0.value', ...(positions ? ['position_ids'] : [])].map((name) =>
          valueInfo(name, 'float32', [1, 1, 'n', 1]),
        ),
        outputs: ['present.0.value', 'y'].map((name) => valueInfo(name, 'float32')),
      }),
    )
  const concat: Parameters<typeof node> = [
    'Concat',
    ['past_key_values.0.value', 'x'],
    ['present.0.value'],
    { axis: 2 },
  ]

  test.each([
    ['no concatenation', [['Add', ['past_key_values.0.value', 'x'], ['present.0.value']]], /expected Concat/],
    [
      'the other way round',
      [['Concat', ['x', 'past_key_values.0.value'], ['present.0.value']]],
      /expected Concat/,
    ],
    [
      'read twice',
      [concat, ['MatMul', ['x', 'present.0.value'], ['a']], ['MatMul', ['a', 'present.0.value'], ['y']]],
      /one reader/,
    ],
    ['read by something else', [concat, ['Tanh', ['present.0.value'], ['y']]], /one reader, a product/],
    ['the left factor', [concat, ['MatMul', ['present.0.value', 'x'], ['y']]], /the right factor/],
  ] as [string, Parameters<typeof node>[], RegExp][])('%s', (_name, nodes, message) => {
    expect(() => appendOnlyGraph(file(nodes))).toThrow(message)
  })

  test('positions that follow from the cache', () => {
    expect(() => appendOnlyGraph(file([concat, ['MatMul', ['x', 'present.0.value'], ['y']]], false))).toThrow(
      "the graph's inputs: expected position_ids among them",
    )
  })

  test('a file that is no ONNX model', () => {
    expect(() => appendOnlyGraph(new Uint8Array(0))).toThrow("expected an ONNX model, got '0 bytes'")
  })

  test('through loadModel, with the path', async () => {
    const refused = async (folder: string, message: RegExp) => {
      await expect(loadModel(folder, { appendOnly: true })).rejects.toThrow(message)
      await rm(folder, { recursive: true })
    }
    await refused(
      await writeTinyCausal(),
      /^cannot load .*model\.onnx \(the graph's inputs: expected position_ids/,
    )
    await refused(await writeTinySeq2seq('t5'), /^cannot load .*encoder_model\.onnx \(the graph's inputs/)
  })

  test('and the bytes passed in are not changed', () => {
    const bytes = readFileSync(`${FOLDER}/onnx/model.onnx`)
    const copy = Uint8Array.from(bytes)
    appendOnlyGraph(bytes)
    expect(Buffer.compare(bytes, copy)).toBe(0)
  })
})
