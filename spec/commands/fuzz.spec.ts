/**
 * The command line under random arguments and hostile files. Each run is a right result or a one-line error that names what was wrong:
 * never a stack, a raw JavaScript error, an unsafe character, a key, or more than two seconds of computation.
 * UWBENCH_FUZZ_RUNS sets the number of runs.
 */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { writePart } from '../fuzz/report.ts'
import { inProcess, type Ran, takeover, unsafe } from './in-process.ts'
import { build, temporaryFolder, uwbench } from './program.ts'

const RUNS = Number(process.env.UWBENCH_FUZZ_RUNS) || 400
const MAX_SECONDS = 2
/** Runs as programs of their own. */
const PROGRAMS = process.env.UWBENCH_FUZZ_RUNS ? Math.ceil(RUNS / 50) : 36
const KEY = 'a secret that nobody guesses'
const folder = temporaryFolder('fuzz')
const ids = Array.from({ length: 40 }, (_, i) => (i * 37) % 50)
const sidecar = { tokens: ids, vocabSize: 50, watermark: 'gumbel', model: 'mine' }

/** What a file can hold: name to content. */
const contents: Record<string, string | Uint8Array> = {
  'empty.txt': '',
  'empty.json': '',
  'text.txt': 'Call me Ishmael. Some years ago, never mind how long precisely.',
  'binary.txt': Uint8Array.from({ length: 4096 }, (_, i) => (i * 73 + 11) % 256),
  'utf16.txt': new Uint8Array(Buffer.from('\ufeffCall me Ishmael', 'utf16le')),
  'utf16.json': new Uint8Array(Buffer.from('\ufeff[1, 2, 3]', 'utf16le')),
  'bom.json': `\ufeff${JSON.stringify(sidecar)}`,
  'packed.json': new Uint8Array(gzipSync(JSON.stringify(sidecar))),
  'line.txt': 'a'.repeat(20_000),
  'line.json': `[${'1,'.repeat(200_000)}1]`,
  'spaces.json': `${' '.repeat(1_000_000)}[1`,
  'deep.json': '['.repeat(100_000),
  'deep-tokens.json': `{"tokens":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  'cut.json': JSON.stringify(sidecar).slice(0, 40),
  'controls.txt': takeover,
  'controls.json': JSON.stringify({ ...sidecar, watermark: takeover, model: takeover }),
  'nul.txt': '\0'.repeat(100),
  'sidecar.json': JSON.stringify(sidecar),
  'ids.json': JSON.stringify(ids),
  'null.json': 'null',
  'number.json': '12',
  'string.json': '"tokens"',
  'prototype.json': '{"__proto__":{"tokens":[1]},"constructor":1}',
  'false.mjs': 'export const mine = { id: 7, draw: null, context: undefined }',
  'throws.mjs': 'throw null',
  'syntax.mjs': 'export const = 1',
}

/** Values that a field of a sidecar should not have. */
const wrong = [null, true, -1, 0.5, 1e308, '', 'gumbel', takeover, [], {}, [null], [[1]], ['1'], [-1], [4e9]]
for (const field of Object.keys(sidecar))
  for (const [i, value] of wrong.entries())
    contents[`${field}-${i}.json`] = JSON.stringify({ ...sidecar, [field]: value })

beforeAll(() => {
  mkdirSync(join(folder, 'reports'))
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content)
  writeFileSync(join(folder, 'key'), KEY)
  symlinkSync('loop', join(folder, 'loop'))
  symlinkSync('nowhere', join(folder, 'dangling'))
  symlinkSync('somewhere', join(folder, 'adrift'))
  writeFileSync(join(folder, 'reports', 'r.json'), '{"tables":[],"charts":7}')
})

/** Devices that end, that never end and that cannot be read, on systems that have them. */
const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/urandom', '/proc/self/mem'].filter((name) =>
  existsSync(name),
)

const file = fc
  .constantFrom(...Object.keys(contents), 'missing', '.', 'reports', 'loop', 'dangling', '', ...devices)
  .map((name) => (name.startsWith('/') ? name : join(folder, name)))
const word = fc.oneof(
  fc.constantFrom(
    '',
    '-',
    '--',
    '-1',
    '0',
    '1e999',
    'NaN',
    '0x10',
    '1,2',
    ',',
    takeover,
    '../..',
    '\ud800',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  file,
)
const number = fc.oneof(fc.constantFrom('0.5', '-1', '0', '1e-400', '1e400', '7', '', ' ', 'x'), word)
const watermark = fc.oneof(
  fc.constantFrom(
    'gumbel',
    'kgw(delta=2)',
    'gumbel()',
    'gumbel(',
    'kgw',
    'kgw(delta=-1)',
    'synthid(layers=1e9)',
    '((((',
    'dipmark(alpha=0.4)',
    'toString',
    '__proto__',
  ),
  word,
)
const option = (name: string, value?: fc.Arbitrary<string>) =>
  value === undefined ? fc.constant([name]) : value.map((text) => [`${name}=${text}`])

const detecting = fc.array(
  fc.oneof(
    option('--watermark', watermark),
    option('--vocab-size', number),
    option('--alpha', number),
    option('--runs', fc.constantFrom('1', '9', '0', '-3', 'x', '1.5')),
    option('--skip', word),
    option('--ids'),
    option('--json'),
    option(
      '--html',
      fc
        .constantFrom('page.html', 'no/page.html', '.', 'loop', 'dangling', ...devices)
        .map((name) => (name.startsWith('/') ? name : join(folder, name))),
    ),
    option('--tokenizer', fc.constantFrom('embedded', './no', '', '.')),
  ),
  { maxLength: 4 },
)
/** Where outputs go: some cannot be written. None is an input, which texts would turn into a module that fails in its own way. */
const target = fc
  .constantFrom('/dev/full', '/dev/null', 'out', 'no/out', '.', 'loop', 'adrift', 'reports/r.json', '')
  .map((name) => (name.startsWith('/') ? name : join(folder, name)))
const sound = join(folder, 'sidecar.json')
/** Arguments in which only the output may be wrong. */
const writing = fc.oneof(
  target.map((out) => ['detect', sound, '--key', KEY, '--tokenizer=embedded', `--html=${out}`]),
  target.map((out) => ['generate', 'It', '--max-tokens=1', `--out=${out}`]),
  target.map((out) => [
    'generate',
    `--prompts=${join(folder, 'text.txt')}`,
    '--max-tokens=1',
    `--out=${out}`,
  ]),
  target.map((out) => ['report', join(folder, 'reports'), `--figures=${out}`]),
)
const junk = fc.array(
  fc.oneof(
    word,
    word.map((text) => `--${text}`),
    option('--json').map(([a]) => a!),
  ),
  { maxLength: 3 },
)

/** An argument list: mostly of the shape that a command expects, with something wrong in it. */
const argumentList: fc.Arbitrary<string[]> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(file, detecting, junk)
      .map(([name, options, more]) => [
        'detect',
        name,
        '--key',
        KEY,
        ...options.flat(),
        ...(more.length > 2 ? more : []),
      ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(file, junk)
      .map(([name, more]) => ['detect', name, `--key-file=${join(folder, 'key')}`, '-wgumbel', ...more]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('list', 'audit', 'report', 'help', '--version', '--help'), junk)
      .map(([name, more]) => [name, ...more]),
  },
  { weight: 1, arbitrary: writing },
  { weight: 1, arbitrary: fc.tuple(file, junk).map(([name, more]) => ['check', name, ...more]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(file, junk)
      .map(([name, more]) => ['generate', '--file', name, '--max-tokens', '0', ...more]),
  },
  {
    weight: 1,
    // no port that it could serve at: the command would run until it is interrupted
    arbitrary: fc
      .tuple(watermark, fc.constantFrom('x', '-1', '65536', '1.5', ''), junk)
      .map(([name, port, more]) => ['playground', `--watermark=${name}`, `--port=${port}`, ...more]),
  },
  { weight: 1, arbitrary: junk },
)

/** Node's and V8's own words: an error that says them names nothing that a person gave. */
const rawError =
  /Cannot (read|convert|destructure|mix|access)|is not (a function|iterable|defined|a constructor)|Invalid (array|string|typed)|Maximum call|undefined|\[object|node:internal|\bat .*:\d+:\d+/

function judge(args: readonly string[], { status, stdout, stderr, seconds }: Ran): void {
  const shown = JSON.stringify(args).slice(0, 500)
  // 3: an output that cannot be written, such as /dev/full
  expect([0, 1, 2, 3], `${shown}: ${stderr}`).toContain(status)
  if (status === 3) expect(stderr, shown).toMatch(/^(uwbench: [^\n]+cannot write [^\n]+\n)+$/)
  expect(stdout + stderr, shown).not.toMatch(unsafe)
  expect(stderr, shown).not.toMatch(rawError)
  expect(stdout + stderr, shown).not.toContain('nobody guesses')
  if (status === 2 && args.length > 0) {
    // of several texts those that can be read are listed, the others are errors, a line each
    expect(stderr, shown).toMatch(/^(uwbench: [^\n]{5,}\n)+$/)
    expect(stdout, shown).toMatch(/^($|text[ ,]|\{"text")/)
  } else expect(stdout + stderr, shown).not.toBe('')
  expect(seconds, shown).toBeLessThan(MAX_SECONDS)
}

/** The counts for reports/hardening.md. */
const partOf = (counts: ReadonlyMap<number, number>): string => {
  const rows: [number, string][] = [
    [0, 'watermark found, or what was asked for'],
    [1, 'no watermark found'],
    [2, 'an error of one line that names what was wrong'],
    [3, 'an output that cannot be written, in one line'],
  ]
  return `\`UWBENCH_FUZZ_RUNS=${RUNS} npx vitest run --project=unit spec/commands/fuzz.spec.ts\`: ${RUNS} random argument lists and hostile files, devices and
links, in one process by the function that the program calls, and ${PROGRAMS} more as programs of their own, with a pipe as standard input. None printed
a stack, an error of the language, an unsafe character or the key, and none took over ${MAX_SECONDS} s.

| exit code | what it means | runs |
| ---: | --- | ---: |
${rows.map(([code, meaning]) => `| ${code} | ${meaning} | ${counts.get(code) ?? 0} |`).join('\n')}
`
}

describe('in this process', () => {
  test(`${RUNS} random argument lists`, { timeout: 0 }, async () => {
    const counts = new Map<number, number>()
    await inProcess(['detect', join(folder, 'text.txt'), '-wgumbel', '--key', KEY]) // loads the tokenizer
    await fc.assert(
      fc.asyncProperty(argumentList, async (args) => {
        const ran = await inProcess(args, { isTerminal: true })
        counts.set(ran.status, (counts.get(ran.status) ?? 0) + 1)
        judge(args, ran)
      }),
      { numRuns: RUNS },
    )
    // the generator reaches results as well as errors
    expect((counts.get(0) ?? 0) + (counts.get(1) ?? 0)).toBeGreaterThan(0) // about one in sixteen
    expect(counts.get(2)).toBeGreaterThan(RUNS / 4)
    if (process.env.UWBENCH_FUZZ_RUNS) writePart('Command line', partOf(counts))
  })

  test('every file: a result, or an error that names the file or what is missing', async () => {
    const forms = [[], ['--ids'], ['--vocab-size', '50'], ['-w', 'kgw(delta=2)', '--vocab-size', '50']]
    for (const name of Object.keys(contents).filter((name) => !name.endsWith('.mjs')))
      for (const more of forms) {
        const args = ['detect', join(folder, name), '--key', KEY, ...more]
        const ran = await inProcess(args, { isTerminal: true })
        judge(args, ran)
        if (ran.status === 2)
          expect(ran.stderr).toMatch(new RegExp(`${name}|--vocab-size|--watermark|tokens|vocab`))
      }
  })
})

describe('as programs', () => {
  beforeAll(build)
  test(`${PROGRAMS} of them, with the input of a pipe`, { timeout: 0 }, () => {
    for (const args of fc
      .sample(argumentList, PROGRAMS)
      .filter((list) => !list.some((arg) => arg.includes('\0')))) {
      const began = performance.now()
      const { status, stdout, stderr } = uwbench(args, {
        cwd: folder,
        input: contents['sidecar.json'] as string,
      })
      expect((performance.now() - began) / 1000, args.join(' ')).toBeLessThan(60)
      judge(args, { status: status!, stdout, stderr, seconds: 0 })
    }
  })
})
