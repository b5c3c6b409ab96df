import { type OpenTestee, openTestee } from '../testee/check-testee.ts'
import { checkCommand } from '../testee/connection.ts'
import type { TesteeCommand } from '../testee/index.ts'
import { callSite, type DescribeOptions, testLaws } from './describe-watermark.ts'
import { afterAll, beforeAll, describe } from './vitest.ts'

/**
 * Gates a watermark in any language: starts it as a process that speaks the testee protocol, and makes one test per law. A law that
 * does not apply is a skipped test that says why; the process is ended after the last test.
 * @example describeTestee({ command: ['node', 'my-watermark.mjs'] }, { laws: ['same key, same result'] })
 */
export function describeTestee(testee: TesteeCommand, options: DescribeOptions = {}): void {
  const caller = callSite(describeTestee)
  const { command } = checkCommand(testee)
  describe(command.join(' '), () => {
    let open: OpenTestee
    beforeAll(() => {
      open = openTestee(testee)
    })
    afterAll(() => open?.close())
    testLaws(
      options,
      caller,
      () => open.info.id,
      (law, settings) => open.check(law, settings),
    )
  })
}
