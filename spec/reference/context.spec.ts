import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detect, ngram } from '../../src/index.ts'
import { synthidContextMask, synthidContexts } from '../../src/reference/index.ts'
import { parseWatermark, synthid } from '../../src/watermarks/index.ts'

const all = () => false
const begin = (options = {}) => synthidContexts(options).begin(undefined as never)

describe('the published context rule of SynthID', () => {
  test('generation does not look at the prompt', () => {
    const cursor = begin({ ngramLength: 4 })
    const prompt = [9, 9, 9]
    expect(cursor.next(prompt)).toEqual([0, 0, 0])
    expect(cursor.next([...prompt, 5])).toEqual([0, 0, 5])
    expect(cursor.next([...prompt, 5, 6])).toEqual([0, 5, 6])
    expect(cursor.next([...prompt, 5, 6, 7])).toEqual([5, 6, 7])
    expect(cursor.next([...prompt, 5, 6, 7, 8])).toEqual([6, 7, 8])
  })

  test('texts are scored where the published mask is 1', () => {
    const tokens = fc.array(fc.nat(2), { maxLength: 40 })
    fc.assert(
      fc.property(tokens, fc.integer({ min: 2, max: 4 }), fc.nat(12), (text, ngramLength, history) => {
        const scored = synthidContexts({ ngramLength, history }).scored(text, all)
        const options = { flavor: 'google' as const, keys: [1], ngramLength, tokens: text }
        const mask = synthidContextMask({ ...options, contextHistorySize: history })
        expect(scored.slice(ngramLength - 1).map((context) => Number(context !== undefined))).toEqual(mask)
        expect(scored.slice(0, ngramLength - 1).every((context) => context === undefined)).toBe(true)
      }),
    )
  })

  test('within its memory it is ngram(4); beyond, a context comes back', () => {
    const text = Array.from({ length: 60 }, (_, t) => (t * t) % 7)
    expect(synthidContexts().scored(text, all)).toEqual(ngram(4).scored(text, all))
    const marked = (history: number) => {
      const cursor = begin({ ngramLength: 2, history })
      return [[], [1], [1, 2], [1, 2, 1]].map((tokens) => cursor.next(tokens) !== undefined)
    }
    expect(marked(2)).toEqual([true, true, true, false])
    expect(marked(1)).toEqual([true, true, true, true])
  })

  test('is read back from an id, and scores skip special tokens', () => {
    const watermark = synthid({ codes: 'reference', context: synthidContexts({ history: 7 }) })
    expect(parseWatermark(watermark.id).id).toBe(watermark.id)
    const tokens = [1, 2, 3, 4, 5, 6]
    const { scored } = detect(watermark, tokens, { key: 'x', vocabSize: 10, skip: [6] })
    expect(scored).toBe(1)
  })

  test('names a wrong option', () => {
    expect(() => synthidContexts({ ngramLength: 1 })).toThrow(/ngramLength/)
    expect(() => synthidContexts({ history: -1 })).toThrow(/history/)
  })
})
