/** The npm package `openai` as a client of `uwbench serve`: completions, chat, streams and errors. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { gumbel } from '../../src/index.ts'
import { generate } from '../../src/text/decode/generate.ts'
import { chatty, clientOf, key, started, toy } from './servers.ts'

const server = await started({ model: chatty })
const client = clientOf(server)
const prompt = '1 2 3'

/** Fields of vLLM, which the types of the client do not have. */
const extra = (fields: Record<string, unknown>) => fields as object

test('the model is listed', async () => {
  const { data } = await client.models.list()
  expect(data.map(({ id }) => id)).toEqual(['toy'])
  expect((await client.models.retrieve('toy')).id).toBe('toy')
})

test('texts are those that generate writes with the same seed, with and without the watermark', async () => {
  for (const watermarking of [true, false]) {
    const { choices, usage } = await client.completions.create({
      ...{ model: 'toy', prompt, max_tokens: 20, n: 3, seed: 7, temperature: 0.8, top_p: 0.9 },
      ...extra({ watermarking, top_k: 30, return_token_ids: true }),
    })
    const expected = await generate(toy, prompt, {
      ...{ maxNewTokens: 20, count: 3, seed: 7, temperature: 0.8, topP: 0.9, topK: 30 },
      ...(watermarking ? { watermark: gumbel(), key } : {}),
    })
    expect(choices.map(({ text }) => text)).toEqual(expected.map(({ text }) => text))
    expect(choices.map((choice) => (choice as unknown as { token_ids: number[] }).token_ids)).toEqual(
      expected.map(({ tokens }) => tokens),
    )
    expect(choices.every(({ finish_reason }) => finish_reason === 'length')).toBe(true)
    expect(usage).toEqual({ prompt_tokens: 3, completion_tokens: 60, total_tokens: 63 })
  }
})

test('a stream says the same as the whole answer, and counts its tokens', async () => {
  const request = { model: 'toy', prompt, max_tokens: 30, seed: 'x'.length, n: 2 }
  const whole = await client.completions.create(request)
  const texts = ['', '']
  let tokens = 0
  const options = { stream: true as const, stream_options: { include_usage: true } }
  for await (const { choices, usage } of await client.completions.create({ ...request, ...options })) {
    for (const { index, text } of choices) texts[index] += text
    tokens = usage?.completion_tokens ?? tokens
  }
  expect(texts).toEqual(whole.choices.map(({ text }) => text))
  expect(tokens).toBe(60)
})

test('a chat is answered, at once and as a stream, with logprobs', async () => {
  const request = {
    model: 'toy',
    messages: [
      { role: 'system' as const, content: '1' },
      { role: 'user' as const, content: [{ type: 'text' as const, text: '2 3' }] },
    ],
    max_completion_tokens: 12,
    seed: 3,
  }
  const whole = await client.chat.completions.create({ ...request, logprobs: true, top_logprobs: 2 })
  const [choice] = whole.choices
  const same = await client.completions.create({ model: 'toy', prompt, max_tokens: 12, seed: 3 })
  expect(choice!.message.content).toBe(same.choices[0]!.text)
  expect(choice!.logprobs!.content!.map(({ token }) => token.trim()).join(' ')).toBe(choice!.message.content)
  for (const { top_logprobs } of choice!.logprobs!.content!) expect(top_logprobs).toHaveLength(2)
  const streamed = client.chat.completions.stream(request)
  expect(await streamed.finalContent()).toBe(choice!.message.content)
})

test('logprobs are those of the sampler before the watermark: warped, and of tokens with mass only', async () => {
  const sampling = { temperature: 0.5, top_p: 0.8 }
  const { choices } = await client.completions.create({
    ...{ model: 'toy', prompt, max_tokens: 40, seed: 1, logprobs: 20, ...sampling },
    ...extra({ return_tokens_as_token_ids: true }),
  })
  const [expected] = await generate(toy, prompt, {
    ...{ watermark: gumbel(), key, seed: 1, maxNewTokens: 40, temperature: 0.5, topP: 0.8 },
  })
  const { token_logprobs, top_logprobs, tokens } = choices[0]!.logprobs!
  expect(token_logprobs).toEqual([...expected!.logProbabilities])
  expect(tokens).toEqual(expected!.tokens.map((token) => `token_id:${token}`))
  for (const [t, top] of top_logprobs!.entries()) {
    const mass = Object.values(top).reduce((sum, logprob) => sum + Math.exp(logprob), 0)
    // top_p 0.8 leaves fewer than 20 tokens here, so all of the mass is reported
    expect(mass).toBeCloseTo(1, 10)
    expect(top[tokens![t]!]).toBe(token_logprobs![t])
  }
})

test('a stop string ends a text before it, also across tokens and in a stream', async () => {
  const request = { model: 'toy', prompt, max_tokens: 60, seed: 5 }
  const { text } = (await client.completions.create(request)).choices[0]!
  const stop = text.slice(20, 25)
  const expected = text.slice(0, text.indexOf(stop))
  const { choices } = await client.completions.create({ ...request, stop: [stop, 'never'] })
  expect(choices[0]).toMatchObject({ text: expected, finish_reason: 'stop' })
  let streamed = ''
  for await (const chunk of await client.completions.create({ ...request, stop, stream: true }))
    streamed += chunk.choices[0]?.text ?? ''
  expect(streamed).toBe(expected)
})

test('several prompts, as texts and as token ids', async () => {
  const { choices } = await client.completions.create({ model: 'toy', prompt: ['1 2', '3'], seed: 1 })
  expect(choices).toHaveLength(2)
  const same = await client.completions.create({ model: 'toy', prompt: [[1, 2], [3]], seed: 1 })
  expect(same.choices.map(({ text }) => text)).toEqual(choices.map(({ text }) => text))
})

test('errors are those that the client knows, and name the field', async () => {
  const ask = (fields: object) =>
    client.completions.create({ model: 'toy', prompt, max_tokens: 3, ...fields } as never).then(
      () => expect.fail('expected an error'),
      (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
    )
  const cases: [object, number, string | null, RegExp][] = [
    [{ model: 'gpt-4' }, 404, 'model', /this server has toy/],
    [{ max_tokens: 5000 }, 400, 'max_tokens', /at most 4096/],
    [{ max_tokens: 0 }, 400, 'max_tokens', /integer/],
    [{ temperature: -1 }, 400, 'temperature', /\[0, 100\]/],
    [{ top_p: 0 }, 400, 'top_p', /\(0, 1\]/],
    [{ logprobs: 21 }, 400, 'logprobs', /\[0, 20\]/],
    [{ n: 81 }, 400, 'n', /at most 80/],
    [{ prompt: [] }, 400, 'prompt', /a string, token ids/],
    [{ prompt: [50] }, 400, 'prompt', /\[0, 49\]/],
    [{ presence_penalty: 1 }, 400, 'presence_penalty', /nothing else is offered/],
    [{ watermarkin: false }, 400, 'watermarkin', /did you mean 'watermarking'/],
    [{ stop: [''] }, 400, 'stop', /not empty/],
  ]
  for (const [fields, status, param, message] of cases) {
    const error = await ask(fields)
    expect([error.status, error.param]).toEqual([status, param])
    expect(error.message).toMatch(message)
  }
  expect(await ask({ model: 'gpt-4' })).toBeInstanceOf(OpenAI.NotFoundError)
  const plain = clientOf(await started())
  const chat = plain.chat.completions.create({ model: 'toy', messages: [{ role: 'user', content: '1' }] })
  await expect(chat).rejects.toThrow('toy has no chat template; use /v1/completions')
})
