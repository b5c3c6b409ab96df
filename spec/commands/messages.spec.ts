import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { readArguments } from '../../src/cli/commands/arguments.ts'
import { detect } from '../../src/cli/commands/detect.ts'
import { follow } from '../../src/cli/commands/follow.ts'
import { inProcess } from './in-process.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('messages')
const at = (name: string): string => join(folder, name)
const key = ['--key-file', at('key')]

beforeAll(async () => {
  writeFileSync(at('key'), 'a secret that nobody guesses')
  writeFileSync(at('other'), 'another secret that nobody has')
  const { status, stderr } = await inProcess(
    [
      'generate',
      'The whale',
      '-w',
      'gumbel',
      ...key,
      '--message',
      'v2',
      '--bits',
      '16',
      '--seed',
      '1',
    ].concat(['--max-tokens', '400', '-o', at('text')]),
  )
  expect([status, stderr]).toEqual([0, expect.stringContaining('wrote')])
})

test('a message that generate wrote is read by detect --decode', async () => {
  const { status, stdout } = await inProcess(['detect', at('text.json'), ...key, '--decode', '--bits', '16'])
  expect(stdout).toMatch(/^message {4}v2$/m)
  expect(stdout).toMatch(/^blocks {5}7 \(p /m)
  expect(status).toBe(0)
  expect(JSON.parse(readFileSync(at('text.json'), 'utf8'))).toMatchObject({
    watermark: 'gumbel',
    message: 'v2',
  })
  const json = await inProcess(['detect', at('text.json'), ...key, '--decode', '--bits', '16', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ message: 'v2', detected: true })
})

test('the prompt gives the first tokens their contexts, with a message and without', async () => {
  const scored = async (...more: string[]): Promise<number> => {
    const { stdout } = await inProcess(['detect', at('text.json'), ...key, '--json', ...more])
    return JSON.parse(stdout).scored
  }
  const [alone, prompt, message] = [await scored(), ['--prompt', 'The whale'], ['--decode', '--bits', '16']]
  expect(await scored(...prompt)).toBeGreaterThan(alone)
  expect(await scored(...message)).toBe(alone)
  expect(await scored(...prompt, ...message)).toBe(await scored(...prompt))
})

test('under another key there is no message', async () => {
  const options = ['--key-file', at('other'), '--decode', '--bits', '16', '--alpha', '1e-9']
  const { status, stdout } = await inProcess(['detect', at('text.json'), ...options])
  expect(stdout).toMatch(/^message {4}none$/m)
  expect(status).toBe(1)
  const json = await inProcess(['detect', at('text.json'), ...options, '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ message: null, detected: false })
})

test('a message with a code is read by the same code, also while the text arrives', async () => {
  const args = ['--message', 'v2', '--bits', '16', '--code', 'bch', '--seed', '1', '--max-tokens', '400']
  const wrote = await inProcess(['generate', 'The whale', '-w', 'gumbel', ...key, ...args, '-o', at('coded')])
  expect(wrote.status).toBe(0)
  const read = ['--decode', '--bits', '16', '--code', 'bch']
  const { stdout } = await inProcess(['detect', at('coded.json'), ...key, ...read])
  expect(stdout).toMatch(/^message {4}v2$/m)
  const { tokens, vocabSize } = JSON.parse(readFileSync(at('coded.json'), 'utf8'))
  const flags = ['--follow', '--ids', '--vocab-size', `${vocabSize}`, '-w', 'gumbel', '--alpha', '1e-60']
  const input = readArguments('detect', detect, [...flags, ...key, ...read])
  const out: string[] = []
  const output = { raw: (line: string) => out.push(line), error: () => {}, isTerminal: false, colours: false }
  await follow(input, output as never, Object.keys(detect.flags), [
    new TextEncoder().encode(tokens.join(' ')),
  ])
  expect(out.join('')).toMatch(/\d+ scored: p = \S+, message v2\nnot detected/)
})

test.each([
  [['generate', 'x', '-w', 'gumbel', ...key, '--message', 'v2', '--code', 'x'], '--code: expected'],
  [['generate', 'x', '--message', 'v2'], '--message needs --watermark'],
  [['generate', 'x', '-w', 'gumbel', ...key, '--bits', '8'], '--bits needs --message'],
  [['generate', 'x', '-w', 'gumbel', ...key, '--message', 'over eight'], 'at most 8 bytes'],
  [['generate', 'x', '-w', 'itsEdit(keyLength=256)', ...key, '--message', 'v2'], 'alignment'],
  [['detect', 'x', '-w', 'gumbel', ...key, '--bits', '8'], '--bits needs --decode'],
  [['detect', at('text.json'), ...key, '--decode', '--html', at('page.html')], 'leave out --decode'],
])('%# wrong use is refused', async (args, said) => {
  const { status, stderr } = await inProcess(args)
  expect([status, stderr]).toEqual([2, expect.stringContaining(said)])
})
