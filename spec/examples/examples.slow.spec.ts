/** Checks of the examples that need no cluster. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { shardOf } from '../../src/bench/cells/shard.ts'
import { build, plainEnvironment, program, root, temporaryFolder } from '../commands/program.ts'

const folder = temporaryFolder('examples')
const example = (name: string): string => readFileSync(join(root, 'examples', name), 'utf8')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

beforeAll(build)

test('each example is named in the README of the folder', () => {
  for (const name of readdirSync(join(root, 'examples')))
    if (name !== 'README.md') expect(example('README.md')).toContain(`(${name})`)
})

test('Kubernetes: as many shards as completions, in an Indexed Job', () => {
  const { kind, spec } = parse(example('kubernetes.yaml'))
  expect([kind, spec.completionMode]).toEqual(['Job', 'Indexed'])
  const [{ env, command }] = spec.template.spec.containers
  const variables = Object.fromEntries(
    env.map((one: { name: string; value: string }) => [one.name, one.value]),
  )
  expect(variables.UWBENCH_SHARDS).toBe(`${spec.completions}`)
  const last = shardOf({ ...variables, JOB_COMPLETION_INDEX: `${spec.completions - 1}` })
  expect(last).toEqual({ index: spec.completions, count: spec.completions })
  expect(command).toContain('uwbench')
})

test('compose: Redis and two workers of this version that find it', () => {
  const { services } = parse(example('compose.yaml'))
  const { command, environment, deploy } = services.worker
  expect(deploy.replicas).toBe(2)
  expect(new URL(environment.UWBENCH_QUEUE).hostname).toBe('redis')
  expect(services.redis.image).toMatch(/^redis:[7-9]/)
  expect(command).toContain(`uwbench@${version} `)
  expect(command).toMatch(/ uwbench worker$/)
})

/** Runs the batch script as Slurm does, with `npx uwbench` as the built program. */
function slurm(task: number, count: number) {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\nshift\nexec '${process.execPath}' '${program}' "$@" --limit 2 --max-tokens 10 -w paper\n`,
  )
  chmodSync(join(bin, 'npx'), 0o755)
  return spawnSync('bash', [join(root, 'examples/slurm.sbatch')], {
    cwd: folder,
    encoding: 'utf8',
    env: plainEnvironment({
      PATH: `${bin}:${process.env.PATH}`,
      SLURM_SUBMIT_DIR: folder,
      SLURM_ARRAY_TASK_ID: `${task}`,
      SLURM_ARRAY_TASK_COUNT: `${count}`,
      SLURM_ARRAY_TASK_MIN: '1',
      SCALE: 'smoke',
    }),
  })
}

test('Slurm: the tasks of an array, then the report', () => {
  const [, low, high] = /^#SBATCH --array=(\d+)-(\d+)$/m.exec(example('slurm.sbatch'))!
  expect([Number(low), Number(high)]).toEqual([1, 16])
  const first = slurm(1, 2)
  expect(first.status).toBe(0)
  const cells = (pattern: RegExp): number => Number(pattern.exec(first.stderr)?.[1])
  const [own, others] = [
    cells(/table3: \d+\/(\d+) cells/),
    cells(/table3: (\d+) cells belong to other shards/),
  ]
  // addresses, and so shares, change with the code: 20 chains of cells are all in one share with a chance of 2e-6
  expect(others).toBeGreaterThan(0)
  expect(own + others).toBeGreaterThan(80)
  const second = slurm(2, 2)
  expect(second.status).toBe(0)
  // both shares are in the store: the last task finds them all
  expect(second.stdout).toContain('index.html')
})
