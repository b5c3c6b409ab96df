/** Texts that join and leave a batch of a neural model have the probabilities that they have alone. */
import { afterAll, expect, test } from 'vitest'
import { GrowingText, tokenTexts } from '../../src/cli/serve/pieces.ts'
import { loadModel } from '../../src/text/models/load.ts'
import { embeddedFolder } from '../../src/text/models/named.ts'
import { kept, prompts } from '../models/consistent.ts'
import { writeTinyCausal } from '../models/tiny/folder.ts'
import { post, started } from './servers.ts'

const models = {
  'the embedded model, with a cache that appends': () => loadModel('embedded'),
  'the embedded model, with a cache that is copied': () => loadModel(embeddedFolder(), { threads: 1 }),
  'a graph that counts positions itself': async () => loadModel(await kept(writeTinyCausal())),
}

test.each(Object.entries(models))('%s', async (_, load) => {
  const model = await load()
  afterAll(() => model.dispose())
  const { url } = await started({ model, name: 'm', batch: 3 })
  const ask = async (i: number) => {
    // behind the texts of others, which are of other lengths: they join at many different steps
    const { answer } = await post(`${url}/v1/completions`, {
      ...{ prompt: prompts[i % 4], max_tokens: 3 + ((11 * i) % 17), logprobs: 0, seed: i },
      ...{ return_token_ids: true, watermarking: i % 2 === 0 },
    })
    return (answer.choices as never[])[0] as unknown as {
      token_ids: number[]
      prompt_token_ids: number[]
      logprobs: { token_logprobs: number[] }
    }
  }
  const texts = await Promise.all(Array.from({ length: 14 }, (_, i) => ask(i)))
  const alone = await model.logLikelihood(
    texts.map(({ token_ids: tokens, prompt_token_ids: prompt }) => ({ prompt, tokens })),
  )
  for (const [i, { logprobs }] of texts.entries())
    for (const [t, value] of logprobs.token_logprobs.entries()) expect(value).toBeCloseTo(alone[i]![t]!, 4)
})

test('pieces of a growing text join to the text of its tokens, with characters of several tokens too', async () => {
  const model = await loadModel('embedded')
  afterAll(() => model.dispose())
  const { tokenizer, vocabSize } = model
  const { alone } = tokenTexts(tokenizer)
  const text = ' a na\u00efve caf\u00e9 \u65e5\u672c \ud83d\ude42 in  two blanks\n\n'
  const random = Array.from({ length: 2000 }, (_, i) => (i * i * 7919 + 31 * i) % vocabSize)
  for (const tokens of [tokenizer.encode(text), tokenizer.encode(text).slice(0, -7), random, []]) {
    const growing = new GrowingText(tokenizer, alone)
    const pieces = tokens.map((token) => growing.add(token))
    expect(pieces.join('') + growing.rest()).toBe(tokenizer.decode(tokens))
  }
})
