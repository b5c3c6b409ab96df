/** A falsehood is refuted by an assertion, and by nothing else. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refutation } from './statement.ts'

test('an assertion refutes', async () => {
  expect(await refutation(() => expect(1).toBe(2))).toMatchObject({ name: 'AssertionError' })
  expect(await refutation(async () => expect(1).toBe(2))).toMatchObject({ name: 'AssertionError' })
})

test('so does a property in which one failed', async () => {
  const property = fc.property(fc.nat(), (n) => expect(n).toBeLessThan(0))
  expect(await refutation(() => fc.assert(property))).toMatchObject({ name: 'AssertionError' })
})

test('a check that passes does not', async () => {
  expect(await refutation(() => expect(1).toBe(1))).toBeUndefined()
})

test.each([new Error('broken'), new TypeError('undefined is not a function'), 'text'])(
  'a check that breaks does not: %s',
  async (error) => {
    const check = () => {
      throw error
    }
    await expect(refutation(check)).rejects.toBe(error)
    const property = fc.property(fc.nat(), check)
    await expect(refutation(() => fc.assert(property))).rejects.toThrow(/Property failed/)
  },
)
