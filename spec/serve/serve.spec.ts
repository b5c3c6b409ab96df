/** The server itself: batches, its queue, clients that leave, `/detect`, and what no request may learn. */
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { ApiError } from '../../src/cli/serve/api-error.ts'
import { Detection } from '../../src/cli/serve/detection.ts'
import { gumbel, synthid } from '../../src/index.ts'
import { generate } from '../../src/text/decode/generate.ts'
import { clientOf, gated, key, post, slow, started, toy } from './servers.ts'

const request = (fields: object) => ({ model: 'toy', prompt: '1 2 3', ...fields })

/** The value of a counter or gauge without labels. */
async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^uwbench_${name} (\\d+)$`, 'm').exec(text)![1])
}

/** Waits, for a bounded time, until a gauge has a value. */
async function until(url: string, name: string, value: number): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if ((await metric(url, name)) === value) return
    await setTimeout(10)
  }
  expect(await metric(url, name)).toBe(value)
}

test('a text does not depend on the texts beside it: each is the one that generate writes alone', async () => {
  const { url } = await started({ batch: 5, queue: 100, watermark: synthid({ layers: 5 }) })
  const asked = Array.from({ length: 40 }, (_, i) => ({
    ...{ prompt: `${i} ${(7 * i) % 50}`, max_tokens: 1 + ((13 * i) % 29), seed: i, watermarking: i % 3 > 0 },
    ...{ temperature: [0, 0.7, 1, 1.3][i % 4]!, top_k: [0, 5, 20][i % 3]! },
  }))
  const texts = await Promise.all(
    asked.map(async (fields, i) => {
      await setTimeout(i % 7) // so that they join at different steps
      return ((await post(`${url}/v1/completions`, fields)).answer.choices as { text: string }[])[0]!.text
    }),
  )
  for (const [i, { prompt, max_tokens, seed, watermarking, temperature, top_k }] of asked.entries()) {
    const mark = watermarking ? { watermark: synthid({ layers: 5 }), key } : {}
    const options = { maxNewTokens: max_tokens, seed, temperature, topK: top_k, ...mark }
    expect(texts[i]).toBe((await generate(toy, prompt, options))[0]!.text)
  }
  expect(await metric(url, 'texts_running')).toBe(0)
})

test('a full queue answers 429, which a client may try again, and texts that wait are written', async () => {
  const { model, release } = gated()
  const { url } = await started({ model, batch: 2, queue: 3 })
  let early = 0
  const asked = Array.from({ length: 12 }, async () => {
    const answer = await post(`${url}/v1/completions`, request({ max_tokens: 40 }))
    if (answer.status === 429 && ++early === 7) release()
    return answer
  })
  const answers = await Promise.all(asked)
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(refused).toHaveLength(7)
  expect(refused[0]!.answer.error).toMatchObject({ type: 'rate_limit_error', code: 'queue_full' })
  expect((await post(`${url}/v1/completions`, request({ n: 6 }))).status).toBe(400)
})

test('a request for a hundred million texts is refused before any is prepared', async () => {
  const { url } = await started()
  const prompt = Array.from({ length: 100_000 }, () => [1])
  for (const stream of [true, false]) {
    const { status, answer } = await post(`${url}/v1/completions`, request({ prompt, n: 1000, stream }))
    expect([status, answer.error]).toMatchObject([
      400,
      { param: 'n', message: expect.stringContaining('at most 80 texts') },
    ])
  }
})

test('a client that leaves frees its slot, whether it reads a stream or waits for an answer', async () => {
  const server = await started({ model: slow(5), batch: 1, queue: 1, maxTokens: 100_000 })
  const { url } = server
  for (const stream of [true, false]) {
    const leaving = new AbortController()
    const long = fetch(`${url}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request({ max_tokens: 100_000, stream })),
      signal: leaving.signal,
    }).catch(() => undefined)
    await until(url, 'texts_running', 1)
    leaving.abort()
    await long
    await until(url, 'texts_running', 0)
    expect((await post(`${url}/v1/completions`, request({ max_tokens: 3 }))).status).toBe(200)
  }
  expect(await metric(url, 'disconnected_total')).toBe(2)
})

test('a client that does not read is disconnected, and one that waits for its text is not', async () => {
  const { url } = await started({ maxTokens: 1_000_000, unreadSeconds: 0.3 })
  const body = JSON.stringify(request({ max_tokens: 1_000_000, stream: true, logprobs: 20 }))
  const head = `POST /v1/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  const deaf = connect(Number(new URL(url).port), '127.0.0.1')
  afterAll(() => deaf.destroy())
  deaf.pause().write(head + body)
  await until(url, 'texts_running', 1)
  await until(url, 'texts_running', 0)
  expect(await metric(url, 'disconnected_total')).toBe(1)
  const patient = await started({ model: slow(1000), unreadSeconds: 0.3 })
  expect((await post(`${patient.url}/v1/completions`, request({ max_tokens: 2 }))).status).toBe(200)
})

test('closing lets texts be finished for a while, then ends them where they are', async () => {
  const short = await started({ model: slow(2) })
  const finished = post(`${short.url}/v1/completions`, request({ max_tokens: 30 }))
  await until(short.url, 'texts_running', 1)
  await Promise.all([short.close(20), finished])
  expect((await finished).answer.choices).toMatchObject([{ finish_reason: 'length' }])
  const server = await started({ model: slow(5), maxTokens: 100_000 })
  const cut = post(`${server.url}/v1/completions`, request({ max_tokens: 100_000, return_token_ids: true }))
  const stream = await clientOf(server).completions.create(
    request({ max_tokens: 100_000, stream: true }) as never,
  )
  await until(server.url, 'texts_running', 2)
  const reasons: unknown[] = []
  const reading = (async () => {
    for await (const { choices } of stream as unknown as AsyncIterable<{
      choices: { finish_reason: unknown }[]
    }>)
      reasons.push(...choices.map(({ finish_reason }) => finish_reason))
  })()
  await server.close(0.1)
  await reading
  expect(reasons.at(-1)).toBe('abort')
  const [choice] = (await cut).answer.choices as {
    finish_reason: string
    text: string
    token_ids: number[]
  }[]
  expect(choice!.finish_reason).toBe('abort')
  expect(choice!.text).toBe(choice!.token_ids.join(' '))
})

test('an error of the model ends its texts and nothing else, and its message stays in the log', async () => {
  let broken = true
  const lines: string[] = []
  const model = {
    ...toy,
    async begin(prompts: readonly ArrayLike<number>[]) {
      if (broken) throw new Error('CUDA out of memory')
      return toy.begin(prompts)
    },
  }
  const { url } = await started({ model, log: (line) => lines.push(line) })
  const failed = await post(`${url}/v1/completions`, request({}))
  expect([failed.status, failed.answer.error]).toEqual([
    500,
    { message: 'the server failed; its log says why', type: 'server_error', param: null, code: null },
  ])
  expect(lines).toEqual(['error: CUDA out of memory'])
  broken = false
  expect((await post(`${url}/v1/completions`, request({}))).status).toBe(200)
})

test('bodies are limited, and must be JSON that says so', async () => {
  const { url } = await started()
  const to = `${url}/v1/completions`
  expect((await post(to, request({ prompt: '1 '.repeat(2 ** 20) }))).status).toBe(413)
  expect((await post(to, '{"prompt": ')).answer.error).toMatchObject({ message: 'expected a body in JSON' })
  expect((await post(to, '{}', { 'content-type': 'text/plain' })).status).toBe(415)
  expect((await post(to, '[]')).status).toBe(400)
  expect((await post(`${url}/v1/complete`, {})).status).toBe(404)
  expect((await fetch(`${url}/health`)).status).toBe(200)
})

test('a server may refuse to write without its watermark', async () => {
  const { url } = await started({ mayUnmark: false })
  const refused = await post(`${url}/v1/completions`, request({ watermarking: false }))
  expect([refused.status, refused.answer.error]).toMatchObject([403, { param: 'watermarking' }])
  expect((await post(`${url}/v1/completions`, request({ watermarking: true }))).status).toBe(200)
})

/** What the server says about a text of its own and one without a watermark. */
async function verdicts(url: string, headers: Record<string, string> = {}) {
  const write = async (watermarking: boolean) => {
    const fields = request({ max_tokens: 200, seed: 1, watermarking, return_token_ids: true })
    const [choice] = (await post(`${url}/v1/completions`, fields)).answer.choices as {
      text: string
      token_ids: number[]
    }[]
    return choice!
  }
  const [marked, plain] = [await write(true), await write(false)]
  const ask = async (body: object) => (await post(`${url}/detect`, body, headers)).answer
  return {
    text: await ask({ text: marked.text }),
    ids: await ask({ token_ids: marked.token_ids }),
    plain: await ask({ text: plain.text }),
  }
}

test('/detect tells its own texts from others: the decision and the p-value, or the decision alone', async () => {
  const { url } = await started()
  const { text, ids, plain } = await verdicts(url)
  expect(text).toEqual(ids)
  expect(Object.keys(text)).toEqual(['detected', 'p_value'])
  expect(text.p_value).toBeLessThan(1e-9)
  expect(plain.p_value).toBeGreaterThan(1e-9)
  expect((await post(`${url}/detect`, { text: '' })).answer).toEqual({ detected: false, p_value: 1 })
  const quiet = await started({ decisionOnly: true, alpha: 1e-9 })
  const decided = await verdicts(quiet.url)
  expect([decided.text, decided.plain]).toEqual([{ detected: true }, { detected: false }])
  for (const body of [{}, { text: '1', token_ids: [1] }, { token_ids: [50] }, { txt: '1' }, { text: 3 }, []])
    expect((await post(`${url}/detect`, body)).status).toBe(400)
  const plainServer = await started({ watermark: undefined as never })
  expect((await post(`${plainServer.url}/detect`, { text: '1' })).status).toBe(404)
})

test('/detect asks for its token', async () => {
  const { url } = await started({ token: 'sesame' })
  const ask = (token?: string) =>
    post(`${url}/detect`, { token_ids: [] }, token === undefined ? {} : { authorization: `Bearer ${token}` })
  for (const token of [undefined, '', 'sesam', 'Sesame']) {
    const { status, answer } = await ask(token)
    expect([status, answer.error]).toMatchObject([401, { code: 'invalid_api_key' }])
  }
  expect((await ask('sesame')).status).toBe(200)
})

test('/detect limits the rate, that of wrong tokens apart, and fills up again over a minute', async () => {
  let now = 0
  const options = { model: toy, mark: { watermark: gumbel(), key }, alpha: 0.01, decisionOnly: true, rate: 4 }
  const detection = new Detection({ ...options, token: 'sesame' }, () => now)
  const ask = (token: string) =>
    detection.answer({ token_ids: [] }, `Bearer ${token}`).then(
      () => 200,
      (error: ApiError) => error.status,
    )
  const statuses: number[] = []
  for (const token of ['sesame', 'x', 'y', 'sesame', 'sesame', 'z', 'x', 'x', 'sesame', 'sesame'])
    statuses.push(await ask(token))
  // whoever lacks the token cannot use up the limit of those who have it
  expect(statuses).toEqual([200, 401, 401, 200, 200, 401, 401, 429, 200, 429])
  now = 14_999
  expect(await ask('sesame')).toBe(429)
  now = 30_000
  expect([await ask('sesame'), await ask('sesame'), await ask('sesame')]).toEqual([200, 200, 429])
})

test('nothing that the server says or logs has its key, its token, or the prompt or text of another request', async () => {
  const said: string[] = []
  const secret = '31 41 5 9 26 5 35'
  const { url } = await started({ token: 'sesame', log: (line) => said.push(line), rate: 1000 })
  const get = async (path: string) => said.push(await (await fetch(`${url}${path}`)).text())
  const send = async (path: string, body: unknown, headers = {}) =>
    said.push(JSON.stringify((await post(`${url}${path}`, body, headers)).answer))
  const hidden = (await post(`${url}/v1/completions`, request({ prompt: secret, max_tokens: 30, seed: 8 })))
    .answer
  for (const path of ['/health', '/metrics', '/v1/models', '/v1/models/toy', '/v1/models/x', '/', '/key'])
    await get(path)
  for (const body of [
    ...[request({ max_tokens: 30, n: 3, logprobs: 20, return_token_ids: true }), request({ model: 'x' })],
    ...[request({ temperature: 'hot' }), request({ key: 'x' }), request({ prompt: {} }), null, [], '{'],
  ])
    await send('/v1/completions', body)
  await send('/v1/chat/completions', { messages: [{ role: 'user', content: '1' }] })
  for (const body of [{ text: '1 2 3' }, { key }, {}, { token_ids: ['x'] }, null])
    for (const token of ['sesame', 'wrong']) await send('/detect', body, { authorization: `Bearer ${token}` })
  const all = said.join('\n').replaceAll(`unknown field 'key'`, '')
  const { text } = (hidden.choices as { text: string }[])[0]!
  const encoded = [Buffer.from(key).toString('base64'), Buffer.from(key).toString('hex')]
  for (const word of [key, ...encoded, 'sesame', secret, text]) expect(all).not.toContain(word)
})

test('a watermark needs its key', async () => {
  await expect(started({ watermark: gumbel(), key: undefined as never })).rejects.toThrow('key: expected')
})
