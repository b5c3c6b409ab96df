/**
 * The steps of CONTRIBUTING, followed in a copy of the repository: one file, one line and nothing else, and the tests of `npm test`
 * that see methods pass there, all of them in the nightly job. They do not include this one, so nothing recurs.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { plainEnvironment, root, temporaryFolder } from '../commands/program.ts'
import { type Block, blocksOf } from '../docs/blocks.ts'

const copy = temporaryFolder('contributing')
const steps = blocksOf(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')).filter(
  ({ heading, words }) => heading === 'Add a watermark' && !words.includes('show'),
)
const fileOf = ({ words }: Block): string | undefined =>
  words.find((word) => word.startsWith('file='))?.slice(5)

/** Inserts each added line below the line that stands above it in the block, which occurs once in the file. */
function insert(file: string, diff: string): void {
  const lines = readFileSync(file, 'utf8').split('\n')
  let at = -1
  for (const line of diff.trimEnd().split('\n')) {
    if (line.startsWith('+')) {
      lines.splice(++at, 0, line.slice(1))
      continue
    }
    const places = lines.flatMap((other, i) => (other === line.slice(1) ? [i] : []))
    expect(places, `${file}: ${line}`).toHaveLength(1)
    at = places[0]!
  }
  writeFileSync(file, lines.join('\n'))
}

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: copy,
    encoding: 'utf8',
    // what is tested are the steps, not the gate
    env: plainEnvironment({ UWBENCH_EFFORT: 'quick' }),
  })
  expect(status, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0)
  return stdout
}

/** Read and never written, so that a link is enough. */
const linked = ['node_modules', 'fixtures']
const leftOut = ['.git', 'dist', 'coverage', '_site', ...linked]

beforeAll(() => {
  for (const name of readdirSync(root).filter((name) => !leftOut.includes(name)))
    cpSync(join(root, name), join(copy, name), { recursive: true })
  for (const name of linked) symlinkSync(join(root, name), join(copy, name), 'dir')
})

test('the steps lead to a watermark that passes the gate', () => {
  expect(steps.map(({ language }) => language)).toEqual(['ts', 'diff', 'sh', 'sh'])
  const added = steps[1]!.text.split('\n').filter((line) => line.startsWith('+'))
  expect(added).toHaveLength(1)
  for (const step of steps) {
    const file = fileOf(step)
    if (step.language === 'sh') run('bash', '-ec', step.text)
    else if (step.language === 'diff') insert(join(copy, file!), step.text)
    else writeFileSync(join(copy, file!), step.text)
  }
})

test('it has its page', () => {
  const page = readFileSync(join(copy, 'docs/watermarks/second-chance.md'), 'utf8')
  expect(page).toMatch(/^# Second chance\n\nSecond chance \(STA-1 at gamma/)
  expect(page).toContain('| id | `secondChance` |')
  expect(page).toContain(
    '| `strength?` | a number in [0, 1] | `1` | The probability that the second chance is taken. |',
  )
  expect(page).toContain('which is `p`.')
  const index = readFileSync(join(copy, 'docs/watermarks/README.md'), 'utf8')
  expect(index).toContain('| [Second chance](second-chance.md) | unbiased |')
})

test('it is in `uwbench list`', () => {
  run(process.execPath, 'scripts/build.mjs')
  const listed = run(process.execPath, 'dist/cli/uwbench.js', 'list')
  expect(listed).toMatch(/^secondChance +unbiased +ngram\(2\) +sum +binomial\(0\.5\)$/m)
})

test('it is exported, read by its id, timed, and a row of the tables', () => {
  writeFileSync(
    join(copy, 'spec/added.spec.ts'),
    `import { expect, test } from 'vitest'
     import { embeddedStudy } from '../src/bench/entry.ts'
     import { parseWatermark, secondChance } from '../src/index.ts'
     import { detectableWatermarks, strongWatermarks, usualWatermarks } from './watermarks/shipped.ts'
     import { steps, sumDetectors } from './throughput/cases.ts'

     const ids = (watermarks: readonly { id: string }[]) => watermarks.map(({ id }) => id)

     test('it is there', () => {
       expect(secondChance().id).toBe('secondChance')
       expect(parseWatermark('secondChance(strength=0.5)').domain).toBe('secondChance/ngram(2)')
       expect(ids(steps.map(([watermark]) => watermark))).toContain('secondChance')
       expect(ids(sumDetectors)).toContain('secondChance')
       expect(ids(embeddedStudy().watermarks)).toContain('secondChance')
       for (const cases of [detectableWatermarks(), strongWatermarks(), usualWatermarks()])
         expect(ids(cases)).toContain('secondChance')
     })\n`,
  )
  run('npx', 'vitest', 'run', '--project=unit', 'spec/added.spec.ts')
})

test('what was written has the right types, and the style of the rest', () => {
  const [written] = steps.map(fileOf)
  run(process.execPath, 'node_modules/typescript-7/bin/tsc', '--noEmit')
  run(process.execPath, 'node_modules/@biomejs/biome/bin/biome', 'check', '--vcs-enabled=false', written!)
})

const all = process.env.UWBENCH_RECIPE === 'all'
/** Folders of tests that see no list of methods. The nightly job sets UWBENCH_RECIPE=all, which leaves none of them out. */
const apart = all ? [] : ['bench', 'commands', 'models', 'testee', 'corpus', 'laws']
/** Folders of tests that are repeated for every method: those of the added one are run, and in the nightly job all. */
const repeated = all ? [] : ['watermarks']

test('the tests of `npm test` that see methods pass with it', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const tests = (scripts.test as string).split(' && ').at(-1)!
  expect(tests).toMatch(/^vitest run /)
  const folders = readdirSync(join(copy, 'spec'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && ![...apart, ...repeated].includes(entry.name))
    .map(({ name }) => `spec/${name}/`)
  run('npx', ...tests.split(' '), ...folders)
})

test.runIf(repeated.length > 0)('so do those that are repeated for it', () => {
  const folders = repeated.map((name) => `spec/${name}/`)
  const out = run(
    'npx',
    'vitest',
    'run',
    '--project=properties',
    ...folders,
    '-t',
    'secondChance|second chance',
  )
  // the laws of the gate alone are more than ten
  expect(Number(/Tests .*?(\d+) passed/.exec(stripVTControlCharacters(out))?.[1])).toBeGreaterThan(10)
})
