/** A server as a model: texts and token ids, no marks of one's own, and one clear line for what goes wrong. */

import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { detect, gumbel } from '../../src/index.ts'
import { generate, generateMany } from '../../src/text/decode/generate.ts'
import { loadModel } from '../../src/text/models/load.ts'
import { inProcess } from '../commands/in-process.ts'
import { temporaryFolder } from '../commands/program.ts'
import { chatty, key, started } from './servers.ts'

const server = await started({ model: chatty })
const url = `${server.url}/v1#toy`
const folder = temporaryFolder('server-model')

test('generate takes texts and token ids from a server, the same ones for the same seed', async () => {
  const model = await loadModel(url)
  expect([model.id, model.kind, model.vocabSize]).toEqual(['toy', 'causal', 50])
  const options = { count: 3, maxNewTokens: 60, seed: 1 }
  const texts = await generate(model, '1 2 3', options)
  expect(await generate(model, '1 2 3', options)).toEqual(texts)
  for (const { prompt, tokens, text, finish, logProbabilities } of texts) {
    expect([prompt, text, finish]).toEqual([[1, 2, 3], tokens.join(' '), 'length'])
    expect(logProbabilities).toHaveLength(60)
    expect(detect(gumbel(), tokens, { key, vocabSize: 50 }).pValue).toBeLessThan(1e-9)
  }
  const [alone] = await generateMany(model, [{ prompt: [1, 2, 3], seed: 1 }], { maxNewTokens: 60 })
  expect(alone).toEqual(texts[0])
  const chat = [{ role: 'user' as const, content: '1 2 3' }]
  expect(await generate(model, chat, options)).toEqual(texts)
})

test('the query of the address goes into every request', async () => {
  const model = await loadModel(`${server.url}/v1?watermarking=false#toy`)
  const [text] = await generate(model, '1 2 3', { maxNewTokens: 200, seed: 1 })
  expect(detect(gumbel(), text!.tokens, { key, vocabSize: 50 }).pValue).toBeGreaterThan(1e-9)
})

test('what a server cannot give is a clear error', async () => {
  const model = await loadModel(url)
  await expect(generate(model, '1', { watermark: gumbel(), key: 'k' })).rejects.toThrow(
    'watermark: expected none: toy is behind a server, which marks its own texts',
  )
  await expect(model.begin([[1]])).rejects.toThrow('it gives no logits for one of yours')
  await expect(model.logLikelihood([])).rejects.toThrow('it gives no logits')
  await expect(generate(model, '1', { stopTokens: [3] })).rejects.toThrow(
    'the server decides what ends a text',
  )
  await expect(loadModel(`${server.url}/v1#toi`)).rejects.toThrow(
    `model: expected one that ${server.url}/v1 serves: toy, got 'toi'; did you mean 'toy'?`,
  )
  await expect(generate(model, '1', { maxNewTokens: 5000 })).rejects.toThrow(
    /status 400: max_tokens: expected at most 4096/,
  )
})

/** A server that answers with what a list says, one entry per request for texts. */
async function scripted(answers: ((attempt: number) => [number, unknown, 'cut'?])[]): Promise<string> {
  let asked = 0
  const fake: Server = createServer((request, response) => {
    request.resume()
    if (request.url === '/v1/models') {
      response.end(JSON.stringify({ data: [{ id: 'm' }] }))
      return
    }
    const [status, body, cut] = answers[Math.min(asked, answers.length - 1)]!(asked++)
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '2000' })
    if (cut) response.write('{"choices": [', () => response.destroy())
    else response.end(JSON.stringify(body).padEnd(2000))
  })
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    fake.close()
    fake.closeAllConnections()
  })
  return `http://127.0.0.1:${(fake.address() as AddressInfo).port}/v1#m`
}

const error = (message: string) => ({ error: { message } })
const choice = { text: 'a b', finish_reason: 'stop', token_ids: [1, 2] }

test('a busy, failing or cut answer is asked for again', async () => {
  const address = await scripted([
    () => [429, error('busy')],
    () => [503, error('starting')],
    () => [200, null, 'cut'],
    () => [200, { choices: [choice] }],
  ])
  const [text] = await generate(await loadModel(address), 'x')
  expect(text).toMatchObject({ text: 'a b', tokens: [1, 2], finish: 'stop', prompt: [] })
})

test('a field that a server does not know is left out; without token ids the tokenizer is asked for', async () => {
  const address = await scripted([
    () => [400, error('Unrecognized request argument supplied: return_token_ids')],
    () => [200, { choices: [{ text: 'a b', finish_reason: 'stop' }] }],
  ])
  await expect(generate(await loadModel(address), 'x')).rejects.toThrow(
    'the answer has no token_ids; give the',
  )
  const known = await loadModel(address, { tokenizer: 'embedded' })
  const [text] = await generate(known, 'x')
  expect(text!.tokens).toEqual(known.tokenizer.encode('a b'))
})

test('another tokenizer is noticed, and a vocabulary that nobody states is asked for', async () => {
  const address = await scripted([() => [200, { choices: [choice] }]])
  const known = await loadModel(address, { tokenizer: 'embedded' })
  await expect(generate(known, 'x')).rejects.toThrow(
    'another tokenizer: the token ids of a text decode to another',
  )
  const large = await scripted([() => [200, { choices: [{ ...choice, token_ids: [1, 999_999] }] }]])
  await expect(generate(await loadModel(large, { tokenizer: 'embedded' }), 'x')).rejects.toThrow(
    /another tokenizer: token id 999999 in a vocabulary of \d+/,
  )
  expect(() => known.vocabSize).not.toThrow()
  const unknown = await loadModel(address)
  expect(() => unknown.vocabSize).toThrow('the server does not say its tokenizer')
  const none = await scripted([() => [200, { choices: [] }]])
  await expect(generate(await loadModel(none), 'x')).rejects.toThrow(
    'malformed answer: no choice with a text',
  )
})

test('a model that thinks: the ids cover what it thought, the text may not', async () => {
  const known = await loadModel('embedded')
  const ids = Array.from(known.tokenizer.encode('I think so. Yes.'))
  const thought = {
    finish_reason: 'length',
    token_ids: ids,
    message: { content: null, reasoning: 'I think so.' },
  }
  const said = {
    finish_reason: 'stop',
    token_ids: ids,
    message: { content: 'Yes.', reasoning: 'I think so.' },
  }
  const silent = { finish_reason: 'length', token_ids: ids, message: { content: null } }
  const address = await scripted([thought, said, silent].map((one) => () => [200, { choices: [one] }]))
  const model = await loadModel(address, { tokenizer: 'embedded' })
  const texts = await generate(model, 'x', { count: 3, batchSize: 1 })
  expect(texts.map(({ text }) => text)).toEqual(['I think so.', 'Yes.', ''])
  for (const { tokens } of texts) expect(tokens).toEqual(ids)
})

test('generate, eval and audit-model take texts from a server; bench says why it does not', async () => {
  const [prompts, marked, plain] = ['prompts.txt', 'marked.jsonl', 'plain.jsonl'].map((name) =>
    join(folder, name),
  )
  const secret = join(folder, 'key')
  writeFileSync(prompts!, '1 2 3\n4 5 6\n7 8 9\n')
  writeFileSync(secret, key)
  const off = `${server.url}/v1?watermarking=false#toy`
  const written = ['generate', '--prompts', prompts!, '--count', '4', '--max-tokens', '60']
  const first = await inProcess([
    ...written,
    '--model',
    url,
    '--server-watermark',
    'gumbel',
    '--out',
    marked!,
  ])
  expect([first.status, first.stderr]).toEqual([0, `wrote 12 texts to ${marked}\n`])
  expect((await inProcess([...written, '--model', off, '--out', plain!])).status).toBe(0)
  const evaluated = await inProcess(['eval', marked!, plain!, '--key-file', secret, '--out', folder])
  expect(evaluated.status).toBe(0)
  expect(evaluated.stdout).toMatch(/gumbel/)
  const own = await inProcess([...written, '--model', url, '--watermark', 'gumbel', '--key-file', secret])
  expect(own.stderr).toBe(
    "uwbench: --watermark: a server marks its own texts; give --server-watermark 'gumbel' if it has this watermark\n",
  )
  const audit = ['audit-model', '--reference', off, '--prompts', prompts!, '--max-tokens', '30', '--json']
  const drift = await inProcess([...audit, '--suspect', url, '--count', '10'])
  expect(JSON.parse(drift.stdout)).toMatchObject({ prompts: 3, generations: 5, drift: drift.status === 0 })
  const bench = await inProcess(['bench', '--model', url, '--data', prompts!])
  expect(bench.status).not.toBe(0)
  expect(bench.stderr).toMatch(/write the texts of a server with uwbench generate --model URL/)
})
