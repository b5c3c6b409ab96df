/** The newcomer's path, from the packed package to the first counterexample, as the README has it. */
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

/** Seconds of machine time from `npm install` to the counterexample, without a model. */
const MAX_SECONDS = 180

/** Seconds that the commands of a script took on processors, by the last line of the shell's `times`: waiting does not count. */
function machineSeconds(times: string): number {
  const parts = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => 60 * Number(m) + Number(s))
  return parts.reduce((a, b) => a + b, 0)
}

test('install to first counterexample takes less than three minutes of machine time', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const blocks = blocksOf(readme)
  const steps = blocks.filter(({ heading }) => heading === 'Thirty seconds to a counterexample')
  const install = blocks.find(({ text }) => text.startsWith('npm install'))!.text.trim()
  expect(install).toBe('npm install uwbench fast-check')
  const module = steps.find(({ words }) => words.includes('file=wrong.js'))!.text
  const command = steps.find(({ language }) => language === 'sh')!.text
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(join(folder, 'wrong.js'), module)
  const packages = `${tarball} fast-check@${manifest.devDependencies['fast-check']}`
  const script = `set -e
npm install --prefer-offline --no-audit --no-fund --loglevel=error ${packages} >/dev/null
${command}
times >&2
`
  const run = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8', env: plainEnvironment() })
  expect(run.status, run.stderr).toBe(0)
  expect(run.stdout).toContain('mine breaks the law "unbiased, exactly"')
  expect(run.stdout).toMatch(/p: +\[\d/)
  expect(run.stdout).toContain('exit code 1')
  const seconds = machineSeconds(run.stderr)
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThan(MAX_SECONDS)
}, 600_000)
