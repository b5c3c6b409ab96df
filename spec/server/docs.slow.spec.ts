/** The commands of docs/server.md run as printed against `uwbench serve`, which stands in for vLLM, SGLang and llama.cpp. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedModel, type LanguageModel } from '../../src/text/models/entry.ts'
import { parseWatermark } from '../../src/watermarks/entry.ts'
import { inProcess } from '../commands/in-process.ts'
import { root, temporaryFolder } from '../commands/program.ts'
import { blocksOf } from '../docs/blocks.ts'
import { post, started } from '../serve/servers.ts'

const page = readFileSync(join(root, 'docs/server.md'), 'utf8')

/** The commands of the page that begin with some words, without `npx uwbench`: one list of arguments each. */
const commands = (words: string): string[][] =>
  blocksOf(page)
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line.startsWith(`npx uwbench ${words} `))
    .map((line) => [...line.replace(/ #.*/, '').matchAll(/'([^']*)'|(\S+)/g)].slice(2))
    .map((found) => found.map(([, quoted, plain]) => quoted ?? plain!))

const flag = (args: readonly string[], name: string): string => args[args.indexOf(`--${name}`) + 1]!

const before = process.cwd()
const folder = temporaryFolder('server-docs')
const name = 'uwbench-lm'
let model: LanguageModel
beforeAll(async () => {
  model = await embeddedModel()
  process.chdir(folder)
})
afterAll(async () => {
  process.chdir(before)
  await model.dispose()
})

test('check --server finds nothing wrong with the server that the page starts, and detect reads its answers', async () => {
  const [serve] = commands('serve')
  const mark = flag(serve!, 'watermark')
  const key = 'a key of sixteen bytes'
  const { url } = await started({ model, name, watermark: parseWatermark(mark), key })
  const [check] = commands('check')
  const { status, stdout, stderr } = await inProcess(
    check!.map((arg) => arg.replace('http://127.0.0.1:8000', url)),
  )
  expect(stderr).toBe('')
  expect(stdout).toContain("holds  tokens follow the server's probabilities")
  expect(status).toBe(0)
  writeFileSync('key.txt', key)
  const args = ['detect', 'answers.jsonl', '--watermark', mark, '--key-file', 'key.txt']
  const detected = await inProcess([...args, '--vocab-size', String(model.vocabSize), '--summary'])
  expect(detected.stdout).toMatch(/^detected \d+ of \d+ texts/)
})

test('engines: the other checks of the page run, and so does calibrate on the texts without the mark', async () => {
  const [, vllm, ...others] = commands('check')
  expect(others).toHaveLength(2)
  writeFileSync('key.txt', /printf %s (\d+) > key.txt/.exec(page)![1]!)
  const watermark = parseWatermark(flag(vllm!, 'watermark'))
  const marked = await started({ model, name, watermark, key: readFileSync('key.txt') })
  const plain = await started({ model, name, watermark: undefined as never })
  for (const [i, given] of [vllm!, ...others].entries()) {
    // the page asks 2,000 times: what is tested here are its arguments
    const args = given.map((arg, at) =>
      ['requests', 'out'].some((one) => given[at - 1] === `--${one}`)
        ? arg === '2000'
          ? '40'
          : `${i}.jsonl`
        : arg,
    )
    if (!args.includes('--requests')) args.push('--requests', '40')
    args[args.indexOf('--server') + 1] = marked.url
    args[args.indexOf('--model') + 1] = name
    if (args.includes('--reference')) args[args.indexOf('--reference') + 1] = plain.url
    const { status, stdout, stderr } = await inProcess([...args, '--max-tokens', '12'])
    expect([stderr, status]).toEqual(['', 0])
    expect(stdout).toContain("holds  tokens follow the server's probabilities")
  }
  const { answer } = await post(`${plain.url}/v1/completions`, {
    ...{ prompt: 'The whale', max_tokens: 40, n: 60, ignore_eos: true, return_token_ids: true },
  })
  const texts = (answer.choices as { token_ids: number[] }[]).map((one) =>
    JSON.stringify({ tokens: one.token_ids }),
  )
  writeFileSync('unmarked.jsonl', `${texts.join('\n')}\n`)
  const { status, stdout, stderr } = await inProcess(commands('calibrate')[0]!)
  expect(stderr).toBe('')
  expect(stdout).toMatch(/of 60 unmarked texts detected at 0.01/)
  expect([0, 1]).toContain(status)
})
