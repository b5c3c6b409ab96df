import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { throughText } from '../../src/text/attacks/attack.ts'
import { dipperPrompt, paraphrase, splitSentences } from '../../src/text/attacks/paraphrase.ts'
import type { LanguageModel, Session } from '../../src/text/decode/language-model.ts'
import { generate, loadModel } from '../../src/text/models/entry.ts'
import { writeTinySeq2seq } from '../models/tiny/folder.ts'

const END = 0
const encode = (text: string) => Array.from(text, (c) => c.codePointAt(0)!)
const decode = (tokens: ArrayLike<number>) =>
  String.fromCodePoint(...Array.from(tokens).filter((t) => t !== END))

/** A sequence-to-sequence model over characters that answers with what stands between the sentence marks, in capitals. */
const asked: string[] = []
const shouting: LanguageModel = {
  id: 'shouting',
  kind: 'seq2seq',
  tokenizer: { encode, encodePrompt: encode, decode },
  vocabSize: 256,
  endTokens: [END],
  maxLength: 500,
  async begin(prompts) {
    const answers = prompts.map((prompt) => {
      asked.push(decode(prompt))
      return [...encode(/<sent> (.*) <\/sent>$/.exec(decode(prompt))![1]!.toUpperCase()), END]
    })
    let at = 0
    const logits = new Float32Array(256 * prompts.length)
    const point = () => {
      logits.fill(-1e4)
      answers.forEach((answer, row) => {
        logits[row * 256 + (answer[at] ?? END)] = 0
      })
    }
    point()
    const session: Session = {
      rows: prompts.length,
      logits,
      async step() {
        at++
        point()
      },
      select() {},
      dispose() {},
    }
    return session
  },
  logLikelihood: () => Promise.reject(new Error('not asked for')),
  digest: async () => '',
  dispose: async () => {},
}

test('the published format: codes are 100 minus the diversity, context before the marked sentences', () => {
  expect(dipperPrompt(60, 0, 'Tracy is a fox.', 'It is quick.')).toBe(
    'lexical = 40, order = 100 Tracy is a fox. <sent> It is quick. </sent>',
  )
  expect(dipperPrompt(20, 40, '', 'It is quick.')).toBe(
    'lexical = 80, order = 60 <sent> It is quick. </sent>',
  )
})

test('works off a text by sentences; what is written becomes context of the next step', async () => {
  asked.length = 0
  const attack = paraphrase(shouting, { lexical: 60, order: 20, sentences: 2 })
  const text = 'It rained.\n  We went home.  Nobody spoke.'
  expect(await attack.apply(text, { seed: 1, prompt: 'Then\nit came.' })).toBe(
    'IT RAINED. WE WENT HOME. NOBODY SPOKE.',
  )
  expect(asked).toEqual([
    'lexical = 40, order = 80 Then it came. <sent> It rained. We went home. </sent>',
    'lexical = 40, order = 80 Then it came. IT RAINED. WE WENT HOME. <sent> Nobody spoke. </sent>',
  ])
})

test('on tokens, the prompt decoded for it, with the distance it made', async () => {
  asked.length = 0
  const attack = throughText(paraphrase(shouting), { encode, decode })
  const { tokens, distance } = await attack.apply(encode('Hi you.'), {
    seed: 1,
    vocabSize: 256,
    prompt: encode('So'),
  })
  expect([decode(tokens), distance]).toEqual(['HI YOU.', 4])
  expect(asked).toEqual(['lexical = 40, order = 100 So <sent> Hi you. </sent>'])
  expect(await paraphrase(shouting).apply(' \n ', { seed: 1 })).toBe('')
})

test('sentences: a point inside a number ends none', () => {
  expect(splitSentences('It cost 3.50 dollars. Why? We left!')).toEqual([
    'It cost 3.50 dollars.',
    'Why?',
    'We left!',
  ])
})

test('ids and errors', () => {
  expect(paraphrase(shouting).id).toBe('paraphrase(lexical=60,order=0,sentences=3)')
  expect(paraphrase(shouting, { lexical: 40, topP: 0.9 }).id).toBe(
    'paraphrase(lexical=40,order=0,sentences=3,topP=0.9)',
  )
  expect(() => paraphrase(shouting, { lexical: 50 })).toThrow(
    'lexical: expected one of 0, 20, 40, 60, 80, 100, got 50',
  )
  expect(() => paraphrase({ ...shouting, kind: 'causal' })).toThrow(
    "model: expected a sequence-to-sequence model, got 'causal'",
  )
})

test('a model in T5 layout, from its folder: what it writes for the published format, seeded', async () => {
  const folder = await writeTinySeq2seq('t5')
  const model = await loadModel(folder, { threads: 1 })
  const text = 'the big cat sat on a mat and ran to see'
  const greedy = paraphrase(model, { temperature: 0, maxNewTokens: 8 })
  const input = `lexical = 40, order = 100 <sent> ${text} </sent>`
  const [expected] = await generate(model, input, { temperature: 0, maxNewTokens: 8 })
  expect(await greedy.apply(text, { seed: 1 })).toBe(expected!.text.trim())

  const sampled = throughText(paraphrase(model, { topP: 1, maxNewTokens: 8 }), model.tokenizer)
  const tokens = model.tokenizer.encode(text)
  const [first, again] = [1, 1].map((seed) => sampled.apply(tokens, { seed, vocabSize: model.vocabSize }))
  expect(await again).toEqual(await first)
  const seeds = [1, 2, 3, 4, 5, 6].map((seed) => sampled.apply(tokens, { seed, vocabSize: model.vocabSize }))
  expect(new Set((await Promise.all(seeds)).map((result) => result.tokens.join())).size).toBeGreaterThan(1)
  await model.dispose()
  await rm(folder, { recursive: true })
})
