/** The server fails in the ways that servers fail. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkServer, ServerFailure, type ServerUnderTest } from '../../src/gate/server/entry.ts'
import { gumbel, ngram } from '../../src/index.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import { inProcess } from '../commands/in-process.ts'
import { temporaryFolder } from '../commands/program.ts'
import { withFault } from '../faults.ts'
import { fakeServer, KEY } from './fake.ts'

const folder = temporaryFolder('server')
const fake = fakeServer()
let url = ''
let server: Server
let asked = 0
/** Answers request number n in another way; undefined: as it should. */
let disturb: (n: number, response: ServerResponse, answer: object) => boolean = () => false

beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.url === '/v1/models') return void response.end(JSON.stringify({ data: [{ id: 'toy' }] }))
    let body = ''
    for await (const part of request) body += part
    const n = asked++
    const answer = await fake.complete(JSON.parse(body))
    if (!disturb(n, response, answer)) response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => server.close())
beforeEach(() => {
  asked = 0
  disturb = () => false
})

const small = { model: 'toy', requests: 48, maxTokens: 4, concurrency: 4, context: 4 }
const run = (own: Partial<ServerUnderTest> = {}, retries = 3) =>
  checkServer({ url, ...small, ...own }, { retries, timeout: 2 })

test('429, 5xx, cut and malformed answers are asked for again', async () => {
  disturb = (n, response, answer) => {
    if (n === 3) response.writeHead(429, { 'retry-after': '0.01' }).end('{"error":{"message":"slow down"}}')
    else if (n === 5) response.writeHead(503).end('busy')
    else if (n === 7) response.end(JSON.stringify(answer).slice(0, 50))
    else if (n === 9) response.destroy()
    else return false
    return true
  }
  expect((await run()).map(({ verdict }) => verdict)).not.toContain('fails')
})

test('one clear line says what is wrong', async () => {
  disturb = (n, response) =>
    n > 9 && Boolean(response.writeHead(500).end('{"error":{"message":"out of memory"}}'))
  await expect(run({}, 1)).rejects.toThrow(/status 500: out of memory \(2 attempts\)$/)
  await expect(run({}, 1)).rejects.toBeInstanceOf(ServerFailure)
  disturb = (_, response) => Boolean(response.writeHead(401).end('{"error":{"message":"no token"}}'))
  await expect(run()).rejects.toThrow(/status 401: no token$/)
  disturb = (_, response) => Boolean(response.end('{"choices":[]}'))
  await expect(run()).rejects.toThrow(/malformed answer: expected a list `choices`, found none$/)
  disturb = () => true // no answer at all
  const late = checkServer({ url, ...small }, { retries: 0, timeout: 0.2 })
  await expect(late).rejects.toThrow(/no answer within 0.2 s \(1 attempt\)$/)
  await expect(run({ model: 'toi' })).rejects.toThrow(
    /^model: expected one that .* serves: toy, got 'toi'; did you mean 'toy'\?$/,
  )
  await expect(run({ url: 'http://127.0.0.1:59999' }, 0)).rejects.toThrow(
    /^http:\/\/127.0.0.1:59999\/v1\/models: .*ECONNREFUSED/,
  )
})

test('without logprobs and ids, only texts are compared', async () => {
  disturb = (_, response, answer) => {
    const { choices } = answer as { choices: { text: string; index: number; finish_reason: string }[] }
    const plain = choices.map(({ text, index, finish_reason }) => ({ text, index, finish_reason }))
    return Boolean(response.end(JSON.stringify({ choices: plain })))
  }
  const results = await run({ requests: 40 })
  expect(results.map(({ verdict }) => verdict)).toEqual([
    'not applicable',
    'holds',
    expect.any(String),
    'holds',
    'not applicable',
  ])
  expect(results[0]!.detail).toContain('returns no probabilities')
  const secret = { watermark: gumbel({ context: ngram(4) }), key: KEY, vocabSize: 600 }
  const { tokenizer } = markovModel()
  const [, , , , detection] = await run({ requests: 80, maxTokens: 30, tokenizer, ...secret })
  expect(detection).toMatchObject({
    verdict: 'holds',
    detail: expect.stringContaining('by the tokenizer given'),
  })
})

test('an interrupted run resumes from its file and asks for nothing twice', async () => {
  const out = join(folder, 'answers.jsonl')
  disturb = (n, response) => n >= 12 && Boolean(response.writeHead(400).end('{"error":{"message":"gone"}}'))
  await expect(run({ out })).rejects.toThrow(
    /answers are in .*answers.jsonl, run the same command again to resume$/,
  )
  const saved = readFileSync(out, 'utf8').trimEnd().split('\n').length
  expect(saved).toBe(12)
  appendFileSync(out, '{"id":"pair/99/on","req') // the process died while it wrote
  disturb = () => false
  asked = 0
  const results = await run({ out })
  const total = readFileSync(out, 'utf8').trimEnd().split('\n').length
  expect(asked).toBe(total - 12)
  asked = 0
  expect(await run({ out })).toEqual(results)
  expect(asked).toBe(0)
  // the last line may lack its end
  writeFileSync(out, readFileSync(out, 'utf8').trimEnd())
  expect(await run({ out })).toEqual(results)
  expect(asked).toBe(0)
})

test.each([
  ['a record of another kind', '{"text":"mine"}\n'],
  ['notes without a line end', 'my notes'],
  ['JSON without a line end', '{"text":"mine"'],
  ['notes behind an answer', '{"id":"pair/0/on","request":{},"response":{}}\nmy notes'],
])('a file of answers that holds %s: refused, and unchanged', async (_, content) => {
  const out = join(folder, 'mine.jsonl')
  writeFileSync(out, content)
  await expect(run({ out })).rejects.toThrow(/mine.jsonl, line \d: expected an answer/)
  expect(readFileSync(out, 'utf8')).toBe(content)
})

test('a full disk: one line, and what was answered before is kept', async () => {
  const out = join(folder, 'full.jsonl')
  await run({ out })
  const kept = readFileSync(out, 'utf8').split('\n').slice(0, 10)
  writeFileSync(out, `${kept.join('\n')}\n`)
  const { value } = await withFault(() => run({ out }).catch(({ message }) => message), 'full inside', 1)
  expect(value).toMatch(/^[^\n]*full.jsonl: cannot write \(ENOSPC[^\n]*$/)
  asked = 0
  await run({ out })
  const lines = readFileSync(out, 'utf8').trimEnd().split('\n')
  expect(lines.slice(0, 10)).toEqual(kept)
  expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(lines.length)
})

test('uwbench check --server: table, JSON, files, exit codes', async () => {
  const put = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const prompts = put(
    'prompts.txt',
    Array.from({ length: 30 }, (_, i) => `prompt number ${i} of this ${i} file`).join('\n'),
  )
  const [junit, summary, out] = ['j.xml', 's.md', 'o.jsonl'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const base = [
    'check',
    '--server',
    url,
    '--model',
    'toy',
    '--requests',
    '20',
    '--max-tokens',
    '4',
    '--context',
    '4',
  ]
  const files = ['--prompts', prompts, '--junit', junit, '--summary', summary, '--out', out]
  const mark = [
    '--watermark',
    'gumbel(context=ngram(4))',
    '--key-file',
    put('key', KEY),
    '--vocab-size',
    '600',
  ]
  const { status, stdout, stderr } = await inProcess([...base, ...files, ...mark])
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(stdout).toMatch(
    /^toy at http.*\n {2}holds +tokens follow the server's probabilities +sampled with \d+ requests, \d+ tokens: no/,
  )
  expect(stdout).toContain('too few requests to repeat one alone')
  expect(readFileSync(junit, 'utf8')).toContain('name="batching changes nothing"')
  expect(readFileSync(summary, 'utf8')).toContain('texts with and without the mark agree')
  const again = await inProcess([...base, '--prompts', prompts, '--out', out, '--json', ...mark])
  expect(JSON.parse(again.stdout).results).toHaveLength(5)
  const detected = await inProcess(['detect', out, ...mark, '--summary'])
  expect(detected.stdout).toMatch(/^detected \d+ of \d+ texts/)
  const wrong = async (...args: string[]) => {
    const { status, stderr } = await inProcess(args)
    return `${status} ${stderr.trim()}`
  }
  expect(await wrong('check', '--server', url)).toMatch(/^2 uwbench: --server needs --model NAME/)
  expect(await wrong(...base, '--off', 'no')).toMatch(/^2 uwbench: --off: expected fields as JSON/)
  expect(await wrong(...base, '--effort', 'quick')).toMatch(/^2 uwbench: --effort: not with --server/)
  expect(await wrong('check', 'gumbel', '--requests', '20')).toMatch(
    /^2 uwbench: --requests: only with --server/,
  )
  disturb = (_, response) => Boolean(response.writeHead(403).end('no'))
  expect(await wrong(...base)).toMatch(/^3 uwbench: .*status 403: no$/)
})

test('uwbench calibrate: realised false positives, by length, with the remedy', async () => {
  const tokens = (seed: number, n: number) =>
    Array.from({ length: n }, (_, t) => (seed * 7919 + t * t * 31 + ((seed * t) % 97)) % 600)
  const file = join(folder, 'unmarked.jsonl')
  writeFileSync(
    file,
    Array.from({ length: 300 }, (_, i) => `${JSON.stringify({ tokens: tokens(i, 40 + (i % 90)) })}\n`).join(
      '',
    ),
  )
  const args = ['calibrate', file, '--watermark', 'gumbel', '--key', KEY, '--vocab-size', '600']
  const { status, stdout } = await inProcess(args)
  expect(stdout).toMatch(/of 300 unmarked texts detected at 0.01, (as|more than) promised/)
  expect(stdout).toMatch(/\d% of contexts recur in another text/)
  expect(stdout).toContain('without contexts of other texts')
  expect(stdout).toContain('50 to 99 tokens')
  expect([0, 1]).toContain(status)
  const json = JSON.parse((await inProcess([...args, '--json'])).stdout)
  expect(json).toMatchObject({ texts: 300, tables: [{ id: 'plain' }, { id: 'alone' }] })
  expect((await inProcess(['calibrate', '--watermark', 'gumbel', '--key', KEY])).stderr).toContain('no texts')
})
