/** A module that exports a method, `defineMethod`, serves every command that takes a module, with any of its parameters. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRedis, type RedisServer, startRedis } from '../bench/queue/redis.ts'
import { requireComponent } from '../require.ts'
import { build, linkPackages, plainEnvironment, program, temporaryFolder, uwbench } from './program.ts'

const folder = temporaryFolder('own-method')
const key = 'a key of sixteen bytes'
const run = (...args: string[]) => uwbench(args, { cwd: folder, env: { UWBENCH_KEY: key } })

let redis: RedisServer
beforeAll(async () => {
  build()
  linkPackages(folder, ['@noble/hashes', 'bullmq', 'ioredis'])
  writeFileSync(
    join(folder, 'mine.mjs'),
    `import { binomial, defineMethod, ngram, parameter, sumDetector } from 'uwbench'
const isGreen = (token, random) => random.uint32(token) >>> 31
export const mine = defineMethod('mine', {
  parameters: {
    strength: parameter.number(0, 1, { default: 1 }),
    context: parameter.context(() => ngram(2)),
  },
  make: ({ strength }) => ({
    unbiased: true,
    draw: (random) => random,
    reweight(p, random, q) {
      const green = p.reduce((sum, mass, i) => sum + mass * isGreen(i, random), 0)
      for (let i = 0; i < p.length; i++) q[i] = p[i] * (1 + strength * (isGreen(i, random) - green))
    },
    score: isGreen,
    detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
  }),
})
`,
  )
  writeFileSync(join(folder, 'texts.txt'), 'It was a dark night.\nThe lamp was out, and nobody came.\n')
  if (hasRedis) redis = await startRedis()
})
afterAll(() => redis?.end())

const bench = (name: string, ...more: string[]) =>
  run(
    ...['bench', '--scale', 'smoke', '--tables', 'table3', '--limit', '2', '--max-tokens', '20'],
    ...['-w', name, '--store', `store-${more[0]}`, '--out', `out-${more[0]}`, ...more],
  )
const detect = (name: string, ...more: string[]) =>
  run('detect', 'texts.txt', '--format', 'lines', '--json', '-w', name, ...more)

describe.each([
  ['./mine.mjs', 'mine'],
  ['./mine.mjs#mine(strength=0.5)', 'mine(strength=0.5)'],
])('%s', (name, id) => {
  test('is a row of the benchmark', () => {
    const { status, stdout, stderr } = bench(name, '--workers', '1')
    expect(stderr).not.toContain('expected one of')
    expect(stdout.split('\n').some((line) => line.startsWith(`${id} `))).toBe(true)
    expect(status).toBe(0)
  })

  test('is tested alike on one thread, on two, and as it grows', () => {
    const one = detect(name)
    expect(one.stdout).toContain(`"watermark":"${id}"`)
    expect(detect(name, '--threads', '2')).toMatchObject({ stdout: one.stdout, stderr: '' })
    const text = readFileSync(join(folder, 'texts.txt'), 'utf8')
    const args = ['detect', '--follow', '--json', '-w', name]
    const grown = uwbench(args, { cwd: folder, env: { UWBENCH_KEY: key }, input: text })
    expect(grown.stdout).toContain(`"watermark":"${id}"`)
  })

  test('is computed and tested by workers behind a queue', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const worker = spawn(process.execPath, [program, 'worker', '--workers', '1', '-w', './mine.mjs'], {
      cwd: folder,
      env: plainEnvironment({ UWBENCH_QUEUE: redis.url, UWBENCH_KEY: key }),
    })
    const ended = new Promise((resolve) => worker.once('close', resolve))
    try {
      const queued = bench(name, '--queue', redis.url)
      expect(queued.stderr).not.toContain('expected one of')
      expect(queued.stdout).toBe(
        bench(name, '--workers', '1').stdout.replaceAll('out---workers', 'out---queue'),
      )
      expect(detect(name, '--queue', redis.url)).toMatchObject({ stdout: detect(name).stdout, status: 1 })
    } finally {
      worker.kill('SIGTERM')
    }
    expect(await ended).toBe(0)
  })
})
