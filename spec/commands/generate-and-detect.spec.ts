import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { build, shell, temporaryFolder, uwbench } from './program.ts'

const folder = temporaryFolder('texts')
const KEY = 'a secret that nobody guesses'
/** Tests ask what a wrong key gives at this level: a false alarm has that probability, once, for fixed texts. */
const NEVER = '1e-9'

interface Sidecar {
  watermark: string | null
  model: string
  vocabSize: number
  prompt: string
  seed: string
  tokens: number[]
}
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const run = (args: string[], options = {}) => uwbench(args, { cwd: folder, ...options })

beforeAll(() => {
  build()
  writeFileSync(join(folder, 'key'), KEY)
  const { status, stderr } = run([
    'generate',
    'The',
    'whale',
    '-w',
    'gumbel',
    '--key-file',
    'key',
    '--max-tokens',
    '80',
    '--seed',
    '1',
    '-o',
    'marked.txt',
  ])
  expect(stderr).toMatch(/^wrote marked\.txt and marked\.txt\.json \(\d+ tokens\)\n$/)
  expect(status).toBe(0)
  expect(run(['generate', 'The whale', '--max-tokens', '80', '--seed', '2', '-o', 'plain.txt']).status).toBe(
    0,
  )
})

describe('generate', () => {
  test('writes the text and a sidecar with token ids and parameters', () => {
    const sidecar = JSON.parse(read('marked.txt.json')) as Sidecar
    expect(sidecar).toMatchObject({
      watermark: 'gumbel',
      model: 'uwbench-lm',
      vocabSize: 4096,
      prompt: 'The whale',
      maxNewTokens: 80,
      temperature: 1,
      topK: 0,
      topP: 1,
      seed: '1',
    })
    expect(sidecar.tokens.length).toBeGreaterThan(20)
    expect(JSON.parse(read('plain.txt.json'))).toMatchObject({ watermark: null })
  })

  test('never writes the key, in any form', () => {
    const forms = [KEY, Buffer.from(KEY).toString('hex'), Buffer.from(KEY).toString('base64')]
    for (const file of readdirSync(folder).filter((name) => name !== 'key'))
      for (const form of forms) expect(read(file), file).not.toContain(form)
  })

  test('the same seed and key give the same text; the prompt can come from standard input', () => {
    const { status, stdout } = run(
      ['generate', '-f', '-', '-w', 'gumbel', '--key', KEY, '--max-tokens', '80', '--seed', '1'],
      { input: 'The whale\n' },
    )
    expect(status).toBe(0)
    expect(stdout).toBe(`${read('marked.txt')}\n`)
  })
})

describe('detect', () => {
  test('from the text: facts in lines, exit code 0', () => {
    const { status, stdout, stderr } = run(['detect', 'marked.txt', '-w', 'gumbel', '--key-file', 'key'])
    expect(stderr).toBe('')
    expect(stdout).toMatch(
      /^watermark {2}gumbel\ndecision {3}detected at alpha = 0\.01\np-value {4}\S+e-\d+\nscored/,
    )
    expect(status).toBe(0)
  })

  test('another key or an unmarked text: exit code 1', () => {
    const other = run(['detect', 'marked.txt', '-w', 'gumbel', '--key', 'other', '--alpha', NEVER])
    expect(other.stdout).toContain(`not detected at alpha = ${NEVER}`)
    expect(other.status).toBe(1)
    const plain = run(['detect', 'plain.txt', '-w', 'gumbel', '--key', KEY, '--alpha', NEVER])
    expect(plain.status).toBe(1)
  })

  test('the sidecar names its watermark and needs no tokenizer', () => {
    const { status, stdout } = run(['detect', 'marked.txt.json', '--key-file', 'key'])
    expect(stdout).toContain('watermark  gumbel')
    expect(status).toBe(0)
  })

  test('ids as JSON, as numbers in a file, as numbers in a pipe: the same p-value', () => {
    const { tokens } = JSON.parse(read('marked.txt.json')) as Sidecar
    writeFileSync(join(folder, 'ids.json'), JSON.stringify(tokens))
    writeFileSync(join(folder, 'ids.txt'), tokens.join('\n'))
    const options = ['-w', 'gumbel', '--key', KEY, '--vocab-size', '4096']
    const outputs = [
      run(['detect', 'ids.json', ...options]),
      run(['detect', 'ids.txt', '--ids', ...options]),
      run(['detect', '-', '--ids', ...options], { input: tokens.join(', ') }),
      run(['detect', 'marked.txt.json', '--key', KEY]),
    ].map(({ stdout }) => stdout)
    expect(outputs[0]).toContain('scored')
    expect(new Set(outputs).size).toBe(1)
  })

  test('ids without a vocabulary size, JSON that is none, a JSON without tokens: one line each', () => {
    const options = ['--ids', '-w', 'gumbel', '--key', KEY]
    for (const [input, message] of [
      ['1 2 3', '--vocab-size'],
      ['[1, 2', 'not JSON'],
      ['{"ids": [1]}', 'no list `tokens`'],
      ['one two', "token ids, got 'one'"],
    ] as const) {
      const { status, stderr } = run(['detect', ...options], { input })
      expect(stderr).toContain(message)
      expect(stderr).toMatch(/^uwbench: .*\n$/)
      expect(status).toBe(2)
    }
  })

  test('generate | detect, with the key in the environment', () => {
    const { status, stdout, stderr } = shell(
      `export UWBENCH_KEY='${KEY}'
       uwbench generate 'In the beginning' -w gumbel --max-tokens 150 --seed 3 |
         uwbench detect - -w gumbel --alpha 1e-3`,
      folder,
    )
    expect(stderr).toBe('')
    expect(stdout).toContain('detected at alpha = 0.001')
    expect(status).toBe(0)
  })

  test('--key wins over the environment; the bytes of a key file all count', () => {
    const env = { UWBENCH_KEY: KEY }
    const options = ['detect', 'marked.txt.json', '--alpha', NEVER]
    expect(run(options, { env }).status).toBe(0)
    expect(run([...options, '--key', 'other'], { env }).status).toBe(1)
    writeFileSync(join(folder, 'key-with-newline'), `${KEY}\n`)
    expect(run([...options, '--key-file', 'key-with-newline'], { env }).status).toBe(1)
  })

  test('--json: numbers, with null where a token was not scored', () => {
    const { status, stdout } = run(['detect', 'marked.txt.json', '--key', KEY, '--json', '--alpha', '0.001'])
    const out = JSON.parse(stdout) as { pValue: number; logPValue: number; perToken: (number | null)[] }
    expect(out).toMatchObject({ watermark: 'gumbel', alpha: 0.001, detected: true, exact: true })
    expect(Math.exp(out.logPValue)).toBeCloseTo(out.pValue, 12)
    expect(out.perToken.slice(0, 2)).toEqual([null, null])
    expect(out.perToken).toHaveLength((JSON.parse(read('marked.txt.json')) as Sidecar).tokens.length)
    expect(status).toBe(0)
  })

  test('--skip leaves special tokens unscored', () => {
    const { tokens } = JSON.parse(read('marked.txt.json')) as Sidecar
    const scores = (skip: string[]) =>
      (
        JSON.parse(run(['detect', 'marked.txt.json', '--key', KEY, '--json', ...skip]).stdout) as {
          perToken: (number | null)[]
        }
      ).perToken
    const at = scores([]).findIndex((score) => score !== null)
    expect(scores(['--skip', `${tokens[at]}`])[at]).toBeNull()
  })

  test('colours only where asked for', () => {
    const options = ['detect', 'marked.txt', '-w', 'gumbel', '--key', KEY]
    expect(run(options).stdout).not.toContain('\u001b[')
    const coloured = run(options, { env: { FORCE_COLOR: '1' } }).stdout
    expect(coloured).toContain('\u001b[32m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toContain(read('marked.txt').slice(0, 60))
    expect(run(options, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }).stdout).not.toContain('\u001b[')
  })

  test('--html on ids of an unknown model asks for the tokenizer, and writes nothing', () => {
    const { status, stderr } = run(
      ['detect', '--ids', '--vocab-size', '9', '-w', 'gumbel', '--key', 'k', '--html', 'no.html'],
      { input: '1 2 3' },
    )
    expect(stderr).toContain('--html needs --tokenizer')
    expect(status).toBe(2)
    expect(existsSync(join(folder, 'no.html'))).toBe(false)
  })
})
