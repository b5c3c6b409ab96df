import { expect } from 'vitest'

/** A call is refused with a message of one line. */
export async function refused(call: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await call.then(
    () => undefined,
    (e: Error) => e,
  )
  expect(error?.message).toMatch(message)
  expect(error?.message).not.toContain('\n')
}
