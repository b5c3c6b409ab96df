/** Prompts and keys of engines on the command line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { detect, gumbel, kgw } from '../../src/index.ts'
import { asPublished } from '../../src/watermarks/reference.ts'
import { inProcess } from './in-process.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('prompts')
const put = (name: string, value: unknown): string => {
  const file = join(folder, name)
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}
const vocabSize = 1000
const key = '0123456789abcdef'
const prompt = [5, 6, 7, 8, 9]
const tokens = Array.from({ length: 40 }, (_, t) => (7 * t * t + t) % vocabSize)
const watermark = asPublished(gumbel(), 'sglang')
const shared = ['--vocab-size', '1000', '--key', key, '-w', watermark.id, '--json']
const expected = (before?: number[]) =>
  detect(watermark, tokens, { key, vocabSize, ...(before && { prompt: before }) })
const lines = async (...args: string[]) =>
  (await inProcess(['detect', ...args, ...shared])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('one text: --prompt and --prompt-file give the first positions their contexts', async () => {
  const text = put('text.json', tokens)
  const one = async (...args: string[]) =>
    JSON.parse((await inProcess(['detect', text, ...args, ...shared])).stdout)
  expect((await one()).scored).toBe(expected().scored)
  const found = [
    await one('--ids', '--prompt', prompt.join(' ')),
    await one('--prompt-file', put('prompt.json', prompt)),
    JSON.parse(
      (await inProcess(['detect', put('both.json', { tokens, prompt_token_ids: prompt }), ...shared])).stdout,
    ),
  ]
  expect(expected(prompt).scored).toBe(expected().scored + 4)
  for (const { scored, logPValue } of found)
    expect([scored, logPValue]).toEqual([expected(prompt).scored, expected(prompt).logPValue])
  const { status, stderr } = await inProcess([
    ...['detect', text, '--ids', '--prompt', '1', '--prompt-file', text],
    ...shared,
  ])
  expect([status, stderr]).toEqual([2, expect.stringContaining('--prompt or --prompt-file, not both')])
})

test('many texts: a record may have its prompt, and --prompt is for the others', async () => {
  const rows = [{ tokens }, { tokens, prompt_token_ids: prompt }, { tokens, prompt: [1, 2] }]
  const file = put('texts.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const p = (found: { logPValue: number }[]) => found.slice(0, 3).map(({ logPValue }) => logPValue)
  const [none, long, short] = [expected(), expected(prompt), expected([1, 2])].map((d) => d.logPValue)
  expect(p(await lines(file))).toEqual([none, long, short])
  expect(p(await lines(file, '--ids', '--prompt', '1 2'))).toEqual([short, long, short])
  expect(p(await lines(file, '--threads', '2'))).toEqual([none, long, short])
})

test('TGI needs no key', async () => {
  const tgi = asPublished(kgw({ delta: 2 }), 'tgi')
  const args = ['detect', put('tgi.json', tokens), '--vocab-size', '1000', '-w', tgi.id, '--json']
  const { stdout } = await inProcess(args)
  expect(JSON.parse(stdout).logPValue).toBe(detect(tgi, tokens, { vocabSize }).logPValue)
})
