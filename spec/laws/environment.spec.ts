import { expect, test } from 'vitest'
import { withEnvironment } from '../../src/gate/vitest/environment.ts'

const env = { UWBENCH_SEED: '7', UWBENCH_EFFORT: 'quick' }

test('seed and effort come from the environment where a spec names none', () => {
  expect(withEnvironment({ bias: 0.1 }, env)).toEqual({ bias: 0.1, seed: 7, effort: 'quick' })
  expect(withEnvironment({ seed: 0, effort: 'thorough' }, env)).toEqual({ seed: 0, effort: 'thorough' })
  const { seed, effort } = withEnvironment({}, { UWBENCH_SEED: '', UWBENCH_EFFORT: '' })
  expect([seed, effort]).toEqual([undefined, undefined])
})

test('an unknown effort names the variable', () => {
  expect(() => withEnvironment({}, { UWBENCH_EFFORT: 'fast' })).toThrow(
    "UWBENCH_EFFORT: expected one of 'quick', 'usual', 'thorough', got 'fast'",
  )
})
