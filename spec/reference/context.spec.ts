import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reachUpTo } from '../../src/core/keys/rule.ts'
import { binomial, detect, ngram } from '../../src/index.ts'
import { allEdits, applyEdit, certifiedDecisionRadius, scoresChanged } from '../../src/theory/entry.ts'
import { parseWatermark, synthid } from '../../src/watermarks/entry.ts'
import { synthidContextMask, synthidContexts } from '../../src/watermarks/published/index.ts'
import { scoredBy } from '../theorems/texts.ts'

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
    const { scored } = detect(watermark, tokens, { key: Uint8Array.of(255), vocabSize: 10, skip: [6] })
    expect(scored).toBe(1)
  })

  test('one edit reaches as far as it says, in texts longer than its memory and in shorter ones', () => {
    const tokens = fc.oneof(
      fc.array(fc.nat(3), { minLength: 1, maxLength: 24 }),
      fc
        .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 30 }))
        .map(([period, length]) => Array.from({ length }, (_, t) => t % period)),
    )
    fc.assert(
      fc.property(tokens, fc.integer({ min: 1, max: 3 }), fc.nat(6), (text, n, history) => {
        const rule = synthidContexts({ ngramLength: n + 1, history })
        for (const edit of allEdits(text, [0, 1, 9])) {
          const edited = applyEdit(text, edit)
          const { lost, gained } = scoresChanged(rule, text, edited)
          const reach = reachUpTo(rule, Math.max(text.length, edited.length))
          expect(Math.max(lost, gained)).toBeLessThanOrEqual(reach)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('one deletion changes hundreds of scores once contexts are forgotten', () => {
    const text = Array.from({ length: 1430 }, (_, t) => t % 1025)
    const deletion = applyEdit(text, { kind: 'deletion', at: 1025 })
    const { lost } = scoresChanged(synthidContexts(), text, deletion)
    expect(lost).toBeGreaterThan(400)
    expect(lost).toBeLessThanOrEqual(synthidContexts().reach)
  })

  test('certificates follow: as ngram(4) while nothing is forgotten, hardly any after', () => {
    const options = { key: 'secret', vocabSize: 5000, alpha: 0.01 }
    const all = scoredBy(synthidContexts(), binomial(1 / 10), () => 1)
    const radius = (length: number) => {
      const text = Array.from({ length }, (_, t) => t % 5000)
      const certificate = certifiedDecisionRadius(all, text, options)
      return certificate.applicable ? certificate : undefined
    }
    const short = Array.from({ length: 400 }, (_, t) => t)
    const plain = certifiedDecisionRadius(
      scoredBy(ngram(4), binomial(1 / 10), () => 1),
      short,
      options,
    )
    expect(radius(400)).toMatchObject({ region: 9, radius: (plain as { radius: number }).radius })
    // one edit more and the text may be longer than what is remembered
    expect(radius(1028)).toMatchObject({ region: 9, radius: 1 })
    expect(radius(1029)).toMatchObject({ region: 1029, radius: 0 })
    expect(radius(3000)).toMatchObject({ region: 1029, radius: 1 })
  })

  test('names a wrong option', () => {
    expect(() => synthidContexts({ ngramLength: 1 })).toThrow(/ngramLength/)
    expect(() => synthidContexts({ history: -1 })).toThrow(/history/)
  })
})
