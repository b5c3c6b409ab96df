/**
 * The gate in somebody else's repository: the packed package, vitest and fast-check in an empty project, watermarks written
 * against the public entries only, and `describeWatermark`. The correct one passes, each wrong one fails on the law it breaks, and
 * the message holds a counterexample that a person can read.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../commands/program.ts'
import { install } from './packed.ts'

const folder = temporaryFolder('gate')

/** A third party's watermarks: one correct, the others with one mistake each. */
const watermarks = `
import { binomial, defineWatermark, ngram, sumDetector } from 'uwbench'

const isGreen = (token, random) => random.uint32(token) >= 2 ** 31
const boosted = (p, random, q) => {
  const mass = p.reduce((sum, m, i) => sum + (isGreen(i, random) ? m : 0), 0)
  for (let i = 0; i < p.length; i++) q[i] = p[i] * (isGreen(i, random) ? 2 - mass : 1 - mass)
}
const base = {
  unbiased: true,
  context: ngram(2),
  draw: (random) => random,
  reweight: boosted,
  score: (token, random) => (isGreen(token, random) ? 1 : 0),
  detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
}
const complement = (random) => ({ uint32: (i) => ~random.uint32(i) >>> 0 })
export const right = defineWatermark({ ...base, id: 'right', orbit: (random) => [random, complement(random)] })

/** Logits plus 2 on green tokens: the classical biased watermark, claimed to be unbiased. */
export const tilted = defineWatermark({
  ...base,
  id: 'tilted',
  reweight: (p, random, q) => {
    for (let i = 0; i < p.length; i++) q[i] = p[i] * (isGreen(i, random) ? Math.exp(2) : 1)
    const sum = q.reduce((a, b) => a + b, 0)
    for (let i = 0; i < p.length; i++) q[i] /= sum
  },
})
export const tiltedWithOrbit = defineWatermark({ ...tilted, id: 'tilted with orbit', orbit: right.orbit })
export const reused = defineWatermark({ ...right, id: 'reused', context: ngram(2, { repeated: 'reuse' }) })
export const idle = defineWatermark({ ...right, id: 'idle', reweight: (p, _, q) => q.set(p) })
`

const spec = (names: readonly string[], options = '{}'): string => `
import { describeWatermark } from 'uwbench/vitest'
import { ${names.join(', ')} } from './watermarks.js'
for (const watermark of [${names.join(', ')}]) describeWatermark(watermark, ${options})
`

/** Laws that the wrong ones are held against: those that they break, and some that they do not. */
const laws = [
  'reweight gives a distribution',
  'same key, same result',
  'unbiased, exactly',
  'unbiased over keys',
  'unbiased over texts',
  'the null law is right',
  'detectable',
]

interface Result {
  readonly title: string
  readonly status: string
  readonly watermark: string
  readonly message: string
}

/** Runs a spec of the other project; gives the exit status and every test. */
function run(file: string): { status: number | null; results: Result[]; output: string } {
  const json = join(folder, `${file}.json`)
  const args = ['vitest', 'run', file, '--reporter=json', `--outputFile=${json}`]
  const { status, stderr, stdout } = spawnSync('npx', args, { cwd: folder, encoding: 'utf8' })
  interface Report {
    testResults: {
      assertionResults: {
        title: string
        status: string
        ancestorTitles: string[]
        failureMessages: string[]
      }[]
    }[]
  }
  const report = JSON.parse(readFileSync(json, 'utf8')) as Report
  const results = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ title, status: state, ancestorTitles, failureMessages }) => ({
      title,
      status: state,
      watermark: ancestorTitles.at(-1)!,
      message: failureMessages.join('\n'),
    })),
  )
  return { status, results, output: `${stdout}${stderr}` }
}

beforeAll(() => {
  install(folder, ['vitest', 'fast-check'])
  writeFileSync(join(folder, 'watermarks.js'), watermarks)
  writeFileSync(join(folder, 'right.spec.js'), spec(['right'], "{ effort: 'quick' }"))
  writeFileSync(
    join(folder, 'wrong.spec.js'),
    spec(
      ['tilted', 'tiltedWithOrbit', 'reused', 'idle'],
      `{ miss: 1e-9, effort: 'quick', laws: ${JSON.stringify(laws)} }`,
    ),
  )
}, 300_000)

test('a correct watermark passes: every law is a test', () => {
  const { status, results, output } = run('right.spec.js')
  expect(status, output).toBe(0)
  const at = (state: string): string[] =>
    results.filter((one) => one.status === state).map(({ title }) => title)
  expect(at('passed')).toContain('unbiased over keys')
  expect(at('skipped')).toEqual([
    'shown biased',
    'unbiased for every message',
    'a message is decoded',
    'no message in unmarked text',
    "speculation keeps the target's law",
  ])
  expect(at('failed')).toEqual([])
}, 300_000)

describe('wrong watermarks fail', () => {
  let found: ReturnType<typeof run>
  beforeAll(() => {
    found = run('wrong.spec.js')
  }, 600_000)
  const failure = (watermark: string, law: string): Result =>
    found.results.find((one) => one.watermark === watermark && one.title === law)!

  test('exit status 1', () => expect(found.status, found.output).toBe(1))

  test.each([
    ['tilted', 'unbiased over keys'],
    ['tilted with orbit', 'unbiased, exactly'],
    ['reused', 'unbiased over texts'],
    ['idle', 'detectable'],
  ])('%s: "%s"', (watermark, law) => {
    const { status, message } = failure(watermark, law)
    expect(status).toBe('failed')
    expect(message).toContain(`${watermark} breaks the law "${law}"`)
    expect(message).toMatch(/seed: +-?\d+, path /)
    expect(message).toContain(`checkWatermark(watermark, { laws: ['${law}'], seed: `)
    expect(message).toMatch(/\n +at .*wrong\.spec\.js:\d+/) // points at the call, not into the package
  })

  test('what each of them does right is not held against it', () => {
    for (const name of ['tilted', 'tilted with orbit', 'reused', 'idle'])
      for (const law of ['reweight gives a distribution', 'same key, same result', 'the null law is right'])
        expect(failure(name, law).status, `${name}: ${law}`).toBe('passed')
  })

  test('counterexamples are small fractions, and both error rates are printed', () => {
    expect(failure('tilted with orbit', 'unbiased, exactly').message).toMatch(
      /p: +\[(\d\/\d|0)(, (\d\/\d|0))+\]/,
    )
    const sampled = failure('tilted', 'unbiased over keys').message
    expect(sampled).toMatch(/p: +\[[\d/, ]+\]/)
    expect(sampled).toContain('fails this law with probability at most 7.14e-11')
    expect(sampled).toContain('a bias of at least 0.05 passes it with probability at most 1e-9')
  })
})
