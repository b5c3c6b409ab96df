/** The command line with a bucket as its store. */
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, plainEnvironment, program, temporaryFolder } from '../../commands/program.ts'
import { type S3Server, startS3 } from './server.ts'

const folder = temporaryFolder('bucket-command')
let s3: S3Server
beforeAll(async () => {
  build()
  s3 = await startS3()
})
afterAll(() => s3.end())

/** `uwbench ARGS` on a machine of its own; the server answers from this process meanwhile. */
async function uwbench(machine: string, args: readonly string[], env: Record<string, string>) {
  const cwd = join(folder, machine)
  mkdirSync(cwd, { recursive: true })
  const options = { cwd, env: plainEnvironment({ ...s3.env, ...env }) }
  return promisify(execFile)(process.execPath, [program, ...args], options).catch((error) => error)
}

const small =
  'bench --model toy --data toy --watermark gumbel --limit 2 --max-tokens 20 --tables figure2'.split(' ')

test('a second machine takes every cell from the bucket', async () => {
  const first = await uwbench('first', [...small, '--workers', '1'], { UWBENCH_STORE: 's3://cells/study' })
  expect(first.stderr).toMatch(/figure2/)
  const written = s3.served.filter((line) => line.startsWith('PUT study/cells/'))
  expect(written.length).toBeGreaterThan(1)
  const second = await uwbench('second', [...small, '--store', 's3://cells/study'], {})
  expect(second.stdout.replaceAll('second', 'first')).toBe(first.stdout)
  expect(s3.served.filter((line) => line.startsWith('PUT study/cells/'))).toEqual(written)
})

test.each([
  ['bench', small],
  ['worker', ['worker', '--queue', 'redis://127.0.0.1:1']],
])('%s: a wrong secret is one line', async (_, args) => {
  const env = { UWBENCH_STORE: 's3://cells/study', AWS_SECRET_ACCESS_KEY: 'of+another/0123' }
  const { code, stderr } = await uwbench('third', args, env)
  expect(code).toBe(3)
  expect(stderr.trim()).toMatch(/bucket s3:\/\/cells\/study: wrong secret key; check AWS_SECRET_ACCESS_KEY$/)
  expect(stderr.trim()).not.toContain('\n')
})
