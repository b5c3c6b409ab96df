/** detectMany with the codes of engines: equal to detect, to the last bit, where words come from a compiled kernel. */
import { expect, test } from 'vitest'
import { active, withKernels } from '../../src/core/kernels/active.ts'
import { plain } from '../../src/core/kernels/table.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { detect, detectMany, dualKeyGumbel, gumbel, kgw, ngram, synthid } from '../../src/index.ts'
import { type AnyWatermark, wordScore } from '../../src/watermark.ts'
import {
  asPublished,
  sglangContexts,
  textsealContexts,
  vllmContexts,
} from '../../src/watermarks/reference.ts'

const V = 3001
const stream = seededRandom(1, 'many engines')
const text = (length: number, types: number): Int32Array =>
  Int32Array.from({ length }, () => Math.min(V - 1, Math.floor(types * stream.uniform())))
/** Short, repetitive, ordinary, and one with more contexts than SGLang marks. */
const texts = [0, 1, 4, 5, 40, 200].flatMap((n) => [text(n, 3), text(n, V)]).concat([text(4500, V)])

const dual = '0123456789abcdef,deadbeef'
const rules = [1, 3, 5, 64]
const cases: [AnyWatermark, string][] = [
  [asPublished(gumbel(), 'vllm'), '18446744073709551615'],
  ...rules.map((width): [AnyWatermark, string] => [
    asPublished(gumbel({ context: vllmContexts({ width }) }), 'vllm'),
    '11171856277818869245',
  ]),
  [asPublished(gumbel({ context: ngram(4) }), 'vllm'), '42'],
  ...[0.1, 0, 1, 0.5, 0.37].map((alpha): [AnyWatermark, string] => [
    asPublished(dualKeyGumbel({ alpha }), 'vllm'),
    '42',
  ]),
  [asPublished(kgw({ delta: 2, gamma: 0.25 }), 'vllm'), '42'],
  [asPublished(kgw({ delta: 2, gamma: 0.25, detector: 'published' }), 'vllm'), '42'],
  ...[1, 31, 32, 33, 64].map((layers): [AnyWatermark, string] => [
    asPublished(synthid({ layers }), 'vllm'),
    '9223372036854775809',
  ]),
  [asPublished(synthid({ layers: 40, detector: 'weighted' }), 'vllm'), '42'],
  ...rules.map((window): [AnyWatermark, string] => [
    asPublished(gumbel({ context: sglangContexts({ window }) }), 'sglang'),
    'ffffffffffffffff',
  ]),
  ...[0, 0.3, 0.5, 1].map((alpha): [AnyWatermark, string] => [
    asPublished(dualKeyGumbel({ alpha }), 'sglang'),
    dual,
  ]),
  [asPublished(dualKeyGumbel({ detector: 'published' }), 'sglang'), dual],
  ...[1, 2, 10].map((ngram): [AnyWatermark, string] => [
    asPublished(gumbel({ context: textsealContexts({ ngram }) }), 'textseal'),
    '4611686018427387903',
  ]),
  [asPublished(dualKeyGumbel(), 'textseal'), '42'],
  [asPublished(dualKeyGumbel({ alpha: 0.3, detector: 'published' }), 'textseal'), '42'],
  [asPublished(kgw({ delta: 2 }), 'textseal'), '42'],
  [asPublished(kgw({ delta: 2, gamma: 0.3, detector: 'published' }), 'textseal'), '42'],
  ...[1, 30, 32, 64].map((layers): [AnyWatermark, string] => [
    asPublished(synthid({ layers }), 'textseal'),
    '987654321987',
  ]),
]

test.each(cases)('$id', (watermark, key) => {
  expect(active(new Int32Array(100)).kind).toBe('wasm')
  expect(wordScore(watermark)?.engine).toBeDefined()
  for (const skip of [[], [0, 1]]) {
    const options = { key, vocabSize: V, skip }
    const each = texts.map((tokens) => detect(watermark, tokens, options))
    expect(detectMany(watermark, texts, options)).toEqual(each)
    expect(withKernels(plain, () => detectMany(watermark, texts.slice(0, 4), options))).toEqual(
      each.slice(0, 4),
    )
  }
})

test('copies with another rule, score or test lose the fast path, and find what detect finds', () => {
  const watermark = asPublished(gumbel(), 'vllm')
  const copies: AnyWatermark[] = [
    { ...watermark, score: (token, code) => watermark.score(token, code) / 2 },
    { ...watermark, context: { ...watermark.context, scored: ngram(1).scored } },
    gumbel({ context: vllmContexts() }),
    gumbel({ context: sglangContexts({ window: 2 }) }),
  ]
  for (const copy of copies) {
    const options = { key: '1234567', vocabSize: V }
    const each = texts.map((tokens) => detect(copy, tokens, options))
    expect(detectMany(copy, texts, options)).toEqual(each)
  }
})
