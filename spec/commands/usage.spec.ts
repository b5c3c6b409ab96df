import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parseWatermark } from '../../src/watermarks/entry.ts'
import { inProcess } from './in-process.ts'
import { build, root, shell, temporaryFolder, uwbench } from './program.ts'

const folder = temporaryFolder('usage')
const before = process.cwd()
beforeAll(() => {
  build()
  writeFileSync(join(folder, 'text'), 'The whale')
  vi.stubEnv('UWBENCH_KEY', undefined)
  process.chdir(folder)
})
afterAll(() => process.chdir(before))

const commands = [
  'list',
  'generate',
  'detect',
  'calibrate',
  'check',
  'audit-model',
  'bench',
  'eval',
  'report',
  'compare',
  'verify',
  'audit',
  'models',
  'plan',
  'playground',
  'init',
  'completion',
]

describe('help', () => {
  test('without a command: the commands, and exit code 2', () => {
    const { status, stdout } = uwbench([])
    expect(status).toBe(2)
    for (const name of commands) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
    expect(stdout).toContain('exit codes:\n  0  yes')
  })

  test.each(['help', '--help', '-h'])('%s: the same, and exit code 0', async (word) => {
    const { status, stdout } = uwbench([word])
    expect(status).toBe(0)
    expect(stdout).toBe((await inProcess([])).stdout)
  })

  test.each(commands)('%s --help: usage and every flag, in lines that fit', async (name) => {
    const { status, stdout } = await inProcess([name, '--help'])
    expect(status).toBe(0)
    expect(stdout).toContain(`usage: uwbench ${name}`)
    expect(stdout).toContain('--help')
    expect(stdout).toContain('uwbench --help lists the exit codes.')
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  test('every line fits a terminal: help, list, models and plan', async () => {
    const rate = ['--rate', '1000']
    for (const args of [
      ['--help'],
      ['list'],
      ['models', '--scale', 'paper'],
      ['plan', '--scale', 'smoke', ...rate],
    ]) {
      const { stdout } = await inProcess(args, { isTerminal: true })
      const lines = stdout.split('\n').filter((line) => line.trim().includes(' '))
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80)
    }
  })

  test('list in a file: every column begins at one place', async () => {
    const [head, ...rows] = (await inProcess(['list'])).stdout.trimEnd().split('\n')
    const places = ['claim', 'context', 'detector'].map((name) => head!.indexOf(name))
    for (const row of rows) for (const at of places) expect(row.slice(at - 2, at + 1)).toMatch(/^ {2}\S$/)
  })

  test('--version', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect(uwbench(['--version']).stdout).toBe(`${version}\n`)
  })
})

describe('mistakes: one line that says what to do, exit code 2', () => {
  test.each([
    ['no such command', ['decode'], "unknown command 'decode', expected list, generate"],
    ['a misspelt command', ['detct'], "completion; did you mean 'detect'? (see uwbench --help)"],
    ['an option for a command', ['--verbose'], "unknown option '--verbose'"],
    ['more after --version', ['--version', 'list'], "unexpected argument 'list' (see uwbench --help)"],
    ['no such flag', ['list', '--verbose'], "unknown option '--verbose' (see uwbench list --help)"],
    ['a misspelt flag', ['list', '--jsn'], "unknown option '--jsn'; did you mean '--json'?"],
    ['no such short flag', ['detect', '-x'], "unknown option '-x'"],
    ['a flag without its value', ['detect', '--key'], "option '--key' needs a value"],
    ['a flag for a value', ['detect', '--key', '--json'], "option '--key' needs a value; one that begins"],
    ['a value for a switch', ['list', '--json=yes'], "option '--json' takes no value"],
    ['a key twice', ['detect', '--key', 'a', '--key', 'b'], "option '--key' is given twice"],
    ['a switch twice', ['list', '--json', '--json'], "option '--json' is given twice"],
    ['an extra argument', ['list', 'gumbel'], "unexpected argument 'gumbel' (see uwbench list --help)"],
    ['two prompts', ['generate', 'a', '--file', 'b'], 'as words or with --file, not both'],
    ['an empty file name', ['generate', 'a', '-o', ''], 'expected the name of a file'],
    ['a folder for a text', ['detect', '.', '-w', 'gumbel', '--key', 'k'], '.: is a folder'],
    ['a folder to write', ['generate', 'a', '-o', '.'], '.: is a folder'],
    ['a device without end', ['detect', '-w', 'gumbel', '--key-file', '/dev/zero'], 'at most 1048576 bytes'],
    ['no text', ['detect', '-w', 'gumbel', '--key', 'k'], 'standard input: expected a text, found none'],
    ['no watermark', ['detect', 'text', '--key', 'k'], 'no watermark: give --watermark'],
    ['no key', ['detect', '-w', 'gumbel'], 'no key: give --key K, --key-file FILE or set UWBENCH_KEY'],
    ['two keys', ['detect', '-w', 'gumbel', '--key', 'k', '--key-file', 'f'], 'not both'],
    ['an empty key', ['detect', '-w', 'gumbel', '--key', ''], 'no key'],
    ['no such file', ['detect', 'no.txt', '-w', 'gumbel', '--key', 'k'], 'no.txt: no such file'],
    ['no such key file', ['detect', '-w', 'gumbel', '--key-file', 'no.key'], 'no.key: no such file'],
    ['no such method', ['detect', '-w', 'blue', '--key', 'k'], 'watermark: expected one of bimark'],
    [
      'no such parameter',
      ['detect', '-w', 'gumbel(beta=1)', '--key', 'k'],
      "gumbel: unknown parameter 'beta', expected codes, flavor, contexts, context",
    ],
    ['a parameter out of range', ['detect', '-w', 'dipmark(alpha=0.6)', '--key', 'k'], 'alpha: expected'],
    ['a word for a number', ['detect', '-w', 'gumbel', '--key', 'k', '--alpha', 'low'], '--alpha: expected'],
    [
      'a level out of range',
      ['detect', 'text', '-w', 'gumbel', '--key', 'k', '--alpha', '2'],
      'alpha: expected',
    ],
    ['a word for an id', ['detect', '-w', 'gumbel', '--key', 'k', '--skip', 'eos'], "token ids, got 'eos'"],
    ['nothing to detect', ['detect', 'text', '-w', 'unwatermarked', '--key', 'k'], 'declares no detector'],
    ['no prompt', ['generate'], 'no prompt'],
    ['no folder for the text', ['generate', 'a', '-o', 'no/a.txt'], 'no/a.txt: no such folder'],
    ['a prompt but no key', ['generate', 'a', '-w', 'gumbel'], 'no key'],
    [
      'no such tokenizer',
      ['detect', '-w', 'gumbel', '--key', 'k', '--tokenizer', './no'],
      './no: no such folder',
    ],
    ['no such model', ['generate', 'a', '--model', './no'], './no'],
    ['nothing to check', ['check'], 'no watermark: give a module'],
    ['no such module', ['check', './no.js'], './no.js: no such file'],
    ['no reports', ['report', '.'], '.: holds no reports; run the benchmark first: npm run bench'],
    ['no folder of reports', ['report', 'no'], 'no: no such folder'],
  ] as [string, string[], string][])('%s', async (_, args, message) => {
    const { status, stdout, stderr } = await inProcess(args)
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/^uwbench: .*\n$/)
    expect(stdout).toBe('')
    expect(status).toBe(2)
  })

  test('the program says and returns the same', async () => {
    const args = ['detect', '-w', 'gumbel(beta=1)', '--key', 'k']
    const { seconds: _, ...expected } = await inProcess(args)
    expect(uwbench(args, { cwd: folder })).toMatchObject(expected)
  })
})

describe('list', () => {
  test("the paper's 19 rows first; every id can be given back", () => {
    const rows = JSON.parse(uwbench(['list', '--json']).stdout) as { id: string; unbiased: boolean }[]
    expect(rows.length).toBeGreaterThan(19)
    expect(rows[0]).toMatchObject({ id: 'unigram(delta=0.5)', unbiased: false })
    for (const { id, unbiased } of rows) expect(parseWatermark(id)).toMatchObject({ id, unbiased })
  })

  test('a table without trailing space or colours', () => {
    const { stdout } = uwbench(['list'])
    expect(stdout).toMatch(/^synthid\(layers=20\) +unbiased +ngram\(2\) +sum +binomial\(0\.5,trials=20\)$/m)
    expect(stdout).not.toMatch(/ $/m)
    expect(stdout).not.toContain('\u001b')
  })
})

describe('in a pipe', () => {
  test('a reader that stops early is no error', () => {
    const { status, stdout, stderr } = shell('set -o pipefail; uwbench audit | head -n 1', folder)
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: '# The published tables, audited\n',
      stderr: '',
    })
  })

  test('the exit code of the program comes through', () => {
    const { status } = shell(
      'set -o pipefail; echo 1 2 3 | uwbench detect --ids --vocab-size 9 -w gumbel --key k | head -n 0',
      folder,
    )
    expect(status).toBe(1)
  })
})
