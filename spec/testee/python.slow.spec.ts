/** Python testees through `uwbench_testee.py`: correct ones pass, classic mistakes are refused with a counterexample to read. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { LawResult } from '../../src/gate/laws/entry.ts'
import { renderFailure } from '../../src/gate/laws/render.ts'
import { checkTestee, TesteeFailure, type TesteeInfo } from '../../src/gate/testee/entry.ts'
import { requireComponent } from '../require.ts'

const python = spawnSync('python3', ['--version']).status === 0
const file = fileURLToPath(new URL('./watermarks.py', import.meta.url))

const check = (name: string, ...laws: string[]) =>
  checkTestee({ command: ['python3', file, name] }, { effort: 'quick', laws })

const verdicts = (results: readonly LawResult[]) => results.map(({ law, verdict }) => `${law}: ${verdict}`)

describe('correct watermarks pass', () => {
  test.for<[name: string, ...laws: string[]]>([
    ['green boost', 'same key, same result'],
    ['gumbel', 'reweight gives a distribution'],
    ['kgw', 'detectable', 'shown biased'],
    ['stateful', 'same key, same result'],
    ['prints', 'reweight gives a distribution'],
  ])('%s', async ([name, ...laws], context) => {
    requireComponent(context, 'python', python)
    const { results } = await check(name, ...laws)
    expect(verdicts(results)).toEqual(laws.map((law) => `${law}: holds`))
  })
})

describe('classic mistakes are refused', () => {
  test.for<[name: string, law: string, found: RegExp]>([
    ['seed reused', 'unbiased over texts', /the law of texts is 0\.\d+ away from the model's/],
    ['top-k after the mark', 'unbiased over keys', /the mean of q is 0\.\d+ away from p on /],
    ['float32 running sums', 'reweight gives a distribution', /q\[\d+\] is |q sums to /],
    ['modulo bias', 'unbiased over keys', /the mean of q is 0\.\d+ away from p on /],
    ['argmax', 'unbiased over keys', /the mean of q is 0\.\d+ away from p on /],
  ])('%s, by "%s"', async ([name, law, found], context) => {
    requireComponent(context, 'python', python)
    const { results } = await check(name, law)
    expect(results[0]).toMatchObject({ law, verdict: 'fails' })
    expect(results[0]!.detail).toMatch(found)
    const { p, replay } = results[0]!.counterexample!
    expect(p!.length).toBeLessThanOrEqual(16)
    expect(replay).toMatch(
      new RegExp(`^uwbench check --testee 'python3 .*${name}.*' --law '${law}' --seed=-?\\d+`),
    )
    expect(renderFailure({ id: name }, results[0]!)).toContain(replay)
  })
})

test('an exception is one line that names the place in the testee', async (context) => {
  requireComponent(context, 'python', python)
  const failure = check('throws', 'unbiased over keys').catch((error: Error) => error)
  expect(await failure).toBeInstanceOf(TesteeFailure)
  expect(((await failure) as Error).message).toMatch(
    /ZeroDivisionError: division by zero \(watermarks\.py, line \d+\)/,
  )
})

test('laws about orbits, reach and drift do not apply to a testee that samples', async (context) => {
  requireComponent(context, 'python', python)
  const { info, results } = await check(
    'gumbel',
    'unbiased, exactly',
    'detectable',
    'drift',
    'the certificate holds',
  )
  expect(info satisfies TesteeInfo).toMatchObject({ id: 'gumbel', capabilities: ['sample'] })
  expect(results.every(({ verdict }) => verdict === 'not applicable')).toBe(true)
})
