/** Messages in the playground: read while a text is written, and after it was edited. */
import { expect, test } from 'vitest'
import { choicesOf, watermarkOf } from '../../src/cli/playground/browser/methods.ts'
import { follower, verdictOf } from '../../src/cli/playground/browser/pieces.ts'
import type { ReadMessage } from '../../src/cli/playground/browser/protocol.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { markovModel } from '../../src/text/decode/toy.ts'

const key = 'a key of the playground'
const model = markovModel({ vocabSize: 300, entropy: 4, seed: 'playground' })

test.each(['gumbel', 'synthid', 'kgw'])(
  '%s: a message is written, watched and read after edits',
  async (method) => {
    const chosen = { method, values: {}, key, message: 'v2' }
    const watermark = watermarkOf(choicesOf({}), chosen)
    expect(watermark.id).toContain('message(bits=16,blocks=4)')
    const [text] = await generateMany(model, [{ prompt: [0], key, seed: 1 }], {
      watermark: watermark.messages!.of('v2'),
      maxNewTokens: 400,
    })
    const marked = { model, watermark, key, message: 'v2' }
    const follow = follower(marked)
    let last: ReadMessage | undefined
    for (const token of text!.tokens) last = follow(token).message
    expect(last!.shown).toBe('v2')
    const edited = text!.tokens.map((token, t) => (t % 25 === 0 ? 7 : token))
    const verdict = verdictOf(marked, edited, text!.tokens)
    expect(verdict).toMatchObject({ detected: true, message: { shown: 'v2' } })
    expect(verdict.message!.pValues).toHaveLength(4)
    // without a message in the form the same text is searched for the plain mark
    const plain = watermarkOf(choicesOf({}), { ...chosen, message: '' })
    expect(verdictOf({ ...marked, watermark: plain, message: '' }, edited).message).toBeUndefined()
  },
)

test('a method that cannot carry a message says why', () => {
  const chosen = { method: 'unigram', values: { delta: '2' }, key, message: 'v2' }
  expect(() => watermarkOf(choicesOf({}), chosen)).toThrow(/use blocks: 1/)
})
