/** What `detect`, `embedder` and `watermarkProcessor` refuse, and what they do with a second text. */
import { describe, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { detectMany } from '../../src/core/detect/detect-many.ts'
import { binomial } from '../../src/core/detect/null-laws.ts'
import { sumDetector } from '../../src/core/detect/sum-detector.ts'
import { embedder } from '../../src/core/embed/embedder.ts'
import { watermarkProcessor } from '../../src/core/embed/processor.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import { prefix } from '../../src/core/keys/prefix.ts'
import { sequence } from '../../src/core/keys/sequence.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { draw } from '../../src/text/decode/warp.ts'
import { christ, expEdit, gumbel, kgw, unwatermarked } from '../../src/watermarks/entry.ts'
import { asPublished } from '../../src/watermarks/reference.ts'

const KEY = 'a secret of sixteen bytes or more'
const options = { key: KEY, vocabSize: 100 }
// biome-ignore lint/suspicious/noExplicitAny: values that types refuse too
type Wrong = any

function detached(): Uint32Array {
  const array = Uint32Array.of(1, 2, 3)
  structuredClone(array, { transfer: [array.buffer] })
  return array
}

function shrunk(): Uint32Array {
  const Resizable = ArrayBuffer as unknown as new (
    size: number,
    options: { maxByteLength: number },
  ) => ArrayBuffer & { resize(size: number): void }
  const buffer = new Resizable(16, { maxByteLength: 16 })
  const array = new Uint32Array(buffer, 0, 4)
  buffer.resize(4)
  return array
}

describe('detect refuses', () => {
  test.each<[string, Wrong, string]>([
    ['skip: a number', { skip: 3 }, 'skip: expected token ids'],
    ['skip: text', { skip: '12' }, 'skip: expected token ids'],
    ['skip: strings', { skip: ['1'] }, 'skip[0]: expected an integer'],
    ['end: text', { end: '3' }, 'end: expected an integer'],
    ['end: null', { end: null }, 'end: expected an integer'],
    ['alpha: text', { alpha: '0.01' }, 'alpha: expected a number in (0, 1)'],
    ['alpha: null', { alpha: null }, 'alpha: expected a number in (0, 1)'],
    ['runs: a fraction', { runs: 1.5 }, 'runs: expected an integer'],
    [
      'a misspelt option',
      { aplha: 0.1 },
      "unknown option 'aplha', expected key, vocabSize, alpha, prompt, skip, excludeContexts, end, runs; did you mean 'alpha'?",
    ],
  ])('%s', (_, more, message) => {
    expect(() => detect(gumbel(), [1, 2, 3], { ...options, ...more })).toThrow(message)
  })

  test.each<[string, Wrong, string]>([
    ['a promise', Promise.resolve([1]), 'got a promise (await it first)'],
    ['a detached array', detached(), 'whose memory is gone'],
    ['an array whose buffer shrank', shrunk(), 'whose memory is gone'],
    ['a length that is none', { length: -1 }, 'tokens: expected a list of token ids'],
    ['text', '1 2 3', 'tokens: expected a list of token ids'],
    ['bigints', [1n], 'tokens[0]: expected a number (convert bigint ids with Number)'],
  ])('tokens: %s', (_, tokens, message) => {
    expect(() => detect(gumbel(), tokens, options)).toThrow(message)
  })

  test('an empty array, typed or not, is an empty text', () => {
    for (const tokens of [[], new Uint32Array(0), new Uint32Array(new ArrayBuffer(8), 4, 0)])
      expect(detect(gumbel(), tokens, options).pValue).toBe(1)
  })

  test('texts that cannot be iterated', () => {
    for (const texts of [Promise.resolve([[1]]), {}, 3, '12'])
      expect(() => detectMany(gumbel(), texts as Wrong, options)).toThrow('texts: expected texts')
  })

  test('what is no watermark, or options in the wrong place, without showing a key', () => {
    expect(() => detect({} as Wrong, [1], options)).toThrow('watermark: expected a watermark')
    expect(() => detect(gumbel(), [1], KEY as Wrong)).toThrow(/got a string$/)
    expect(() => detect(gumbel(), [1], undefined as Wrong)).toThrow('detect: expected an object of options')
  })

  test('a score above its declared bound, and one that its null law excludes', () => {
    const wrong = (detector: ReturnType<typeof sumDetector>) =>
      defineWatermark({ ...kgw({ delta: 2 }), id: 'wrong', score: () => 2, detector })
    const tokens = Array.from({ length: 20 }, (_, i) => i)
    const bounded = wrong(sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }))
    expect(() => detect(bounded, tokens, options)).toThrow(
      /score of token 2 at 2: expected a number in \[0, 1\], got 2/,
    )
    const unbounded = wrong(sumDetector({ nullLaw: binomial(1 / 2) }))
    expect(() => detect(unbounded, tokens, options)).toThrow(
      'sum of scores: expected a sum that binomial(0.5) allows',
    )
  })

  test('a context rule that the detector cannot follow, when the watermark is made', () => {
    for (const context of [sequence({ length: 8 }), prefix({ entropy: 5 })])
      expect(() => kgw({ delta: 2, context })).toThrow(
        /kgw.*: context: expected a rule that a detector of the kind 'sum'/,
      )
    expect(() => christ({ context: ngram(2) })).toThrow("of the kind 'scan'")
    expect(() => defineWatermark({ ...expEdit(), context: ngram(2) })).toThrow("of the kind 'alignment'")
    // nothing to detect: nothing to follow
    expect(defineWatermark({ ...unwatermarked(), context: sequence({ length: 8 }) }).id).toBe('unwatermarked')
  })
})

describe('an embedder refuses', () => {
  const p = new Float64Array(4).fill(1 / 4)
  const make = (mark: Wrong = gumbel()) => embedder(mark, { key: KEY, vocabSize: 4, seed: 1 })

  test('tokens that are none, also after the first step', () => {
    const q = new Float64Array(4)
    expect(() => make().reweight([1, 4], p, q)).toThrow('tokens[1]: expected a token id in [0, 4)')
    const text = make()
    text.reweight([1, 2], p, q)
    expect(() => text.reweight([1, 2, -1], p, q)).toThrow('tokens[2]')
    expect(() => make().reweight(undefined as Wrong, p, q)).toThrow('tokens: expected a list')
  })

  test('p and q that share memory', () => {
    const room = new Float64Array(6).fill(1 / 4)
    for (const from of [0, 2])
      expect(() => make().reweight([1, 2], room.subarray(0, 4), room.subarray(from, from + 4))).toThrow(
        'q: expected an array that shares no memory with p',
      )
    const apart = new Float64Array(8).fill(1 / 4)
    expect(make().reweight([1, 2], apart.subarray(0, 4), apart.subarray(4))).toBe(true)
  })

  test('a drawn token without its probability, where the rule needs it', () => {
    const drew = (mark: Wrong, ...drawn: Wrong[]) => (make(mark).drew as Wrong)(...drawn)
    expect(() => drew(christ(), 1)).toThrow('probability: expected a number')
    expect(() => drew(christ(), 1, 0)).toThrow('probability: expected a number in (0, 1]')
    expect(() => drew(christ(), 4, 0.5)).toThrow('token: expected an integer in [0, 3]')
    expect(() => drew(gumbel(), 4)).toThrow('token: expected an integer in [0, 3]')
    drew(gumbel(), 1)
    drew(christ(), 1, 1 + 1e-9)
  })

  test('unknown options', () => {
    expect(() => embedder(gumbel(), { ...options, sed: 1 } as Wrong)).toThrow("did you mean 'seed'?")
  })
})

describe('a processor', () => {
  const V = 50
  /** Writes a text with a processor and a uniform model. */
  function write(processor: ReturnType<typeof watermarkProcessor>, prompt: number[], seed: number): number[] {
    const stream = seededRandom(seed, 'processor')
    const ids = [...prompt]
    const p = new Float64Array(V)
    for (let t = 0; t < 200; t++) {
      const { data } = processor([ids], { dims: [1, V], data: new Float32Array(V) })
      const sum = data.reduce((total, logit) => total + Math.exp(logit), 0)
      for (let i = 0; i < V; i++) p[i] = Math.exp(data[i]!) / sum
      ids.push(draw(p, stream.uniform()))
    }
    return ids.slice(prompt.length)
  }

  test.each([
    ['another', [3, 4, 5]],
    ['the same', [1, 2]],
    ['a longer', [1, 2, 3, 4, 5, 6, 7, 8]],
  ])('that is used for a second text, after %s prompt, marks it as a new one would', (_, prompt) => {
    for (const mark of [gumbel(), christ(), expEdit({ keyLength: 256 })]) {
      const make = () => watermarkProcessor<Wrong>(mark, { key: KEY, seed: 7 })
      const used = make()
      write(used, [1, 2], 1)
      expect(write(used, prompt, 2)).toEqual(write(make(), prompt, 2))
    }
  })

  test('refuses ids and logits that do not fit', () => {
    const processor = watermarkProcessor(gumbel(), { key: KEY })
    const logits = { dims: [1, V], data: new Float32Array(V) }
    expect(() => processor([[V]], logits)).toThrow('inputIds[0][0]: expected an integer in [0, 49]')
    expect(() => processor([[1], [2]], logits)).toThrow(
      'logits.data: expected 2 rows (inputIds) of 50 logits',
    )
    expect(() => watermarkProcessor(gumbel(), {} as Wrong)).toThrow('key: expected a string or Uint8Array')
  })
})

test('a code sees the key only where its declaration asks for it', () => {
  const seen: number[] = []
  const spy = (needsKey?: boolean) =>
    defineWatermark({
      ...gumbel(),
      id: 'spy',
      ...(needsKey !== undefined && { needsKey }),
      draw(random, vocabSize, site) {
        seen.push(site.key.length)
        return gumbel().draw(random, vocabSize, site)
      },
    })
  for (const needsKey of [undefined, false, true]) detect(spy(needsKey), [1, 2, 3], options)
  expect(seen).toEqual([0, 0, KEY.length])
  expect(asPublished(kgw({ delta: 2 }), 'huggingface').needsKey).toBe(true)
})
