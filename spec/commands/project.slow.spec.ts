/** Commands in somebody's project: own watermarks in TypeScript, settings, init, bench, compare, completion. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/bench/report/write.ts'
import { sample } from '../report/sample.ts'
import { inProcess } from './in-process.ts'
import { build, linkPackages, temporaryFolder, uwbench } from './program.ts'

const KEY = 'a secret that nobody guesses'
const folder = temporaryFolder('project')
const at = (name: string): string => join(folder, name)
const run = (...args: string[]) => uwbench(args, { cwd: folder })

beforeAll(() => {
  build()
  linkPackages(folder, ['vite', 'vitest', '@huggingface/transformers', '@noble/hashes'])
  writeFileSync(at('package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(at('key'), KEY)
})

describe('init', () => {
  test('writes a declaration, its spec, a workflow and the settings, and overwrites nothing', () => {
    const { status, stdout } = run('init')
    expect(stdout).toContain('npm install --save-dev uwbench vitest fast-check')
    expect(status).toBe(0)
    for (const name of [
      'my-watermark.ts',
      'my-watermark.spec.ts',
      'uwbench.config.ts',
      '.github/workflows/watermark.yml',
    ])
      expect(existsSync(at(name)), name).toBe(true)
    const again = run('init')
    expect(again.stderr).toContain('already there; nothing was written')
    expect(again.status).toBe(2)
    expect(run('init', 'elsewhere').stdout).toContain('next: cd elsewhere, then')
  })
})

describe('a watermark in TypeScript', () => {
  test('is found by the settings, marks a text and is detected; relative imports work', () => {
    mkdirSync(at('src'))
    writeFileSync(at('src/strength.ts'), 'export const strength: number = 1\n')
    const own = readFileSync(at('my-watermark.ts'), 'utf8')
    writeFileSync(
      at('my-watermark.ts'),
      `import { strength } from './src/strength.ts'\n${own.replace('(1 + isGreen', '(1 + strength * isGreen')}`,
    )
    const made = run(
      'generate',
      'It was a dark night',
      '--key-file',
      'key',
      '--max-tokens',
      '250',
      '--seed',
      '3',
      '-o',
      'a.txt',
    )
    expect(made.stderr).toContain('wrote a.txt')
    expect(JSON.parse(readFileSync(at('a.txt.json'), 'utf8'))).toMatchObject({ watermark: 'my-watermark' })
    const found = run('detect', 'a.txt', '--key-file', 'key', '--alpha', '0.5')
    expect(found.stdout).toContain('watermark  my-watermark')
    expect(run('detect', 'a.txt', '-w', 'gumbel', '--key-file', 'key').stdout).toContain('watermark  gumbel')
    rmSync(at('uwbench.config.ts')) // the others name what they need
  })

  test('one of several is named after #; what is wrong is said in a line', () => {
    writeFileSync(
      at('two.ts'),
      "import { gumbel, kgw } from 'uwbench'\nexport const a = gumbel()\nexport const b = kgw({ delta: 2 })\n",
    )
    const args = ['detect', 'a.txt.json', '--key-file', 'key', '-w']
    expect(run(...args, './two.ts').stderr).toContain("choose one, such as './two.ts#gumbel'")
    expect(run(...args, './two.ts#kgw(delta=2)').stdout).toContain('watermark  kgw(delta=2)')
    expect(run(...args, './two.ts#blue').stderr).toContain(
      "exports no watermark 'blue', but gumbel, kgw(delta=2)",
    )
    expect(run(...args, './none.ts').stderr).toContain('./none.ts: no such file')
    writeFileSync(at('broken.ts'), 'export const = 1')
    const { status, stderr } = run(...args, './broken.ts')
    expect(stderr).toMatch(/^uwbench: \.\/broken\.ts: [^\n]+\n$/)
    expect(status).toBe(2)
  })

  test('is a row of the benchmark, beside others, on own prompts; compare finds no difference to itself', () => {
    writeFileSync(
      at('prompts.jsonl'),
      ['The whale', 'It was', 'Call me', 'In the']
        .map((prompt) => `${JSON.stringify({ prompt })}\n`)
        .join(''),
    )
    const args = ['bench', '-w', 'gumbel,./my-watermark.ts', '--model', 'embedded', '--data', 'prompts.jsonl']
    const { status, stdout } = run(
      ...args,
      '--limit',
      '3',
      '--max-tokens',
      '30',
      '--workers',
      '0',
      '-o',
      'out',
    )
    expect(stdout).toMatch(/^my-watermark /m)
    expect(status).toBe(0)
    expect(readdirSync(at('out'))).toEqual(
      expect.arrayContaining(['index.html', 'table3.json', 'table3.tex']),
    )
    const same = run('compare', 'out', 'out')
    expect(same.stdout).toContain('table3: no differences beyond chance')
    expect(same.status).toBe(0)
    const closed = run(...args, '--tables', 'table1')
    expect(closed.stderr).toContain('--tables: table1 needs tasks with references')
    expect(closed.status).toBe(2)
  })
})

describe('settings of a project', () => {
  const withConfig = (text: string | Record<string, string>) => {
    const other = temporaryFolder('config')
    linkPackages(other, ['@noble/hashes', 'vite'])
    mkdirSync(join(other, 'inner'))
    for (const [name, content] of Object.entries(
      typeof text === 'string' ? { 'uwbench.config.js': text } : text,
    ))
      writeFileSync(join(other, name), content)
    writeFileSync(join(other, 'key'), KEY)
    writeFileSync(join(other, 'ids.json'), JSON.stringify(Array.from({ length: 40 }, (_, i) => (i * i) % 97)))
    return (args: string[], env = {}) => uwbench(args, { cwd: other, env })
  }

  test('fill in what is not given; the command line and the environment come first', () => {
    const own = withConfig("export default { keyFile: './key', watermark: 'gumbel', vocabSize: 97 }")
    const first = own(['detect', 'ids.json', '--json'])
    expect(JSON.parse(first.stdout)).toMatchObject({ watermark: 'gumbel' })
    const p = (...more: Parameters<typeof own>) =>
      (JSON.parse(own(...more).stdout) as { pValue: number }).pValue
    const by = p(['detect', 'ids.json', '--json', '--key', KEY])
    expect(p(['detect', 'ids.json', '--json'])).toBe(by)
    expect(p(['detect', 'ids.json', '--json'], { UWBENCH_KEY: 'another secret of many bytes' })).not.toBe(by)
    expect(p(['detect', 'ids.json', '--json', '--vocab-size', '98'])).toBe(by)
    expect(own(['detect', 'ids.json', '-w', 'kgw(delta=2)']).stdout).toContain('kgw(delta=2)')
  })

  const detection = { keyFile: './key', watermark: 'gumbel', vocabSize: 97 }
  const parts = { summarizer: './bart', data: { c4: './c4' } }
  const asModule = (config: object) => `export default ${JSON.stringify(config)}`
  type Part = { name: string; place: string }

  test.each<[string, Record<string, string>, Record<string, string>?]>([
    ['.json', { 'uwbench.config.json': JSON.stringify({ ...detection, ...parts }) }],
    ['.ts', { 'uwbench.config.ts': asModule({ ...detection, ...parts }) }],
    ['two files', { 'uwbench.config.js': asModule(detection), 'uwbench.config.json': JSON.stringify(parts) }],
    [
      'UWBENCH_CONFIG in another folder',
      {
        'uwbench.config.js': asModule({ vocabSize: 0 }),
        'inner/mine.mjs': asModule({
          ...detection,
          summarizer: '../bart',
          keyFile: '../key',
          data: { c4: '../c4' },
        }),
      },
      { UWBENCH_CONFIG: 'inner/mine.mjs' },
    ],
  ])('%s: settings for commands and benchmark', (_, files, env = {}) => {
    const own = withConfig(files)
    const first = own(['detect', 'ids.json', '--json'], env)
    expect(first.stderr).toBe('')
    expect(JSON.parse(first.stdout)).toMatchObject({ watermark: 'gumbel' })
    const found = JSON.parse(own(['models', '--scale', 'paper', '--json'], env).stdout) as Part[]
    expect(found.some(({ name }) => /[^.]\/bart$/.test(name))).toBe(true)
    expect(found.find(({ name }) => name === 'c4')!.place).toMatch(/^\/[^.]*\/c4$/)
  })

  test('a setting in two files is refused, with their names', () => {
    const own = withConfig({
      'uwbench.config.js': asModule(detection),
      'uwbench.config.json': JSON.stringify({ ...parts, vocabSize: 97 }),
    })
    const { status, stderr } = own(['list'])
    expect(stderr).toBe(
      "uwbench: 'vocabSize' is set in uwbench.config.js and in uwbench.config.json; remove it from one of them\n",
    )
    expect(status).toBe(2)
    expect(own(['list'], { UWBENCH_CONFIG: 'no.json' }).stderr).toContain('UWBENCH_CONFIG: expected a file')
  })

  test('bench takes models before the model of other commands', () => {
    const tables = (config: object) =>
      withConfig(asModule(config))(['bench', '--scale', 'paper', '--tables', 'table1']).stderr
    expect(tables({ model: 'embedded' })).toContain('table1 needs tasks with references')
    expect(tables({ model: 'embedded', models: ['./mine'] })).toContain("the scale 'paper' cannot start")
  })

  test.each([
    ["export default { key: 'x' }", "config: unknown option 'key'"],
    ['export default { vocabSize: 0 }', 'vocabSize: expected'],
    ['export const config = {}', 'expected an object of settings'],
    ['export default', 'uwbench.config.js: '],
  ])('%s is refused', (text, message) => {
    const { status, stderr } = withConfig(text)(['list'])
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/^uwbench: [^\n]+\n$/)
    expect(status).toBe(2)
  })
})

describe('compare', () => {
  const changed = {
    ...sample,
    tables: sample.tables.map((table) => ({
      ...table,
      rows: table.rows.map((row, i) =>
        i > 0
          ? row
          : {
              ...row,
              cells: Object.fromEntries(
                Object.keys(row.cells).map((id) => [id, { kind: 'exact', value: 1e9 }]),
              ),
            },
      ),
    })),
  } as typeof sample

  test('differences by cell, exit code 1; JSON', async () => {
    writeFileSync(at('a.json'), toJson(sample))
    writeFileSync(at('b.json'), toJson(changed))
    const { status, stdout } = await inProcess(['compare', at('a.json'), at('b.json')])
    expect(stdout).toMatch(/sample: \d+ differences beyond chance in \d+ cells/)
    expect(stdout).toContain('1 report of 1 differs')
    expect(status).toBe(1)
    const json = await inProcess(['compare', at('a.json'), at('b.json'), '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ falseAlarm: 1e-4, reports: [{ report: 'sample' }] })
    expect((await inProcess(['compare', at('a.json'), at('a.json')])).status).toBe(0)
  })

  test.each([
    [['compare', 'x'], 'expected two reports'],
    [['compare', 'x', 'y'], 'x: no such file or folder'],
    [['compare', at('package.json'), at('package.json')], 'expected a report, found other JSON'],
  ])('%j is refused', async (args, message) => {
    const { status, stderr } = await inProcess(args)
    expect(stderr).toContain(message)
    expect(status).toBe(2)
  })
})

describe('completion', () => {
  test('bash: commands first, then the options of the command', async () => {
    const { stdout } = await inProcess(['completion', 'bash'])
    const complete = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          `${stdout}\nCOMP_WORDS=(uwbench ${words.join(' ')}); COMP_CWORD=${words.length}; _uwbench; echo "\${COMPREPLY[*]}"`,
        ],
        { encoding: 'utf8' },
      ).trim()
    expect(complete('det')).toBe('detect')
    expect(complete('audit')).toBe('audit-model audit')
    expect(complete('detect', '--la')).toBe('--label')
    expect(complete('detect', '-w', 'dip')).toBe('dipmark\\(alpha=0.3\\) dipmark\\(alpha=0.4\\)')
    expect(complete('check', '--law', 'drif')).toBe('drift')
  })

  test('zsh and fish; another shell is refused', async () => {
    expect((await inProcess(['completion', 'zsh'])).stdout).toContain('bashcompinit')
    const { stdout } = await inProcess(['completion', 'fish'])
    expect(stdout).toContain("complete -c uwbench -n '__fish_seen_subcommand_from detect' -l label -r")
    expect((await inProcess(['completion', 'tcsh'])).status).toBe(2)
  })
})
