import { afterEach, expect, type TestContext, test, vi } from 'vitest'
import { throughText } from '../../src/text/attacks/attack.ts'
import { hasRoundTrip, roundTrip } from '../../src/text/attacks/round-trip.ts'
import { survivingNgrams, survivingWords } from '../../src/text/attacks/survival.ts'
import { loadTokenizer } from '../../src/text/models/load-tokenizer.ts'
import { requireComponent } from '../require.ts'

const there = await hasRoundTrip()
const needed = (context: TestContext) => requireComponent(context, 'apertium', there)
afterEach(() => vi.unstubAllEnvs())

const story =
  'Once upon a time, there was a little girl named Lily. She loved to play outside in the sunshine. One day, she found a big, red ball.'

test('there and back: most content words, fewer triples', async (context) => {
  needed(context)
  const { tokenizer, vocabSize } = await loadTokenizer('embedded')
  const tokens = tokenizer.encode(story)
  const attack = throughText(roundTrip(), tokenizer)
  const options = { seed: 1, vocabSize: vocabSize! }
  const { tokens: after, distance } = await attack.apply(tokens, options)
  expect(survivingNgrams(tokens, after)).toBeLessThan(0.8)
  expect(survivingWords(story, tokenizer.decode(after))).toBeGreaterThan(0.4)
  expect(distance).toBeGreaterThan(5)
  const [same, empty] = await attack.applyAll!([
    { tokens, options },
    { tokens: [], options },
  ])
  expect(same!.tokens).toEqual(after)
  expect(empty!.tokens).toEqual([])
})

test('lines stay apart, whatever is in them', async (context) => {
  needed(context)
  const texts = [
    'a [b] ^c$ /d\\ @e <f> {g} *h ~i \u0000 x',
    '',
    '\n\nTwo dogs.\n\nA cat',
    'naïve 猫 🦊 \ud800',
  ]
  const found = await roundTrip().applyAll(texts.map((text) => ({ text, options: { seed: 1 } })))
  expect(found.map((text) => text.split('\n').length)).toEqual([1, 1, 5, 1])
  expect(found[2]).toBe('\n\nTwo dogs.\n\nA cat')
  const alone = await Promise.all(texts.map((text) => roundTrip().apply(text, { seed: 1 })))
  expect(found).toEqual(alone)
})

test('without the program: one line that says what to install', async () => {
  vi.stubEnv('PATH', '/nowhere')
  expect(await hasRoundTrip()).toBe(false)
  await expect(roundTrip().apply('a', { seed: 1 })).rejects.toThrow(
    /^cannot run apertium \(it is not installed\): apt-get install apertium apertium-eng-spa$/,
  )
  expect(() => roundTrip({ through: '-h' })).toThrow(
    "through: expected a language of Apertium such as 'spa', got '-h'",
  )
})
