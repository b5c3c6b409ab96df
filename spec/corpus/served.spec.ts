import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSource, textOfEntry } from '../../src/text/corpus/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-served-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function textsIn(name: string, content: string, packed = false): Promise<unknown[]> {
  const file = join(folder, name)
  writeFileSync(file, content)
  const source = await openSource(file)
  expect(source.single).toBe(false)
  const texts: unknown[] = []
  for await (const entry of source.entries(packed)) texts.push(textOfEntry(entry))
  return texts
}

const completion = {
  id: 'a',
  choices: [
    { index: 0, text: 'one' },
    { index: 1, text: 'two', token_ids: [4, 5] },
  ],
}
const chat = { id: 'b', choices: [{ index: 0, message: { role: 'assistant', content: 'three' } }] }

test('reads completions and chats, one text per choice', async () => {
  const lines = [completion, chat, { id: 'c', request: {}, response: chat }, { text: 'four' }]
  const content = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  for (const packed of [false, true])
    expect(await textsIn('a.jsonl', content, packed)).toEqual(['one', [4, 5], 'three', 'three', 'four'])
  expect(await textsIn('a.json', JSON.stringify(completion, null, 2))).toEqual(['one', [4, 5]])
  expect(await textsIn('b.json', JSON.stringify([chat, completion]))).toEqual(['three', 'one', [4, 5]])
})

test('reads streams that were saved as lines', async () => {
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
  const piece = (id: string, index: number, said: object) => event({ id, choices: [{ index, ...said }] })
  const content = [
    piece('x', 0, { delta: { role: 'assistant', content: '' } }),
    piece('x', 0, { delta: { content: 'He' } }),
    piece('x', 1, { delta: { content: 'Ho' } }),
    piece('x', 0, { delta: { content: 'llo' }, finish_reason: 'stop' }),
    event({ id: 'x', choices: [], usage: {} }),
    'data: [DONE]\n\n: a comment\n',
    piece('y', 0, { text: 'a', token_ids: [7] }),
    piece('y', 0, { text: 'b', token_ids: [8, 9] }),
    piece('z', 0, { text: 'cut' }),
  ].join('')
  expect(await textsIn('stream.txt', content)).toEqual(['Hello', 'Ho', [7, 8, 9], 'cut'])
})

test('reads streams of other servers: comments first, names of events, no blanks, Windows line ends', async () => {
  const piece = (said: object) => `data:${JSON.stringify({ id: 'x', choices: [{ index: 0, ...said }] })}`
  const lines = [': PROCESSING', '', 'event: message', piece({ text: 'He' }), '', piece({ text: 'llo' }), '']
  for (const end of ['\n', '\r\n'])
    expect(await textsIn('other', [...lines, 'data:[DONE]', ''].join(end))).toEqual(['Hello'])
})

test('token ids of a stream count only if each piece of text came with some', async () => {
  const piece = (said: object) => `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, ...said }] })}\n`
  const [first, rest] = [piece({ text: 'a' }), piece({ text: 'b', token_ids: [8] })]
  expect(await textsIn('some', first + rest)).toEqual(['ab'])
  expect(await textsIn('all', piece({ text: '', token_ids: [7] }) + rest)).toEqual([[7, 8]])
})

test('keeps pieces with the line breaks that JSON leaves as they are', async () => {
  const piece = { id: 'x', choices: [{ index: 0, text: 'a\u2028b\u2029c', token_ids: [5] }] }
  expect(await textsIn('breaks', `data: ${JSON.stringify(piece)}\n`)).toEqual([[5]])
})

test('names the line of an event that is not JSON', async () => {
  await expect(textsIn('broken', 'data: {"id": 1}\ndata: {"id"\n')).rejects.toThrow(
    /broken, line 2: not JSON/,
  )
})
