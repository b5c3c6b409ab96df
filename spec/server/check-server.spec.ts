import { afterEach, expect, test, vi } from 'vitest'
import type { LawResult } from '../../src/gate/laws/entry.ts'
import { checkServer, type ServerUnderTest } from '../../src/gate/server/entry.ts'
import { gumbel, kgw, ngram, synthid } from '../../src/index.ts'
import { type FakeOptions, fakeServer, KEY } from './fake.ts'

afterEach(() => vi.unstubAllGlobals())

const context = ngram(4)

async function check(fake: FakeOptions, own: Partial<ServerUnderTest> = {}): Promise<LawResult[]> {
  vi.stubGlobal('fetch', fakeServer(fake).fetch)
  return checkServer({
    url: 'http://127.0.0.1:1',
    model: 'toy',
    requests: 80,
    maxTokens: 50,
    context: 4,
    ...own,
  })
}

const [tokens, texts, batching, repeated, detection] = [0, 1, 2, 3, 4] as const

test('a correct server passes, with the evidence that was spent', async () => {
  const watermark = gumbel({ context })
  const results = await check(
    { watermark },
    { watermark, key: KEY, vocabSize: 600, requests: 200, maxTokens: 60 },
  )
  expect(results.map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'holds', 'holds', 'holds'])
  expect(results[tokens]!.evidence).toMatchObject({ kind: 'sampled', falseAlarm: 2.5e-10, miss: 1e-3 })
  for (const { evidence } of results) expect(evidence).toHaveProperty('spent.tokens', expect.any(Number))
  expect(results[detection]!.detail).toMatch(/detected at 1%.*False positives of this key/)
  expect(results[repeated]!.detail).toMatch(/Theorem 1.*no failure/)
})

test('refuses a top-k that comes after the mark', async () => {
  expect(
    (await check({ mistake: 'top-k after the mark' }, { requests: 150, maxTokens: 100 }))[tokens]!.verdict,
  ).toBe('fails')
})
test('refuses contexts that include the padding of a batch', async () => {
  const results = await check({ mistake: 'padding in contexts' }, { requests: 1024, maxTokens: 8 })
  expect(results[batching]).toMatchObject({
    verdict: 'fails',
    detail: expect.stringContaining('in a crowd of'),
  })
})

test('says that raw logprobs do not describe sampling at another temperature', async () => {
  const sampling = [{ temperature: 0.7 }]
  const results = await check({ raw: true }, { sampling })
  expect(results[tokens]).toMatchObject({
    verdict: 'not applicable',
    detail: expect.stringMatching(
      /do not describe its own unmarked sampling.*drawn 0\.\d+ (more|less) often/,
    ),
  })
})

test('says that logprobs are those after the mark', async () => {
  const results = await check({ marked: true, watermark: kgw({ delta: 4, context }) })
  expect(results[tokens]).toMatchObject({
    verdict: 'not applicable',
    detail: expect.stringContaining('those after the mark'),
  })
})

test('a wrong key is not applicable, not a failure', async () => {
  const watermark = gumbel({ context })
  const results = await check({ watermark }, { watermark, key: 'another key of sixteen', vocabSize: 600 })
  expect(results[detection]).toMatchObject({
    verdict: 'not applicable',
    detail: expect.stringContaining('check key'),
  })
})

test('pairs of texts can be tested at a level of your choice', async () => {
  vi.stubGlobal('fetch', fakeServer({ watermark: synthid({ context }) }).fetch)
  const server = { url: 'http://127.0.0.1:1', model: 'toy', requests: 60, maxTokens: 20, context: 4 }
  const results = await checkServer(server, { pairAlarm: 1e-3 })
  expect(results[texts]!.detail).toMatch(/by sign flips over all features.*the null is approximate/)
  expect(results[texts]!.evidence).toMatchObject({ falseAlarm: 1e-3 })
})

test('greedy texts are equal with the mark and without, and hold', async () => {
  const results = await check({}, { sampling: [{ temperature: 0 }] })
  expect(results.map(({ verdict }) => verdict)).not.toContain('fails')
  expect(results[texts]).toMatchObject({ verdict: 'holds', detail: expect.stringContaining('p = 1 by') })
  const raw = await check({ raw: true }, { sampling: [{ temperature: 0 }] })
  expect(raw.map(({ verdict }) => verdict)).not.toContain('fails')
})

test('a server that ends before the first token is no error', async () => {
  const { complete } = fakeServer()
  const empty = { text: '', token_ids: [], finish_reason: 'stop', prompt_token_ids: [1] }
  const nothing = { ...empty, logprobs: { tokens: [], token_logprobs: [], top_logprobs: [] } }
  let asked = 0
  const fetch = async (url: string, init: { body?: string } = {}): Promise<Response> => {
    if (url.endsWith('/models')) return Response.json({ data: [{ id: 'toy' }] })
    const body = JSON.parse(init.body!)
    const answer = (await complete(body)) as { choices: unknown[] }
    if (asked++ % 2 === 0) answer.choices = answer.choices.map((_, index) => ({ index, ...nothing }))
    return Response.json(answer)
  }
  vi.stubGlobal('fetch', fetch)
  const server = { url: 'http://127.0.0.1:1', model: 'toy', requests: 80, maxTokens: 20, context: 4 }
  const results = await checkServer(server)
  expect(results).toHaveLength(5)
})

test('a run without time for a pair of texts says so', async () => {
  const results = await check({}, { minutes: 0 })
  expect(results[texts]).toMatchObject({
    verdict: 'not applicable',
    detail: expect.stringContaining('no pair'),
  })
  expect(results.map(({ verdict }) => verdict)).not.toContain('fails')
})

test('refuses what it cannot use, by name', async () => {
  const wrong = (own: object) =>
    checkServer({ url: 'http://127.0.0.1:1', model: 'toy', ...own } as ServerUnderTest)
  await expect(wrong({ url: 'localhost' })).rejects.toThrow(/^url: expected the address of a server/)
  await expect(wrong({ requests: 3 })).rejects.toThrow(/^requests: expected an integer/)
  await expect(wrong({ key: 'k' })).rejects.toThrow(/^watermark: expected one to go with `key`/)
  await expect(wrong({ off: {}, reference: 'http://127.0.0.1:2' })).rejects.toThrow(
    /^reference: expected only one/,
  )
  await expect(wrong({ prompts: [] })).rejects.toThrow(/^prompts: expected at least one/)
  await expect(wrong({ modle: 1 })).rejects.toThrow(/modle/)
})
