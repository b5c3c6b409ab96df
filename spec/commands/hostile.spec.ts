/** Texts, names and files that mean harm; disks that are full; keys that must stay secret. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/bench/report/write.ts'
import { printJson } from '../../src/cli/commands/output.ts'
import { faults, withFault } from '../faults.ts'
import { sample } from '../report/sample.ts'
import { inProcess, takeover, unsafe } from './in-process.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('hostile')
const KEY = 'a secret that nobody guesses'
const at = (name: string): string => join(folder, name)
const put = (name: string, content: string | Uint8Array): string => {
  writeFileSync(at(name), content)
  return at(name)
}

describe('terminals', () => {
  test('the harness knows what is unsafe', () => {
    for (const c of takeover.replace(/[\w;[\]]/g, '')) expect(c).toMatch(unsafe)
  })

  test('the text of detect: only the colours are escape sequences', async () => {
    const text = put('text', `The whale ${takeover} was white.\nYes.`)
    const args = ['detect', text, '-w', 'gumbel', '--key', KEY]
    const { stdout } = await inProcess(args, { isTerminal: true, colours: true })
    expect(stdout).toContain('whale')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(stdout.replace(/\u001b\[(31|32|90|0)m/g, '')).not.toMatch(unsafe)
  })

  test.each([
    ['a command', () => [takeover]],
    ['an option', () => ['list', `--${takeover}`]],
    ['an argument', () => ['list', takeover]],
    ['a file', () => ['detect', takeover, '-w', 'gumbel', '--key', KEY]],
    ['a watermark', () => ['detect', '-w', takeover, '--key', KEY]],
    ['a number', () => ['detect', '-w', 'gumbel', '--key', KEY, '--alpha', takeover]],
    ['an id', () => ['detect', put('ids', takeover), '--ids', '-w', 'gumbel', '--key', KEY]],
    [
      'a watermark in a sidecar',
      () => ['detect', put('a.json', JSON.stringify({ tokens: [1], watermark: takeover })), '--key', KEY],
    ],
    ['a broken JSON', () => ['detect', put('b.json', `[1, ${takeover}`), '--key', KEY]],
    ['a module', () => ['check', put('m.mjs', `throw new Error(${JSON.stringify(takeover)})`)]],
    ['a law', () => ['check', 'gumbel', '--law', takeover]],
    [
      'a report',
      () => {
        mkdirSync(at('reports'), { recursive: true })
        put('reports/r.json', toJson({ ...sample, title: [takeover] as unknown as string }))
        return ['report', at('reports')]
      },
    ],
  ])('%s in an error: one safe line', async (_, args) => {
    const { status, stdout, stderr } = await inProcess(args(), { isTerminal: true, colours: true })
    expect(stderr).toMatch(/^uwbench: [^\n]+\n$/)
    expect(stdout + stderr).not.toMatch(unsafe)
    expect(status).toBe(2)
  })

  test('JSON: the same values, escaped', () => {
    let printed = ''
    const raw = (text: string) => {
      printed += text
    }
    printJson({ raw, error: raw, isTerminal: true, colours: true }, { [takeover]: takeover })
    expect(printed).not.toMatch(unsafe)
    expect(JSON.parse(printed)).toEqual({ [takeover]: takeover })
  })
})

describe('sidecars', () => {
  const sidecar = (content: object): string[] => [
    'detect',
    put('side.json', JSON.stringify({ tokens: [1, 2, 3], vocabSize: 9, watermark: 'gumbel', ...content })),
    '--key',
    KEY,
  ]
  test.each([
    [{ watermark: 'blue' }, 'watermark: expected one of'],
    [{ watermark: 'gumble' }, "did you mean 'gumbel'?"],
    [{ watermark: 'kgw(delta=1e999)' }, 'delta'],
    [{ watermark: 7 }, 'watermark: expected the id of a watermark, or null, got 7'],
    [{ tokens: 'abc' }, 'no list `tokens`'],
    [{ tokens: [1, 2.5] }, 'tokens 1: expected a token id, got 2.5'],
    [{ tokens: [1, null] }, 'tokens 1: expected a token id, got null'],
    [{ tokens: [1e300] }, 'tokens 0: expected a token id'],
    [{ vocabSize: '9' }, "vocabSize: expected an integer in [1, 8388608], got '9'"],
    [{ vocabSize: -1 }, 'vocabSize: expected an integer in [1, 8388608], got -1'],
    [{ vocabSize: 1e9 }, 'vocabSize: expected an integer in [1, 8388608], got 1000000000'],
    [{ model: {} }, 'model: expected the name of a model'],
  ])('%j is refused, with the name of the file', async (content, message) => {
    const { status, stderr } = await inProcess(sidecar(content))
    expect(stderr).toContain(`${at('side.json')}: `)
    expect(stderr).toContain(message)
    expect(status).toBe(2)
  })

  test('a token outside the vocabulary is refused', async () => {
    const { status, stderr } = await inProcess(sidecar({ tokens: [1, 99] }))
    expect(stderr).toMatch(/^uwbench: .*99.*\n$/)
    expect(status).toBe(2)
  })
})

describe('keys', () => {
  const ids = (): string => put('ids.json', JSON.stringify(Array.from({ length: 30 }, (_, i) => i)))
  const detect = (...key: string[]) =>
    inProcess(['detect', ids(), '--vocab-size', '50', '-w', 'gumbel', ...key])

  test('a short one is warned about once, after the result is known', async () => {
    const short = await detect('--key', 'fifteen bytes..')
    expect(short.stderr).toBe(
      'warning: the key has fewer than 16 bytes and may be guessed; use 16 or more random bytes\n',
    )
    expect(short.status).toBeLessThanOrEqual(1)
    expect((await detect('--key', 'sixteen bytes...')).stderr).toBe('')
    expect((await detect('--key-file', put('short', 'abc'))).stderr).toContain('fewer than 16 bytes')
  })

  test('never printed, whatever goes wrong', async () => {
    for (const args of [
      ['--key', KEY, '--alpha', '7'],
      ['--key', KEY, '--key', KEY],
      ['--key', KEY, '--json=yes'],
      ['--key', KEY, '--key-file', 'f'],
      ['--key', `-${KEY}`],
      ['--kye', '--alpha', KEY.slice(0, 0), `--key=${KEY}`],
      [`--key=${KEY}`, '--runs', 'many'],
      [`--keys=${KEY}`],
      [`-k${KEY}`],
    ]) {
      const { stdout, stderr, status } = await detect(...args)
      expect(stdout + stderr, args.join(' ')).not.toContain('nobody guesses')
      expect(status, args.join(' ')).toBe(2)
    }
  })

  test('an empty key file is refused', async () => {
    const { status, stderr } = await detect('--key-file', put('empty', ''))
    expect(stderr).toContain('empty: expected a key, found an empty file')
    expect(status).toBe(2)
  })
})

describe('disks', () => {
  const args = (out: string) => ['generate', 'The', 'whale', '--max-tokens', '5', '--seed', '1', '-o', out]
  let text: string
  beforeAll(async () => {
    expect((await inProcess(args(at('clean')))).status).toBe(0)
    text = readFileSync(at('clean'), 'utf8')
  })

  test('generate, a fault at every call: both files stay, the text is printed, exit code 3', async () => {
    const files = (name: string) => [name, `${name}.json`].map((file) => readFileSync(at(file), 'utf8'))
    const { calls } = await withFault(() => inProcess(args(at('clean'))), 'killed before', Infinity)
    expect(calls).toBe(4)
    for (const fault of faults)
      for (let n = 1; n <= calls; n++) {
        const name = `${fault}-${n}`.replace(' ', '-')
        put(name, 'old text')
        put(`${name}.json`, 'old sidecar')
        const { value } = await withFault(() => inProcess(args(at(name))), fault, n)
        const [now, side] = files(name)
        expect(['old text', text]).toContain(now)
        expect(['old sidecar', files('clean')[1]]).toContain(side)
        if (fault.startsWith('full') && n <= 2) {
          expect(value!.status, name).toBe(3)
          expect(value!.stdout, name).toBe(`${text}\n`)
          expect(value!.stderr, name).toMatch(/cannot write \(ENOSPC.*\); the text is printed instead\n$/)
          expect([now, side]).toEqual(['old text', 'old sidecar'])
          expect(readdirSync(folder).filter((file) => file.includes(name)).length).toBe(2)
        }
        expect((await inProcess(args(at(name)))).status, name).toBe(0)
        expect(files(name), name).toEqual(files('clean'))
      }
  })

  test('generate in a read-only folder: both files stay, the text is printed, exit code 3', async () => {
    put('kept', 'old text')
    put('kept.json', 'old sidecar')
    const { value } = await withFault(() => inProcess(args(at('kept'))), 'read-only', 1)
    expect(value!.stdout).toBe(`${text}\n`)
    expect(value!.stderr).toMatch(/kept.*: cannot write \(EROFS.*\); the text is printed instead\n$/)
    expect(value!.status).toBe(3)
    expect(readFileSync(at('kept'), 'utf8')).toBe('old text')
    expect(readFileSync(at('kept.json'), 'utf8')).toBe('old sidecar')
  })

  test('detect --html on a full disk: the verdict is printed, exit code 3', async () => {
    const page = at('page.html')
    const detect = ['detect', at('clean'), '-w', 'gumbel', '--key', KEY, '--html', page]
    const { value } = await withFault(() => inProcess(detect), 'full inside', 1)
    expect(value!.stdout).toMatch(/^watermark {2}gumbel\ndecision/)
    expect(value!.stderr).toMatch(/^uwbench: .*page\.html: cannot write \(ENOSPC/)
    expect(value!.status).toBe(3)
    expect(existsSync(page)).toBe(false)
  })
})
