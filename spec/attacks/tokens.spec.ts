import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AttackOptions,
  copyPaste,
  editDistance,
  insert,
  noAttack,
  parseAttack,
  remove,
  replace,
  throughText,
  truncate,
} from '../../src/text/attacks/entry.ts'

const vocabSize = 50
const texts = fc.array(fc.integer({ min: 0, max: vocabSize - 1 }), { maxLength: 60, size: 'max' })
const rates = fc.constantFrom(0, 0.1, 0.15, 0.3, 0.5, 1)
const seeds = fc.integer({ min: 0, max: 1e6 })
const options = (seed: number, more: Partial<AttackOptions> = {}): AttackOptions => ({
  seed,
  vocabSize,
  ...more,
})

/** Whether `part` is what is left of `whole` after deletions. */
const isSubsequence = (part: readonly number[], whole: readonly number[]): boolean => {
  let at = 0
  for (const token of whole) if (at < part.length && part[at] === token) at++
  return at === part.length
}

describe('random edits make exactly round(rate n) edits', () => {
  test('replace: that many positions differ, the length stays', () =>
    fc.assert(
      fc.asyncProperty(texts, rates, seeds, async (text, rate, seed) => {
        const { tokens, distance } = await replace({ rate }).apply(text, options(seed))
        expect(tokens.length).toBe(text.length)
        const changed = tokens.filter((token, i) => token !== text[i]).length
        expect(changed).toBe(Math.round(rate * text.length))
        expect(distance).toBe(editDistance(text, tokens))
        expect(distance).toBeLessThanOrEqual(changed)
      }),
    ))

  test('insert: the text is a subsequence, the distance is the count', () =>
    fc.assert(
      fc.asyncProperty(texts, rates, seeds, async (text, rate, seed) => {
        const { tokens, distance } = await insert({ rate }).apply(text, options(seed))
        expect(isSubsequence(text, tokens)).toBe(true)
        expect(tokens.length - text.length).toBe(Math.round(rate * text.length))
        expect(distance).toBe(Math.round(rate * text.length))
      }),
    ))

  test('delete: a subsequence is left, the distance is the count', () =>
    fc.assert(
      fc.asyncProperty(texts, rates, seeds, async (text, rate, seed) => {
        const { tokens, distance } = await remove({ rate }).apply(text, options(seed))
        expect(isSubsequence(tokens, text)).toBe(true)
        expect(distance).toBe(Math.round(rate * text.length))
        expect(text.length - tokens.length).toBe(distance)
      }),
    ))

  test('excluded ids are never drawn', () =>
    fc.assert(
      fc.asyncProperty(texts, seeds, async (text, seed) => {
        const exclude = Array.from({ length: vocabSize - 3 }, (_, i) => i) // leaves 47, 48, 49
        const { tokens } = await replace({ rate: 1 }).apply(text, options(seed, { exclude }))
        tokens.forEach((token, i) => {
          expect(token >= 47 && token !== text[i]).toBe(true)
        })
      }),
    ))
})

describe('excerpts', () => {
  test('truncate keeps a prefix of round(keep n) tokens', () =>
    fc.assert(
      fc.asyncProperty(texts, rates, async (text, keep) => {
        const { tokens, distance } = await truncate({ keep }).apply(text, options(1))
        expect(tokens).toEqual(text.slice(0, Math.round(keep * text.length)))
        expect(distance).toBe(text.length - tokens.length)
      }),
    ))

  test('copy-paste: the share, in that many pieces, each a stretch of the text, the rest human text in order', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        rates,
        fc.integer({ min: 1, max: 5 }),
        seeds,
        async (n, share, pieces, seed) => {
          // Text tokens rise from 0, human ones from 1000, so each token tells where it came from.
          const text = Array.from({ length: n }, (_, i) => i)
          const human = Array.from({ length: 70 }, (_, i) => 1000 + i)
          const attack = copyPaste({ share, pieces })
          const { tokens } = await attack.apply(text, options(seed, { human }))
          const kept = tokens.filter((token) => token < 1000)
          expect(tokens.length).toBe(n)
          expect(kept.length).toBe(Math.round(share * n))
          expect(tokens.filter((token) => token >= 1000)).toEqual(human.slice(0, n - kept.length))
          expect(kept).toEqual([...kept].sort((a, b) => a - b))
          const breaks = kept.filter((token, i) => i > 0 && token !== kept[i - 1]! + 1).length
          expect(breaks).toBeLessThan(Math.max(1, Math.min(pieces, kept.length)))
        },
      ),
    ))

  test('copy-paste without enough human text says how much it needs', async () => {
    await expect(copyPaste({ share: 0.5 }).apply([1, 2, 3, 4], options(1))).rejects.toThrow(
      'human: expected at least 2 tokens of unmarked text, got 0',
    )
  })
})

describe('seeds', () => {
  const text = Array.from({ length: 100 }, (_, i) => i % vocabSize)
  const human = Array.from({ length: 100 }, () => 7)
  for (const attack of [
    replace({ rate: 0.3 }),
    insert({ rate: 0.3 }),
    remove({ rate: 0.3 }),
    copyPaste({ share: 0.5, pieces: 2 }),
  ])
    test(`${attack.id}: the same seed repeats, another differs, the text is left alone`, async () => {
      const before = [...text]
      const first = await attack.apply(text, options(1, { human }))
      expect(await attack.apply(Int32Array.from(text), options(1, { human }))).toEqual(first)
      // Both streams are fixed by their seeds: what holds here once holds in every run.
      expect((await attack.apply(text, options(2, { human }))).tokens).not.toEqual(first.tokens)
      expect(text).toEqual(before)
    })
})

describe('ids', () => {
  test('parse back', () => {
    for (const id of [
      'none',
      'replace(rate=0.3)',
      'insert(rate=0.1)',
      'delete(rate=0.05)',
      'truncate(keep=0.5)',
      'copyPaste(share=0.25,pieces=3)',
    ])
      expect(parseAttack(id).id).toBe(id)
    expect(parseAttack(' replace( rate = 0.30 ) ').id).toBe('replace(rate=0.3)')
    expect(parseAttack('copyPaste(share=0.5)').id).toBe('copyPaste(share=0.5,pieces=1)')
  })

  test('what is wrong is said', () => {
    expect(() => parseAttack('shuffle(rate=1)')).toThrow('attack: expected one of none, replace')
    expect(() => parseAttack('replace(rate=2)')).toThrow('rate: expected a number in [0, 1], got 2')
    expect(() => parseAttack('replace()')).toThrow('rate: expected a number')
    expect(() => parseAttack('replace(rate=0.1,speed=9)')).toThrow("replace with rate, got 'speed'")
    expect(() => parseAttack('replace(rate=much)')).toThrow('name=number')
    expect(() => parseAttack('constructor')).toThrow('attack: expected one of')
  })
})

test('a vocabulary with nothing else to draw is an error, not an endless loop', async () => {
  await expect(replace({ rate: 1 }).apply([0], { seed: 1, vocabSize: 1 })).rejects.toThrow(
    'vocabSize: expected at least 2 ids',
  )
  await expect(
    replace({ rate: 1 }).apply([0], { seed: 1, vocabSize: 3, exclude: [1, 2, 99] }),
  ).rejects.toThrow('got 1')
})

test('no attack changes nothing', async () => {
  expect(await noAttack().apply([1, 2], options(1))).toEqual({ tokens: [1, 2], distance: 0 })
})

test('a text attack becomes one on tokens; the distance counts what encoding anew changed', async () => {
  const tokenizer = {
    encode: (text: string) => [...text].map((c) => c.codePointAt(0)!),
    decode: (tokens: ArrayLike<number>) => String.fromCodePoint(...Array.from(tokens)),
  }
  const upper = { id: 'upper', apply: async (text: string) => text.toUpperCase() }
  const attack = throughText(upper, tokenizer)
  const { tokens, distance } = await attack.apply(tokenizer.encode('aBc'), options(1))
  expect([attack.id, tokenizer.decode(tokens), distance]).toEqual(['upper', 'ABC', 2])
})
