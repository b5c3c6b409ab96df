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

/** Seconds of machine time from `npm install` to the first result, as promised. */
const WITHOUT_MODEL = 180
const WITH_MODEL = 360

/** Seconds that the commands of a script took on processors, by the last line of the shell's `times`: waiting does not count. */
function machineSeconds(times: string): number {
  const parts = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => 60 * Number(m) + Number(s))
  return parts.reduce((a, b) => a + b, 0)
}

const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'))
const under = (title: string) => blocks.filter(({ heading }) => heading === title)
const commandOf = (title: string): string => under(title).find(({ language }) => language === 'sh')!.text

/** Installs packages beside ours in a fresh project, runs the commands, and says what they printed and took. */
function timed(project: string, others: readonly string[], commands: string) {
  const packages = others.map((name) => `${name}@${manifest.devDependencies[name]}`)
  const script = `set -e
npm install --prefer-offline --no-audit --no-fund --loglevel=error ${tarball} ${packages.join(' ')} >/dev/null
${commands}
times >&2
`
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  // as docs/install.md has it for machines behind a firewall: the part for GPUs comes from elsewhere
  const env = plainEnvironment({ ONNXRUNTIME_NODE_INSTALL: 'skip' })
  const run = spawnSync('bash', ['-c', script], { cwd: project, encoding: 'utf8', env })
  expect(run.status, run.stderr).toBe(0)
  const seconds = machineSeconds(run.stderr)
  expect(seconds).toBeGreaterThan(0)
  return { stdout: run.stdout, seconds }
}

test('install to first counterexample takes less than three minutes of machine time', () => {
  const install = blocks.find(({ text }) => text.startsWith('npm install'))!.text.trim()
  expect(install).toBe('npm install uwbench fast-check')
  const title = 'Thirty seconds to a counterexample'
  const module = under(title).find(({ words }) => words.includes('file=wrong.js'))!.text
  writeFileSync(join(folder, 'wrong.js'), module)
  const { stdout, seconds } = timed(folder, ['fast-check'], commandOf(title))
  expect(stdout).toContain('mine breaks the law "unbiased, exactly"')
  expect(stdout).toMatch(/p: +\[\d/)
  expect(stdout).toContain('exit code 1')
  expect(seconds).toBeLessThan(WITHOUT_MODEL)
}, 600_000)

test('install to the first text of the model that is detected takes less than six', () => {
  const { stdout, seconds } = timed(
    temporaryFolder('newcomer-model'),
    ['@huggingface/transformers'],
    commandOf('2. Generate and detect'),
  )
  expect(stdout).toMatch(/decision +detected at alpha = 0\.01\np-value +\d/)
  expect(seconds).toBeLessThan(WITH_MODEL)
}, 600_000)
