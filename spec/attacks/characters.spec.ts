import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import {
  type CharacterEditName,
  characterEdit,
  normalise,
  parseAttack,
  throughText,
} from '../../src/text/attacks/entry.ts'
import { embeddedModel, generate } from '../../src/text/models/entry.ts'
import { kgw } from '../../src/watermarks/entry.ts'

const undone: CharacterEditName[] = ['whitespace', 'unicode', 'homoglyphs', 'zeroWidth', 'retokenise']
const lasting: CharacterEditName[] = ['case', 'punctuation', 'typos', 'markdown', 'negate']

const SAMPLE = `## The office\nThe "King's" staff -- all of it -- was late, and is. **Don't go!** See [it](https://a.b).`
const edited = (name: CharacterEditName, text: string, rate = 1, seed = 1) =>
  characterEdit(name, { rate }).apply(text, { seed })

const texts = fc
  .array(
    fc.constantFrom('The', 'office', 'flat', "don't", '"so"', '-', '--', '...', 'café', 'x', '42', '.', '\n'),
  )
  .map((words) => words.join(' '))
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.array(fc.constantFrom(...'aасеО\u0301\u200b\u200d \u00a0\n“ﬁ…ĐжΝ—‑')).map((all) => all.join('')),
)

describe('edits of characters', () => {
  test.each([...undone, ...lasting])('%s: its id is read back, rate 0 changes nothing', async (name) => {
    const { id } = characterEdit(name, { rate: 0.25 })
    expect(parseAttack(id).id).toBe(id)
    expect(parseAttack(name).id).toBe(`${name}(rate=1)`)
    expect(await edited(name, SAMPLE, 0)).toBe(SAMPLE)
    if (name !== 'retokenise') expect(await edited(name, SAMPLE)).not.toBe(SAMPLE)
  })

  test('what each does', async () => {
    expect(await edited('case', 'The USA is big')).toBe('the usa is big')
    expect(await edited('punctuation', 'Yes, "no".')).toBe('Yes no')
    expect(await edited('markdown', SAMPLE)).toBe(
      `The office\nThe "King's" staff -- all of it -- was late, and is. Don't go! See it.`,
    )
    expect(await edited('negate', "It is here, was not, and isn't")).toBe(
      "It is not here, was not, and isn't",
    )
    expect(await edited('zeroWidth', 'cat')).toBe('c\u200ba\u200bt')
    expect(await edited('homoglyphs', 'ace')).toBe('\u0430\u0441\u0435')
  })

  test('exactly round(rate n) of n places change', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }), async (n, rate) => {
        const after = await edited('homoglyphs', 'a'.repeat(n), rate)
        expect(Array.from(after).filter((letter) => letter !== 'a').length).toBe(Math.round(rate * n))
      }),
    ))

  test.each(undone)('normalise undoes %s', (name) =>
    fc.assert(
      fc.asyncProperty(texts, fc.nat(), async (text, seed) => {
        expect(normalise(await edited(name, text, 0.7, seed))).toBe(normalise(text))
      }),
    ),
  )

  test.each(lasting)('normalise cannot undo %s', async (name) => {
    expect(normalise(await edited(name, SAMPLE))).not.toBe(normalise(SAMPLE))
  })

  test('normalising twice is normalising once', () =>
    fc.assert(
      fc.property(anyText, (text) => {
        expect(normalise(normalise(text))).toBe(normalise(text))
      }),
    ))

  test('words of other scripts stay, unless they mix with Latin letters', () => {
    expect(normalise('Привет, асе')).toBe('Привет, асе')
    expect(normalise('Привет, cасе')).toBe('Привет, cace')
    expect(normalise('асе')).toBe('ace')
    expect(normalise('می\u200cخواهم')).toBe('می\u200cخواهم')
  })

  test('an edit of characters without a tokenizer says that it needs one', async () => {
    await expect(parseAttack('typos(rate=0.1)').apply([1], { seed: 1, vocabSize: 4 })).rejects.toThrow(
      'tokenizer: expected an object with encode and decode, got undefined',
    )
  })
})

/**
 * Twelve texts of 100 tokens. Look-alikes in half of the letters leave nearly no context of two tokens: the twelve p-values then are those of unmarked
 * texts, and more than one of them is at most 1e-6 with probability below 12 * 12 * 1e-12 / 2 < 1e-10. After normalising, the tokens are those of the text encoded anew.
 */
test('look-alikes hide a watermark from its detector, and normalise brings it back', async () => {
  const model = await embeddedModel()
  const { tokenizer, vocabSize } = model
  const [watermark, key] = [kgw({ delta: 6 }), 'a key of the test of characters']
  const options = { watermark, key, maxNewTokens: 100, stopTokens: [], count: 12, seed: 1 }
  const written = await generate(model, 'The people of the city', options)
  const p = (tokens: readonly number[]) => detect(watermark, tokens, { key, vocabSize }).pValue
  const hidden = parseAttack('homoglyphs(rate=0.5)')
  const again = throughText(characterEdit('retokenise'), tokenizer)
  let [lost, found] = [0, 0]
  for (const { tokens } of written) {
    const at = { seed: 1, vocabSize, tokenizer }
    const after = (await hidden.apply(tokens, at)).tokens
    const restored = tokenizer.encode(normalise(tokenizer.decode(after)))
    const plain = tokenizer.encode(normalise(tokenizer.decode((await again.apply(tokens, at)).tokens)))
    expect(restored).toEqual(plain)
    if (p(after) > 1e-6) lost++
    if (p(restored) <= 1e-6) found++
  }
  await model.dispose()
  expect([lost >= 11, found >= 11]).toEqual([true, true])
})
