/** The newcomer's path, from the packed package to the first counterexample and the first text, as the README has it. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { plainEnvironment, root, temporaryFolder } from '../commands/program.ts'
import { blocksOf } from '../docs/blocks.ts'
import { manifest, pack } from './packed.ts'

const folder = temporaryFolder('newcomer')
let tarball: string

beforeAll(() => {
  tarball = pack(folder).tarball
})

/** Seconds of machine time after `npm install` to the first result, as promised. */
const WITHOUT_MODEL = 60
const WITH_MODEL = 180

/** Seconds that commands took on processors between two runs of the shell's `times`: waiting does not count. */
function machineSeconds(times: string): number {
  const parts = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => 60 * Number(m) + Number(s))
  const [before, after] = [parts.slice(0, 4), parts.slice(4, 8)].map((four) =>
    four.reduce((a, b) => a + b, 0),
  )
  return after! - before!
}

const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'))
const under = (title: string) => blocks.filter(({ heading }) => heading === title)
const commandOf = (title: string): string => under(title).find(({ language }) => language === 'sh')!.text

/** Installs packages beside ours in a fresh project, runs the commands, and says what they printed and took. */
function timed(
  project: string,
  others: readonly string[],
  commands: string,
  { npm = 'npm', type = ', "type": "commonjs"' } = {},
) {
  const packages = others.map((name) => `${name}@${manifest.devDependencies[name]}`)
  const script = `set -e
${npm} install --prefer-offline --no-audit --no-fund --loglevel=error ${tarball} ${packages.join(' ')} >/dev/null
times >&2
${commands}
times >&2
`
  // as `npm init -y` writes it with npm 11, where .js is CommonJS; with npm 10 it has no "type"
  writeFileSync(join(project, 'package.json'), `{ "name": "project", "version": "1.0.0"${type} }`)
  // as docs/install.md has it for machines behind a firewall: the part for GPUs comes from elsewhere
  const env = plainEnvironment({ ONNXRUNTIME_NODE_INSTALL: 'skip' })
  const run = spawnSync('bash', ['-c', script], { cwd: project, encoding: 'utf8', env })
  expect(run.status, run.stderr).toBe(0)
  const seconds = machineSeconds(run.stderr)
  expect(seconds).toBeGreaterThan(0)
  return { stdout: run.stdout, seconds }
}

test.each([
  ['npm', ', "type": "commonjs"'],
  ['npx --yes npm@10', ''],
])(
  'installed with %s, the first counterexample takes less than a minute of machine time',
  (npm, type) => {
    const install = blocks.find(({ text }) => text.startsWith('npm install'))!.text.trim()
    expect(install).toBe('npm install uwbench fast-check')
    const title = 'Thirty seconds to a counterexample'
    const module = under(title).find(({ words }) => words.includes('file=wrong.mjs'))!.text
    const project = temporaryFolder(npm.replace(/\W+/g, '-'))
    writeFileSync(join(project, 'wrong.mjs'), module)
    const { stdout, seconds } = timed(project, ['fast-check'], commandOf(title), { npm, type })
    expect(stdout).toContain('mine breaks the law "unbiased, exactly"')
    expect(stdout).toMatch(/p: +\[\d/)
    expect(stdout).toContain('exit code 1')
    expect(seconds).toBeLessThan(WITHOUT_MODEL)
  },
  600_000,
)

test('the first text of the model that is detected takes less than three', () => {
  const { stdout, seconds } = timed(
    temporaryFolder('newcomer-model'),
    ['@huggingface/transformers'],
    // a table without attacks asks for no package that only attacks need
    `${commandOf('2. Generate and detect')}\nnpx uwbench bench --scale smoke --tables table3`,
  )
  expect(stdout).toMatch(/^KGW\(δ=2\.0\) +\d/m)
  expect(stdout).toMatch(/decision +detected at alpha = 0\.01\np-value +\d/)
  expect(seconds).toBeLessThan(WITH_MODEL)
}, 600_000)
