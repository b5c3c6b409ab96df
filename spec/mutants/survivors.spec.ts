/** What is said to be beyond the default settings is a mistake, and smaller than what they promise to see where they promise anything. */
import { expect, test } from 'vitest'
import { survivorSizes } from './survivors.ts'

test.each(survivorSizes.map((one) => [one.name, one] as const))('%s', (_, { size, promised }) => {
  expect(size).toBeGreaterThan(1e-12)
  expect(size).toBeLessThan(promised ?? 1)
})
