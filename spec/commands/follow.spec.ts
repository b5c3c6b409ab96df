/** `uwbench detect --follow` on a growing standard input, in this process and as a program. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readArguments } from '../../src/cli/commands/arguments.ts'
import { detect } from '../../src/cli/commands/detect.ts'
import { evidenceOf, follow, textReader } from '../../src/cli/commands/follow.ts'
import { type StreamedEvidence, stream } from '../../src/core/detect/stream.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import { loadTokenizer } from '../../src/text/models/index.ts'
import { gumbel } from '../../src/watermarks/entry.ts'
import { build, plainEnvironment, program, root } from './program.ts'

const key = 'a secret that nobody guesses'
const vocabSize = 50
let marked: number[]

beforeAll(async () => {
  const model = markovModel({ vocabSize, entropy: 3, seed: 'follow' })
  const [text] = await generateMany(model, [{ prompt: [0], key, seed: 1 }], {
    watermark: gumbel(),
    maxNewTokens: 60,
  })
  marked = text!.tokens
})

function* chunksOf(text: string, size: number): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Runs `uwbench detect --follow ARGS` on a text that comes in pieces. */
async function run(args: string[], text: string, size = 3) {
  const out: string[] = []
  const input = readArguments('detect', detect, ['--follow', '-w', 'gumbel', '--key', key, ...args])
  const output = {
    raw: (line: string) => void out.push(line),
    error: (line: string) => void out.push(line),
    isTerminal: false,
    colours: false,
  }
  const status = await follow(input, output, Object.keys(detect.flags), chunksOf(text, size))
  return { status, stdout: out.join('') }
}
const ids = ['--ids', '--vocab-size', `${vocabSize}`]

test('token ids: detected as soon as the stream says so, however they are cut', async () => {
  const text = stream(gumbel(), { key, vocabSize })
  const when = 1 + marked.findIndex((token) => text.push(token).pValue <= 0.01)
  for (const size of [1, 3, 1000]) {
    const { status, stdout } = await run(ids, marked.join(' '), size)
    expect(status).toBe(0)
    expect(stdout).toMatch(
      new RegExp(`\\n${when} tokens, \\d+ scored: p = 0\\.0\\d+\\ndetected at alpha = 0\\.01\\n$`),
    )
  }
})

test('a text that ends unmarked is not detected, its last token is read, and JSON says the same', async () => {
  const plain = marked.map((token) => (7 * token + 3) % vocabSize)
  const { status, stdout } = await run([...ids, '--json'], plain.join(','))
  expect(status).toBe(1)
  const last = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as StreamedEvidence & {
    tokens: number
    detected: boolean
  }
  expect(last).toMatchObject({ tokens: 60, detected: false, watermark: 'gumbel', alpha: 0.01 })
})

test('nothing on standard input', async () => {
  const { status, stdout } = await run(ids, '')
  expect([status, stdout]).toEqual([1, '0 tokens, 0 scored: p = 1\nnot detected at alpha = 0.01\n'])
})

test('characters cut in two, and the tokens at the end of a text, are waited for', async () => {
  const seen: number[] = []
  const push = (token: number): StreamedEvidence => {
    seen.push(token)
    return { pValue: 1, logPValue: 0, eValue: 1, logEValue: 0, scored: 0 }
  }
  const encode = (text: string) => Array.from(text, (c) => c.codePointAt(0)!)
  const read = textReader({ encode, decode: (tokens) => String.fromCodePoint(...Array.from(tokens)) })
  for (const _ of evidenceOf(chunksOf('aé€z', 1), read, push, 0.01));
  expect(String.fromCodePoint(...seen)).toBe('aé€z')
})

test('a long text is read in pieces of bounded length, and gives the tokens of the entire text', async () => {
  const { tokenizer } = await loadTokenizer('embedded')
  const words = (await readFile(join(root, 'README.md'), 'utf8')).split(/(?<=\s)/)
  const text = Array.from({ length: 30_000 }, (_, i) => words[(i * i + 7 * i) % words.length]).join('')
  const lengths: number[] = []
  const read = textReader({
    encode(part) {
      lengths.push(part.length)
      return tokenizer.encode(part)
    },
    decode: (tokens) => tokenizer.decode(tokens),
  })
  const seen: number[] = []
  for (let at = 0; at < text.length; at += 4096) seen.push(...read(text.slice(at, at + 4096), false))
  seen.push(...read('', true))
  expect(text.length).toBeGreaterThan(150_000)
  expect(seen).toEqual(tokenizer.encode(text))
  expect(Math.max(...lengths)).toBeLessThan(30_000)
  // a tokenizer that has no place to cut at: all is read again, and nothing is lost
  const whole = textReader({ encode: (part) => Array.from(part, (c) => c.charCodeAt(0)), decode: () => 'no' })
  const codes = Array.from({ length: 9 }, (_, i) => whole('x'.repeat(1000), i === 8)).flat()
  expect(codes).toHaveLength(9000)
})

describe('refused', () => {
  test.each([
    [['--html', 'page.html'], '--html does not go with --follow'],
    [['--runs', '5'], '--runs does not go with --follow'],
    [['file.txt'], '--follow reads standard input: give no file'],
    [['--alpha', '0'], '--alpha: expected a number in (0, 1), got 0'],
  ])('%j', async (args, problem) => {
    await expect(run([...ids, ...args], '1 2 3')).rejects.toThrow(problem)
  })
  test('ids without a width, and what is no id', async () => {
    await expect(run(['--ids'], '1')).rejects.toThrow('token ids need --vocab-size N')
    await expect(run(ids, '1 x 3')).rejects.toThrow("standard input: expected token ids, got 'x'")
  })
})

test('as a program: done while standard input is still open', async () => {
  build()
  const args = [program, 'detect', '--follow', '-w', 'gumbel', '--key', key, ...ids]
  const child = spawn(process.execPath, args, { env: plainEnvironment(), stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {}) // it is gone before all was written
  child.stdin.write(`${marked.join('\n')}\n`)
  const [status] = (await once(child, 'exit')) as [number]
  expect(status).toBe(0)
})

test('digits without an end are refused at once, however many come', async () => {
  const began = process.cpuUsage()
  await expect(run(['--ids', '--vocab-size', '50'], `1 2 ${'7'.repeat(300_000)}`, 4096)).rejects.toThrow(
    /^standard input: expected token ids, got '7{40}' without an end$/,
  )
  const { user, system } = process.cpuUsage(began)
  expect((user + system) / 1e6).toBeLessThan(2)
})
