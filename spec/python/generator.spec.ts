/** The reference generator in Python: the protocol of docs/generator.md, and the same texts as `generate` here. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { afterStart, tokensDigest } from '../../src/core/keys/prefix.ts'
import { keySchedule } from '../../src/core/keys/schedule.ts'
import { generate, generateMany, markovModel } from '../../src/text/models/entry.ts'
import { codeAt } from '../../src/watermark.ts'
import { parseWatermark } from '../../src/watermarks/parse.ts'
import { shippedWatermarks } from '../../src/watermarks/shipped.ts'
import { requireComponent } from '../require.ts'
import { env, python, root, run, withNumpy } from './interpreters.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-generator-'))
afterAll(() => rmSync(folder, { recursive: true }))

const options = { vocabSize: 100, entropy: 3, seed: 'python' }
const modelFile = join(folder, 'markov.json')
writeFileSync(modelFile, JSON.stringify(options))
const KEY = 'a key for the generator'
const keyFile = join(folder, 'key')
writeFileSync(keyFile, KEY)

interface Answer {
  readonly seq: number
  readonly progress?: { readonly done: number; readonly of: number }
  readonly error?: { readonly message: string }
  readonly ok?: {
    readonly [name: string]: unknown
    readonly texts: {
      readonly prompt: number[]
      readonly tokens: number[]
      readonly text: string
      readonly finish: string
      readonly logProbabilities: number[]
      readonly entropies: number[]
      readonly start?: number
    }[]
  }
}

const ajv = new Ajv2020({ strict: false })
ajv.addSchema(JSON.parse(readFileSync(`${root}testee/generator.schema.json`, 'utf8')), 'generator')
const isAnswer = ajv.compile({ $ref: 'generator#/$defs/answer' })
const isRequest = ajv.compile({ $ref: 'generator#/$defs/request' })

/** The answers to requests, in their order, without progress. */
function ask(
  command: readonly string[],
  requests: readonly object[],
  more: NodeJS.ProcessEnv = {},
): Answer[] {
  const lines = requests.map((request, seq) => JSON.stringify({ seq, ...request })).join('\n')
  const { stdout, stderr, status } = spawnSync(
    command[0]!,
    [...command.slice(1), '-m', 'uwbench.generate', '--model', modelFile, '--backend', 'tiny'],
    { input: `${lines}\n`, env: { ...env, ...more }, encoding: 'utf8', maxBuffer: 2 ** 28 },
  )
  if (status !== 0) throw new Error(stderr)
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer)
  for (const answer of answers) expect(isAnswer(answer), JSON.stringify(isAnswer.errors)).toBe(true)
  return answers.filter(({ progress }) => progress === undefined)
}

const ids = shippedWatermarks().map(({ id }) => id)

describe.for([
  { name: 'python3 alone', component: 'python', program: python, flags: ['-S'] },
  { name: 'numpy', component: 'numpy', program: withNumpy, flags: [] },
])('with $name', ({ component, program, flags }) => {
  test('it writes the texts that generate writes, for every shipped method', async (context) => {
    requireComponent(context, component, program !== undefined)
    const prompts = [
      [1, 2],
      [3, 1, 4, 1, 5],
    ]
    const sampling = { temperature: 0.9, topK: 80, topP: 0.97 }
    const texts = ids.flatMap((id) =>
      prompts.map((prompt, index) => ({
        prompt,
        watermark: id,
        key: { file: keyFile },
        seed: 'texts',
        index,
      })),
    )
    const plain = { prompt: '3 1 4', watermark: null, seed: 2, index: 0 }
    const [answer] = ask(
      [program!, ...flags],
      [{ cmd: 'generate', texts: [...texts, plain], maxNewTokens: 60, ...sampling }],
    )
    const written = await generateMany(
      markovModel(options),
      [
        ...texts.map((one) => ({ ...one, watermark: parseWatermark(one.watermark), key: KEY })),
        { prompt: '3 1 4', seed: 2, index: 0 },
      ],
      { maxNewTokens: 60, ...sampling },
    )
    for (const [i, text] of written.entries()) {
      const got = answer!.ok!.texts[i]!
      expect({ ...got, logProbabilities: 0, entropies: 0, start: 0 }).toEqual({
        prompt: text.prompt,
        tokens: text.tokens,
        text: text.text,
        finish: text.finish,
        logProbabilities: 0,
        entropies: 0,
        start: 0,
      })
      for (const name of ['logProbabilities', 'entropies'] as const) {
        expect(got[name].length).toBe(text.tokens.length)
        for (const [t, value] of text[name].entries()) expect(got[name][t]).toBeCloseTo(value, 11)
      }
    }
  })
})

describe('texts marked in Python', () => {
  const script = `
import json, sys, uwbench
for line in sys.stdin:
    id, tokens, key, size, start = json.loads(line)
    print(json.dumps([s if s == s else None for s in uwbench.scores(id, tokens, key=key, vocab_size=size, start=start)]))`
  let written: { tokens: number[]; start?: number; scores: (number | null)[] }[] = []
  beforeAll(() => {
    if (python === undefined) return
    const texts = ids.map((id) => ({ prompt: [5, 6], watermark: id, key: { public: KEY }, seed: 1 }))
    const marked = ask([python], [{ cmd: 'generate', texts, maxNewTokens: 150 }])[0]!.ok!.texts
    const lines = marked.map(({ tokens, start }, i) =>
      JSON.stringify([ids[i], tokens, KEY, options.vocabSize, start ?? null]),
    )
    const scores = run([python, '-W', 'ignore', '-c', script], `${lines.join('\n')}\n`)
      .trim()
      .split('\n')
    written = marked.map((text, i) => ({ ...text, scores: JSON.parse(scores[i]!) }))
  })

  test.for(ids.map((id, i) => ({ id, i })))(
    '$id is detected here with the scores of Python',
    ({ id, i }, context) => {
      requireComponent(context, 'python', python !== undefined)
      const watermark = parseWatermark(id)
      const { tokens, start, scores } = written[i]!
      const close = (t: number, score: number): void =>
        expect(Math.abs(scores[t]! - score)).toBeLessThanOrEqual(1e-12 * Math.max(1, score))
      const { foundBy, freshUpTo } = watermark.context
      if (watermark.detector === undefined) return
      const found = detect(watermark, tokens, { key: KEY, vocabSize: options.vocabSize })
      // 100 channels of 100 tokens are too many for 150 tokens
      if (watermark.unbiased && id !== 'mcmark(channels=100)') expect(found.pValue).toBeLessThan(0.01)
      if (foundBy === undefined) {
        expect(scores.map((score) => score === null)).toEqual([...found.perToken].map(Number.isNaN))
        for (const [t, score] of found.perToken.entries()) if (!Number.isNaN(score)) close(t, score)
        return
      }
      const schedule = keySchedule(KEY, watermark.domain)
      for (let t = foundBy === 'scan' ? start! : 0; t < tokens.length; t++) {
        // a codeword has no offset: it begins with its text
        const own =
          foundBy === 'scan' ? afterStart(tokensDigest(tokens, start), t) : [((start ?? 0) + t) % freshUpTo!]
        close(t, watermark.score(tokens[t]!, codeAt(watermark, schedule, options.vocabSize, own)))
      }
    },
  )
})

test('it says what it is, reports progress and stops', (context) => {
  requireComponent(context, 'python', python !== undefined)
  const answers = ask([python!], [{ cmd: 'start', protocol: 1 }, { cmd: 'stop' }])
  expect(answers[0]!.ok).toMatchObject({
    protocol: 1,
    model: markovModel(options).id,
    backend: 'tiny',
    vocabSize: 100,
    endTokens: [],
    chat: false,
  })
  expect(answers[1]).toEqual({ seq: 1, ok: {} })
})

test('keys come from a variable or a file of the generator, with a suffix', async (context) => {
  requireComponent(context, 'python', python !== undefined)
  const one = { prompt: [1], watermark: 'gumbel', seed: 1 }
  const texts = [
    { ...one, key: { env: 'MY_KEY' } },
    { ...one, key: { file: keyFile, suffix: ' 7' } },
    { ...one, key: { public: `${KEY} 7` } },
  ]
  const [answer] = ask([python!], [{ cmd: 'generate', texts, maxNewTokens: 20 }], { MY_KEY: `${KEY} 7` })
  const [expected] = await generate(markovModel(options), [1], {
    watermark: parseWatermark('gumbel'),
    key: `${KEY} 7`,
    seed: 1,
    maxNewTokens: 20,
  })
  for (const text of answer!.ok!.texts) expect(text.tokens).toEqual(expected!.tokens)
})

test('a wrong request is one line, and the next one is answered', (context) => {
  requireComponent(context, 'python', python !== undefined)
  const text = { prompt: [1], watermark: 'gumbel', key: { public: KEY }, seed: 1 }
  const of = (more: object) => ({ cmd: 'generate', texts: [{ ...text, ...more }], maxNewTokens: 3 })
  const answers = ask(
    [python!],
    [
      { cmd: 'start', protocol: 9 },
      { cmd: 'sing' },
      of({ watermark: 'gumble' }),
      of({ watermark: 'kgw(delta=2,codes=reference)' }),
      of({ key: { env: 'NO_SUCH_KEY' } }),
      of({ key: { file: '/no/such/key' } }),
      of({ key: 'secret' }),
      of({ prompt: [100] }),
      of({ prompt: [{ role: 'user', content: 'hello' }] }),
      { ...of({}), topP: 0 },
      { cmd: 'generate' },
      of({}),
    ],
  )
  expect(answers.map(({ error }) => error?.message)).toEqual([
    'protocol: expected 1, got 9',
    "cmd: expected start, generate or stop, got 'sing'",
    expect.stringMatching(/^watermark: expected one of gumbel, .*got 'gumble'; did you mean 'gumbel'\?$/),
    expect.stringMatching(/^watermark: expected own codes/),
    'key: expected the environment variable NO_SUCH_KEY to be set in the generator, found it unset',
    'key: expected a readable file /no/such/key, got No such file or directory',
    'key: expected an object with one of env, file and public, got something else',
    'prompt[0]: expected a token id in [0, 100), got 100',
    expect.stringMatching(/^prompt: expected text or token ids, as markov\(.*\) has no chat template/),
    'top_p: expected a number in (0, 1], got 0',
    "expected the field 'texts', got none",
    undefined,
  ])
  expect(JSON.stringify(answers)).not.toContain(KEY)
})

test('the conversation of docs/generator.md is what the schema describes', () => {
  const page = readFileSync(`${root}docs/generator.md`, 'utf8')
  const lines = /```json\n([\s\S]*?)```/.exec(page)![1]!.trim().split('\n')
  expect(lines).toHaveLength(7)
  for (const line of lines) {
    const message = JSON.parse(line)
    const fits = 'cmd' in message ? isRequest : isAnswer
    expect(fits(message), JSON.stringify(fits.errors)).toBe(true)
  }
  expect(
    isRequest({ seq: 1, cmd: 'generate', texts: [{ prompt: [1], seed: 1, key: { secret: 'x' } }] }),
  ).toBe(false)
  expect(isAnswer({ seq: 1, ok: { texts: [{ tokens: [1] }] } })).toBe(false)
})
