/** Detection on several threads finds what it finds on one. */
import { expect, test } from 'vitest'
import { type CorpusOptions, detectCorpus, type TextDetection } from '../../src/bench/entry.ts'
import { detectMany } from '../../src/core/detect/entry.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { type AnyWatermark, dipmark, gumbel } from '../../src/watermarks/entry.ts'
import { mine } from './own-watermark.ts'

const stream = seededRandom('detect-corpus')
const texts = Array.from({ length: 700 }, () =>
  Array.from({ length: stream.below(60) }, () => stream.below(500)),
)
const options: CorpusOptions = {
  key: 'a key of some length',
  vocabSize: 500,
  skip: new Set([3]),
  end: 7,
  threads: 2,
}

const all = async (
  watermark: AnyWatermark,
  given: Parameters<typeof detectCorpus>[1],
  more: Partial<CorpusOptions> = {},
) => {
  const found: TextDetection[] = []
  for await (const one of detectCorpus(watermark, given, { ...options, ...more })) found.push(one)
  return found
}

test('the same outcomes in the same order, for lists, typed arrays and streams', async () => {
  const { threads: _, ...plain } = options
  const expected = detectMany(gumbel(), texts, plain).map(pick)
  expect(await all(gumbel(), texts)).toEqual(expected)
  async function* slowly() {
    for (const text of texts) yield Uint16Array.from(text)
  }
  expect(await all(gumbel(), slowly())).toEqual(expected)
})

const pick = ({
  statistic,
  logPValue,
  pValue,
  scored,
  detected,
  guaranteed,
}: TextDetection): TextDetection => ({
  statistic,
  logPValue,
  pValue,
  scored,
  detected,
  guaranteed,
})

test('reads no further ahead than the threads need', async () => {
  let read = 0
  function* counted() {
    for (let i = 0; i < 100_000; i++) {
      read++
      yield texts[i % texts.length]!
    }
  }
  for await (const _ of detectCorpus(dipmark({ alpha: 0.4 }), counted(), options)) break
  expect(read).toBeLessThanOrEqual(256 * 2 * 2)
})

test('an abort ends it', async () => {
  const control = new AbortController()
  function* endless() {
    for (;;) yield texts[0]!
  }
  const run = (async () => {
    for await (const _ of detectCorpus(gumbel(), endless(), { ...options, signal: control.signal }))
      control.abort(new Error('enough'))
  })()
  await expect(run).rejects.toThrow('enough')
})

test('a wrong id is named by its text; wrong options are refused', async () => {
  const wrong = [...texts, [1, 500]]
  await expect(all(gumbel(), wrong)).rejects.toThrow('texts[700][1]: expected a token id in [0, 500)')
  await expect(all(gumbel(), 5 as never)).rejects.toThrow('texts: expected texts that can be iterated')
  await expect(all(gumbel(), texts, { alpha: 2 })).rejects.toThrow('alpha: expected')
  await expect(all(gumbel(), texts, { threads: 0 })).rejects.toThrow('threads: expected')
})

test("a watermark of one's own is imported from its module", async () => {
  await expect(all(mine, texts)).rejects.toThrow(
    'module: expected the URL of the module that exports mine(delta=3)',
  )
  const module = new URL('./own-watermark.ts', import.meta.url).href
  const { threads: _, ...plain } = options
  const expected = detectMany(mine, texts.slice(0, 3), plain).map(pick)
  expect(await all(mine, texts.slice(0, 3), { module })).toEqual(expected)
})
