/** Answers in the shapes of different servers. */
import { expect, test } from 'vitest'
import { completionsOf } from '../../src/gate/server/answer.ts'
import { ServerFailure } from '../../src/text/models/index.ts'

const one = (choice: object, more = {}, top = 2) => completionsOf({ choices: [choice], ...more }, top)[0]!
const [half, quarter] = [Math.log(0.5), Math.log(0.25)]
const close = (steps: readonly { readonly p: readonly number[] }[] | undefined) =>
  steps?.map(({ p }) => p.map((x) => Math.round(1000 * x) / 1000))

test('vLLM: names that are ids, one more entry where the drawn token is not among the most likely', () => {
  const logprobs = {
    tokens: ['token_id:7', 'token_id:9'],
    token_logprobs: [half, -9],
    top_logprobs: [
      { 'token_id:7': half, 'token_id:8': quarter },
      { 'token_id:9': -9, 'token_id:8': quarter, 'token_id:7': half },
    ],
    text_offset: [0, 1],
  }
  const found = one({ text: 'ab', logprobs, token_ids: [7, 9], prompt_token_ids: [1], finish_reason: 'stop' })
  expect(found).toMatchObject({ tokens: [7, 9], idsFrom: 'ids', promptIds: [1], finish: 'stop' })
  expect(found.steps!.map(({ ids }) => ids)).toEqual([
    [7, 8],
    [7, 8],
  ])
  expect(close(found.steps)).toEqual([
    [0.5, 0.25],
    [0.5, 0.25],
  ])
})

test('vLLM: at a tie the drawn token does not displace the one that was not drawn', () => {
  const top_logprobs = [{ 'token_id:9': quarter, 'token_id:8': half, 'token_id:7': quarter }]
  const logprobs = { tokens: ['token_id:9'], token_logprobs: [quarter], top_logprobs }
  expect(one({ text: 'a', logprobs }).steps![0]!.ids).toEqual([8, 7])
})

test("vLLM's chats: what is kept is the same whatever was drawn, also at ties", () => {
  const p = new Map([
    ['a', 0.4],
    ['b', 0.2],
    ['c', 0.15],
    ['d', 0.15],
    ['e', 0.06],
    ['f', 0.04],
  ])
  const kept = Array.from(p.keys(), (drawn) => {
    const best = [...p.keys()].slice(0, 4)
    const listed = [drawn, ...best.filter((token) => token !== drawn)].slice(0, 4)
    const top_logprobs = listed.map((token) => ({ token, logprob: Math.log(p.get(token)!) }))
    const content = [{ token: drawn, logprob: Math.log(p.get(drawn)!), top_logprobs }]
    return close(one({ message: { content: drawn }, logprobs: { content } }, {}, 4).steps)
  })
  for (const steps of kept) expect(steps).toEqual([[0.4, 0.2]])
})

test('token ids are known also where the server names the tokens of its probabilities by text', () => {
  const logprobs = {
    tokens: ['a', 'b'],
    token_logprobs: [half, half],
    top_logprobs: [{ a: half }, { b: half }],
  }
  const found = one({ text: 'ab', token_ids: [7, 9], prompt_token_ids: [1], logprobs })
  expect(found).toMatchObject({ ids: [7, 9], promptIds: [1], idsFrom: 'logprobs' })
  expect(found.steps).toHaveLength(2)
})

test('llama.cpp: ids stand beside the names, which may be equal', () => {
  const entry = (id: number, logprob: number) => ({ id, token: '\ufffd', bytes: [1], logprob })
  const content = [{ ...entry(7, half), top_logprobs: [entry(7, half), entry(8, quarter)] }]
  for (const said of [{ text: 'a' }, { message: { content: 'a' } }]) {
    const found = one({ ...said, logprobs: { content }, finish_reason: 'length' }, {}, 5)
    expect(found).toMatchObject({ tokens: [7], idsFrom: 'logprobs' })
    expect(found.steps![0]!.ids).toEqual([7, 8])
  }
})

test('OpenAI and SGLang: names alone; fields in any order', () => {
  const entry = (token: string, logprob: number) => ({ bytes: null, logprob, token })
  const content = [{ top_logprobs: [entry('b', quarter), entry('a', half)], ...entry('a', half) }]
  const chat = one({ logprobs: { refusal: null, content }, message: { content: 'a' } }, {}, 5)
  const top_logprobs = [{ b: quarter, a: half }]
  const text = one({ logprobs: { top_logprobs, token_logprobs: [half], tokens: ['a'] }, text: 'a' })
  for (const { tokens, steps, idsFrom } of [chat, text]) {
    expect(idsFrom).toBe('logprobs')
    expect(steps![0]!.ids[0]).toBe(tokens[0])
    expect(close(steps)).toEqual([[0.5, 0.25]])
  }
})

test('null is the logarithm of 0: JSON has no -Infinity', () => {
  const top_logprobs = [{ a: half, b: quarter, c: null }]
  const found = one({ text: 'c', logprobs: { tokens: ['c'], token_logprobs: [null], top_logprobs } })
  expect(close(found.steps)).toEqual([[0.5, 0.25]])
  expect(found.steps![0]!.ids).not.toContain(found.tokens[0])
  expect(found.logprobs).toBeUndefined()
})

test('a text that ended while the model was thinking', () => {
  const message = { content: null, reasoning_content: 'so far' }
  const other = { content: null, reasoning: 'so far' }
  for (const said of [message, other])
    expect(one({ message: said, finish_reason: 'length' })).toMatchObject({
      text: 'so far',
      finish: 'length',
    })
})

test.each<[string, object]>([
  ['no lists', { tokens: 'a', top_logprobs: 7 }],
  ['values that are no logarithms', { tokens: ['a'], token_logprobs: [{}], top_logprobs: [{ a: true }] }],
  ['words', { content: [{ token: 'a', logprob: 'NaN', top_logprobs: [{ token: 'a', logprob: 'x' }] }] }],
  ['probabilities above 1', { tokens: ['a'], token_logprobs: [3], top_logprobs: [{ a: 3 }] }],
  ['an empty list', { content: [] }],
])('logprobs that are none (%s): a text without probabilities', (_, logprobs) => {
  const found = one({ text: 'a', logprobs })
  expect([found.text, found.steps]).toEqual(['a', undefined])
})

test.each<[string, unknown]>([
  ['nothing', null],
  ['no choices', { choices: {} }],
  ['a choice that is null', { choices: [null] }],
  ['no text', { choices: [{ message: {} }] }],
  ['an entry that is null', { choices: [{ text: 'a', logprobs: { content: [null] } }] }],
  ['a list that is a word', { choices: [{ text: 'a', logprobs: { content: [{ top_logprobs: 7 }] } }] }],
])('malformed (%s): a failure of the server, in one line', (_, answer) => {
  expect(() => completionsOf(answer, 2)).toThrow(ServerFailure)
  expect(() => completionsOf(answer, 2)).toThrow(/^malformed answer: [^\n]*$/)
})
