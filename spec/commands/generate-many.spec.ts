import { existsSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inProcess } from './in-process.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('prompts')
const KEY = 'a secret that nobody guesses'
const at = (name: string): string => join(folder, name)
const put = (name: string, content: string): string => {
  writeFileSync(at(name), content)
  return at(name)
}
const prompts = put(
  'prompts.jsonl',
  ['The whale', 'It was', 'Call me']
    .map((prompt, i) => `${JSON.stringify({ id: `p${i}`, prompt, reference: 'a text', key: KEY })}\n`)
    .join(''),
)
const generate = (...args: string[]) =>
  inProcess(['generate', '-w', 'gumbel', '--key', KEY, '--max-tokens', '12', ...args])
interface Row {
  id: string
  tokens: number[]
  logprobs: number[]
  entropy: number[]
  [key: string]: unknown
}
const rowsOf = (name: string): Row[] =>
  readFileSync(at(name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)

test('a record for each text: ids, entropy and log-probability of each token, columns of the prompt, never the key', async () => {
  const args = ['--prompts', prompts, '--count', '2', '--batch', '4', '--seed', '7', '--out', at('a.jsonl')]
  const { status, stderr } = await generate(...args)
  expect(stderr).toBe(`wrote 6 texts to ${at('a.jsonl')}\n`)
  expect(status).toBe(0)
  const rows = rowsOf('a.jsonl')
  expect(rows.map(({ id }) => id)).toEqual(['p0/1', 'p0/2', 'p1/1', 'p1/2', 'p2/1', 'p2/2'])
  for (const { tokens, logprobs, entropy, ...row } of rows) {
    expect(row).toMatchObject({
      watermark: 'gumbel',
      model: 'uwbench-lm',
      vocabSize: 4096,
      maxTokens: 12,
      seed: '7',
    })
    expect(row.reference).toBe('a text')
    expect([logprobs.length, entropy.length]).toEqual([tokens.length, tokens.length])
    for (const x of logprobs) expect(x).toBeLessThanOrEqual(0)
    for (const x of entropy) expect(x).toBeGreaterThanOrEqual(0)
  }
  expect(readFileSync(at('a.jsonl'), 'utf8')).not.toContain('nobody guesses')

  // detect reads it as it is
  const detected = await inProcess(['detect', at('a.jsonl'), '--key', KEY, '--summary'])
  expect(detected.stdout).toMatch(/^detected [56] of 6 texts/)

  // a run that was cut anywhere resumes, and gives the same file
  const whole = readFileSync(at('a.jsonl'), 'utf8')
  for (const size of [0, 10, whole.indexOf('\n') + 1, whole.length - 5]) {
    put('b.jsonl', whole)
    truncateSync(at('b.jsonl'), size)
    const had = whole.slice(0, size).split('\n').length - 1
    const again = await generate(
      ...args.slice(0, -4),
      ...(had > 0 ? [] : ['--seed', '7']),
      '--out',
      at('b.jsonl'),
    )
    expect(again.stderr).toContain(`wrote ${6 - had} texts`)
    expect(rowsOf('b.jsonl').map(({ tokens }) => tokens)).toEqual(rows.map(({ tokens }) => tokens))
  }

  // texts of other settings are not added to it
  const other = await generate(...args.slice(0, -1), at('a.jsonl'), '--temperature', '0.5')
  expect(other.stderr).toContain('was written with temperature 1, this run has 0.5; give another --out')
  expect(other.status).toBe(2)
})

test('lines of a text file, without --out to standard output, the first of them with --limit', async () => {
  const lines = put('prompts.txt', 'The whale\n\nIt was\nCall me\n')
  const { status, stdout } = await generate('--prompts', lines, '--limit', '2')
  expect(status).toBe(0)
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
  expect(rows.map(({ id, prompt }) => [id, prompt])).toEqual([
    ['1', 'The whale'],
    ['2', 'It was'],
  ])
})

test.each<[string, string[], string]>([
  ['a prompt besides', ['The', '--prompts', prompts], 'one prompt, or many with --prompts'],
  ['--count alone', ['The', '--count', '2'], '--count needs --prompts FILE'],
  [
    'no such column',
    ['--prompts', prompts, '--field', 'promt'],
    "expected a column 'promt', found the columns",
  ],
  [
    'ids twice',
    ['--prompts', put('twice.jsonl', '{"id":1,"prompt":"a"}\n{"id":1,"prompt":"b"}')],
    'unique ids',
  ],
  ['an empty prompt', ['--prompts', put('none.jsonl', '{"prompt":""}')], 'expected a prompt'],
  ['no prompts', ['--prompts', put('empty.jsonl', '')], 'expected prompts, found none'],
  [
    'other content in --out',
    ['--prompts', prompts, '--out', put('prose', 'Call me\n')],
    'expected a record of an earlier run',
  ],
  ['too many tokens', ['The', '--max-tokens=9000'], "option '--max-tokens' is given twice"],
])('%s: one line, exit code 2', async (_, args, message) => {
  const { status, stderr } = await generate(...args)
  expect(stderr).toContain(message)
  expect(stderr).toMatch(/^uwbench: [^\n]+\n$/)
  expect(status).toBe(2)
})

test('limits of the model are named by their option', async () => {
  const { stderr } = await inProcess(['generate', 'The whale', '--max-tokens', '9000'])
  expect(stderr).toMatch(
    /^uwbench: --max-tokens: expected at most \d+ after a prompt of \d+ tokens, got 9000\n$/,
  )
})

describe('a file that exists', () => {
  const lines = put('three.txt', 'The whale\nIt was\nCall me\n')
  const write = (out: string, ...args: string[]) =>
    generate('--prompts', lines, '--seed', '1', '--out', at(out), ...args)

  test.each([
    ['notes without a line end', 'my notes'],
    ['notes after an empty line', '\nmy notes'],
    ['JSON of another kind', '{"name":"x"}'],
    ['JSON Lines of another kind', '{"id":1,"prompt":"The whale"}\n'],
    ['the beginning of other JSON', '{"id":"1","prompt":"The shark'],
  ])('%s: refused, and unchanged', async (_, content) => {
    put('kept', content)
    const { status, stderr } = await write('kept')
    expect(stderr).toMatch(/^uwbench: .*kept.*record of an earlier run.*give another --out.*\n$/)
    expect(status).toBe(2)
    expect(readFileSync(at('kept'), 'utf8')).toBe(content)
    expect(existsSync(at('kept.lock'))).toBe(false)
  })

  test('a refused run keeps an incomplete last line', async () => {
    await write('cut.jsonl')
    truncateSync(at('cut.jsonl'), readFileSync(at('cut.jsonl')).length - 5)
    const before = readFileSync(at('cut.jsonl'), 'utf8')
    expect((await write('cut.jsonl', '--temperature', '0.5')).status).toBe(2)
    expect(readFileSync(at('cut.jsonl'), 'utf8')).toBe(before)
    expect((await write('cut.jsonl')).stderr).toContain('wrote 1 texts')
  })

  test('a last record without its line end is complete', async () => {
    await write('open.jsonl')
    const whole = readFileSync(at('open.jsonl'), 'utf8')
    put('open.jsonl', whole.split('\n').slice(0, 2).join('\n'))
    expect((await write('open.jsonl')).stderr).toContain('wrote 1 texts')
    expect(readFileSync(at('open.jsonl'), 'utf8')).toBe(whole)
  })

  test('another key, other prompts, another order, another count: refused', async () => {
    await write('mine.jsonl', '--limit', '2')
    const before = readFileSync(at('mine.jsonl'), 'utf8')
    const expectRefused = async (message: string, ...args: string[]) => {
      const { status, stderr } = await inProcess([
        ...['generate', '-w', 'gumbel', '--max-tokens', '12', '--seed', '1'],
        ...['--out', at('mine.jsonl'), ...args],
      ])
      expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
      expect(readFileSync(at('mine.jsonl'), 'utf8')).toBe(before)
    }
    const other = put('other.txt', 'The shark\nIt was\n')
    const swapped = put('swapped.jsonl', '{"id":"2","prompt":"It was"}\n{"id":"1","prompt":"The whale"}\n')
    const renamed = put('renamed.jsonl', '{"id":"a","prompt":"It was"}\n')
    await expectRefused('keyDigest', '--prompts', lines, '--key', 'a secret that somebody guesses')
    await expectRefused('other prompts', '--prompts', other, '--key', KEY)
    await expectRefused('other prompts', '--prompts', swapped, '--key', KEY)
    await expectRefused('other prompts', '--prompts', renamed, '--key', KEY)
    await expectRefused('other prompts', '--prompts', lines, '--key', KEY, '--count', '2')
    // more prompts of the same file are added
    expect((await write('mine.jsonl')).stderr).toContain('wrote 1 texts')
  })

  test('other weights under the same name: refused', async () => {
    await write('weights.jsonl', '--limit', '1')
    const row = readFileSync(at('weights.jsonl'), 'utf8')
    put('weights.jsonl', row.replace(/"modelDigest":"../, '"modelDigest":"zz'))
    const { status, stderr } = await write('weights.jsonl')
    expect([status, stderr]).toEqual([2, expect.stringContaining('modelDigest')])
  })

  test('one run at a time; the lock of a process that ended is replaced', async () => {
    put('locked.jsonl.lock', `${process.ppid} ${hostname()}\n`)
    const { status, stderr } = await write('locked.jsonl')
    expect(stderr).toContain(`process ${process.ppid} on ${hostname()} is writing it`)
    expect(status).toBe(2)
    expect(existsSync(at('locked.jsonl'))).toBe(false)
    rmSync(at('locked.jsonl.lock'))
    // an abandoned lock that another run is just replacing
    put('locked.jsonl.lock', `999999999 ${hostname()}\n`)
    put('locked.jsonl.lock.replacing', `${process.ppid} ${hostname()}\n`)
    expect((await write('locked.jsonl')).stderr).toContain(`process ${process.ppid} on`)
    expect(readFileSync(at('locked.jsonl.lock'), 'utf8')).toContain('999999999')
    rmSync(at('locked.jsonl.lock.replacing'))
    expect((await write('locked.jsonl')).stderr).toContain('wrote 3 texts')
    expect(existsSync(at('locked.jsonl.lock'))).toBe(false)
  })

  test('a link that leads to no file yet: the lock is that of the file', async () => {
    symlinkSync(at('real.jsonl'), at('dangling.jsonl'))
    put('real.jsonl.lock', `${process.ppid} ${hostname()}\n`)
    expect((await write('dangling.jsonl')).stderr).toContain(`process ${process.ppid} on`)
    rmSync(at('real.jsonl.lock'))
    expect((await write('dangling.jsonl')).status).toBe(0)
    expect(readFileSync(at('real.jsonl'), 'utf8')).not.toBe('')
  })

  test('another message, or none, or another length or code of it: refused', async () => {
    await write('message.jsonl', '--limit', '1', '--message', 'hi')
    const before = readFileSync(at('message.jsonl'), 'utf8')
    for (const args of [[], ['ho'], ['hi', '--bits', '32'], ['hi', '--code', 'bch']]) {
      const message = args.length === 0 ? [] : ['--message', ...args]
      const { status, stderr } = await write('message.jsonl', ...message)
      expect([status, stderr], args.join(' ')).toEqual([
        2,
        expect.stringMatching(/with (message|watermarkDigest) /),
      ])
    }
    expect(readFileSync(at('message.jsonl'), 'utf8')).toBe(before)
    expect((await write('message.jsonl', '--message', 'hi')).stderr).toContain('wrote 2 texts')
  })
})
