import { afterEach, expect, test, vi } from 'vitest'
import { closingLine } from './missing-reporter.ts'
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
    expect(outcome(required, false)).toThrow(
      'skipped: needs redis, which is not available: apt-get install redis-server',
    )
})

test('a missing component that is required fails the test', () => {
  for (const required of ['redis', 'chromium, redis'])
    expect(outcome(required, false)).toThrow(
      'redis is not available, but UWBENCH_REQUIRE names it: apt-get install redis-server',
    )
})

test('the closing line names files and the command', () => {
  expect(closingLine(new Map())).toBe('')
  const files = new Map([
    ['spec/report/page.spec.ts', 12],
    ['spec/kernels/browser.spec.ts', 2],
  ])
  expect(closingLine(new Map([['chromium', { install: 'apt-get install chromium', files }]]))).toBe(
    'Skipped without chromium: spec/report/page.spec.ts (12), spec/kernels/browser.spec.ts (2); to run them: apt-get install chromium',
  )
})
