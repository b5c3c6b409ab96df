import { settingsOf } from '../laws/check.ts'
import { renderEvidence, renderFailure } from '../laws/render.ts'
import { type OpenTestee, openTestee } from '../testee/check-testee.ts'
import { checkCommand } from '../testee/connection.ts'
import type { TesteeCommand } from '../testee/index.ts'
import { callSite, type DescribeOptions, environmentSeed, failure } from './describe-watermark.ts'
import { afterAll, beforeAll, describe, test } from './vitest.ts'

/**
 * Gates a watermark in any language: starts it as a process that speaks the testee protocol, and makes one test per law. A law that
 * does not apply is a skipped test that says why; the process is ended after the last test.
 * @example describeTestee({ command: ['node', 'my-watermark.mjs'] }, { laws: ['same key, same result'] })
 */
export function describeTestee(testee: TesteeCommand, options: DescribeOptions = {}): void {
  const caller = callSite(describeTestee)
  const { tags, timeout = 120_000, ...checks } = options
  const { command } = checkCommand(testee)
  const settings = settingsOf({ ...checks, seed: checks.seed ?? environmentSeed() })
  describe(command.join(' '), () => {
    let open: OpenTestee
    beforeAll(() => {
      open = openTestee(testee)
    })
    afterAll(() => open?.close())
    for (const law of settings.laws)
      test(law.name, { timeout, ...(tags !== undefined && { tags: [...tags] }) }, async ({
        task,
        annotate,
        skip,
        signal,
      }) => {
        const result = await open.check(law, { ...settings, signal })
        task.meta.uwbenchLaw = { watermark: open.info.id, result }
        if (result.verdict === 'not applicable') skip(`not applicable: ${result.detail}`)
        if (result.verdict === 'fails') throw failure(renderFailure(open.info, result), caller)
        await annotate(`${renderEvidence(result.evidence)}; seed ${settings.seed}`, 'law')
      })
  })
}
