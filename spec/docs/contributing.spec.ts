/** CONTRIBUTING's five steps, followed in a copy of the repository. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { plainEnvironment, root, temporaryFolder } from '../commands/program.ts'
import { type Block, blocksOf } from './blocks.ts'

const copy = temporaryFolder('contributing')
const steps = blocksOf(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')).filter(
  ({ heading, words }) => heading === 'Add a watermark in five steps' && !words.includes('show'),
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
    env: plainEnvironment(),
  })
  expect(status, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0)
  return stdout
}

beforeAll(() => {
  for (const name of [
    'src',
    'spec',
    'docs',
    'reports',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
    'biome.json',
    '.gitignore',
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true })
  for (const name of ['node_modules', 'fixtures', 'scripts'])
    symlinkSync(join(root, name), join(copy, name), 'dir')
})

test('the steps lead to a watermark that passes the gate and has its page', () => {
  expect(steps.map(({ language }) => language)).toEqual(['ts', 'diff', 'ts', 'sh', 'md', 'diff', 'sh'])
  for (const step of steps) {
    const file = fileOf(step)
    if (step.language === 'sh') run('bash', '-ec', step.text)
    else if (step.language === 'diff') insert(join(copy, file!), step.text)
    else writeFileSync(join(copy, file!), step.text)
  }
  const page = readFileSync(join(copy, 'docs/watermarks/second-chance.md'), 'utf8')
  expect(page).toContain('| id | `secondChance` |')
  expect(page).toContain('which is `p`.')
})

test('what was written has the right types, and the style of the rest', () => {
  const written = steps.map(fileOf).filter((file) => file?.endsWith('.ts')) as string[]
  run(process.execPath, 'node_modules/typescript-7/bin/tsc', '--noEmit')
  run(
    process.execPath,
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    '--vcs-enabled=false',
    ...new Set(
      written.filter(
        (file) => file.startsWith('src/watermarks/second') || file.startsWith('spec/watermarks'),
      ),
    ),
  )
})
