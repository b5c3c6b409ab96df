import { afterEach, expect, test, vi } from 'vitest'
import { requireComponent } from './require.ts'

afterEach(() => vi.unstubAllEnvs())

const skip = vi.fn((note: string): never => {
  throw new Error(`skipped: ${note}`)
})
const outcome = (required: string, available: boolean) => {
  vi.stubEnv('UWBENCH_REQUIRE', required)
  return () => requireComponent({ skip }, 'redis', available)
}

test('an available component skips nothing', () => {
  expect(outcome('', true)).not.toThrow()
  expect(outcome('redis', true)).not.toThrow()
})

test('a missing component skips the test and is named', () => {
  for (const required of ['', 'chromium', 'redis2'])
    expect(outcome(required, false)).toThrow('skipped: needs redis, which is not available')
})

test('a missing component that is required fails the test', () => {
  for (const required of ['redis', 'chromium, redis'])
    expect(outcome(required, false)).toThrow('redis is not available, but UWBENCH_REQUIRE names it')
})
