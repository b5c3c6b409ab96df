import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { build, linkPackages, temporaryFolder, uwbench } from './program.ts'

const folder = temporaryFolder('check')

/** A third party's module: green and red tokens are scaled by factors of the green mass. */
const module = (green: string, red: string): string => `
import { binomial, defineWatermark, ngram, sumDetector } from 'uwbench'

const isGreen = (token, random) => random.uint32(token) >>> 31

export const mine = defineWatermark({
  id: 'mine',
  unbiased: true,
  context: ngram(2),
  draw: (random) => random,
  reweight(p, random, q) {
    let mass = 0
    for (let i = 0; i < p.length; i++) if (isGreen(i, random)) mass += p[i]
    const [green, red] = [${green}, ${red}]
    for (let i = 0; i < p.length; i++) q[i] = p[i] * (isGreen(i, random) ? green : red)
  },
  score: isGreen,
  detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
})
`

beforeAll(() => {
  build()
  linkPackages(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'right.js'), module('2 - mass', '1 - mass')) // STA-1
  writeFileSync(join(folder, 'wrong.js'), module('mass > 0 ? 1 / mass : 1', 'mass > 0 ? 0 : 1')) // green tokens only
  writeFileSync(join(folder, 'empty.js'), 'export const answer = 42')
  writeFileSync(join(folder, 'broken.js'), 'export const = 42')
})

const check = (...args: string[]) => uwbench(['check', ...args], { cwd: folder })

test('a correct watermark: every law holds or does not apply, exit code 0', () => {
  const { status, stdout, stderr } = check('./right.js', '--effort', 'quick')
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^mine\n {2}holds {2}reweight gives a distribution/)
  expect(stdout).toMatch(/^ {2}holds {2}unbiased over keys/m)
  expect(stdout).toMatch(/^ {2}n\/a {4}unbiased, exactly {2,}/m) // it declares no orbit
  expect(stdout).toMatch(/\nseed \d+\n$/)
  expect(status).toBe(0)
})

test('a wrong one prints the law, a counterexample as fractions and its replay; exit code 1', () => {
  const { status, stdout } = check('./wrong.js', '--effort', 'quick')
  expect(stdout).toMatch(/^ {2}FAILS {2}unbiased over keys/m)
  expect(stdout).toContain('mine breaks the law "unbiased over keys"')
  expect(stdout).toMatch(/^ {2}p: +\[\d+(\/\d+)?(, \d+(\/\d+)?)*\]$/m)
  expect(stdout).toMatch(/^ {2}error rates: +a correct watermark fails this law with probability at most/m)
  expect(status).toBe(1)

  const [, seed, path] = /^ {2}seed: +(\d+), path (\S+)$/m.exec(
    stdout.slice(stdout.indexOf('breaks the law "unbiased over keys"')),
  )!
  const again = check(
    './wrong.js',
    '--effort',
    'quick',
    '--law',
    'unbiased over keys',
    '--seed',
    seed!,
    '--path',
    path!,
    '--json',
  )
  const [first] = (JSON.parse(again.stdout) as { results: { verdict: string; counterexample: object }[] })
    .results
  expect(first).toMatchObject({ law: 'unbiased over keys', verdict: 'fails' })
  expect(again.status).toBe(1)
})

test('a shipped one by its id', () => {
  const { status, stdout } = check('kgw(delta=2)', '--law', 'shown biased', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    watermark: 'kgw(delta=2)',
    results: [{ law: 'shown biased', verdict: 'holds' }],
  })
  expect(status).toBe(0)
})

test.each([
  ['a module without a watermark', './empty.js', 'exports no watermark'],
  ['a module that does not parse', './broken.js', './broken.js: '],
  ['no such law', 'gumbel --law fair', "laws: expected names among 'reweight gives a distribution'"],
  ['no such effort', 'gumbel --effort little', 'effort: expected'],
  ['a rate out of range', 'gumbel --false-alarm 2', '--false-alarm: expected'],
  [
    'a path that leads nowhere',
    'gumbel --seed 1 --path nowhere/1',
    'path: expected a path that leads to a case of a law',
  ],
])('%s: one line, exit code 2', (_, args, message) => {
  const { status, stdout, stderr } = check(...args.split(' '))
  expect(stderr).toContain(message)
  expect(stderr).toMatch(/^uwbench: .*\n$/)
  expect(stdout).toBe('')
  expect(status).toBe(2)
})
