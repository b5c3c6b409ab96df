import { type AnyMethod, isMethod } from '../../core/method/index.ts'
import type { Watermark } from '../../watermark.ts'
import { type CheckOptions, checkLaw, type Settings, settingsOf } from '../laws/check.ts'
import type { Law, LawResult } from '../laws/law.ts'
import { renderEvidence, renderFailure } from '../laws/render.ts'
import { withEnvironment } from './environment.ts'
import { describe, test } from './vitest.ts'

export interface DescribeOptions extends Omit<CheckOptions, 'signal' | 'onProgress'> {
  /** Tags of every test. None by default: vitest rejects tags that its configuration does not declare. */
  readonly tags?: readonly string[]
  /** Milliseconds that one law may take. Default two minutes: a busy machine is no reason to fail. */
  readonly timeout?: number
}

declare module 'vitest' {
  interface TaskMeta {
    /** The finding of a law's test, for reporters: plain JSON. */
    uwbenchLaw?: { readonly watermark: string; readonly result: LawResult }
  }
}

/** Returns the stack of the caller of a function: where a failing law points, rather than into this package. */
export function callSite(called: (...args: never[]) => void): string {
  const here = new Error()
  Error.captureStackTrace?.(here, called)
  return here.stack?.split('\n').slice(1).join('\n') ?? ''
}

function failure(message: string, caller: string): Error {
  const error = new Error(message)
  error.stack = `${error.name}: ${message}\n${caller}`
  return error
}

/**
 * Gates a watermark, or every shipped variant of a method: one test per law. A law that does not apply is a skipped test that says why. Each run takes a fresh seed,
 * printed with every result; `UWBENCH_SEED`, or `seed` and `path` of a counterexample, replay it. `UWBENCH_EFFORT` is the default of `effort`.
 * @example describeWatermark(sta1())
 */
export function describeWatermark<Code>(
  watermark: Watermark<Code> | AnyMethod,
  options: DescribeOptions = {},
): void {
  const caller = callSite(describeWatermark)
  const variants: Watermark<Code>[] = isMethod(watermark)
    ? watermark.shipped.map((variant) => watermark(variant))
    : [watermark]
  for (const variant of variants) describeOne(variant, options, caller)
}

function describeOne<Code>(watermark: Watermark<Code>, options: DescribeOptions, caller: string): void {
  describe(watermark.id, () =>
    testLaws(
      options,
      caller,
      () => watermark.id,
      (law, settings) => checkLaw(law, watermark, settings),
    ),
  )
}

/** One test per law of what `id` names; its name may be known only once the tests run. */
export function testLaws(
  { tags, timeout = 120_000, ...checks }: DescribeOptions,
  caller: string,
  id: () => string,
  check: (law: Law, settings: Settings) => Promise<LawResult>,
): void {
  const settings = settingsOf(withEnvironment(checks))
  for (const law of settings.laws)
    test(law.name, { timeout, ...(tags !== undefined && { tags: [...tags] }) }, async ({
      task,
      annotate,
      skip,
      signal,
    }) => {
      const result = await check(law, { ...settings, signal })
      task.meta.uwbenchLaw = { watermark: id(), result }
      if (result.verdict === 'not applicable') skip(`not applicable: ${result.detail}`)
      if (result.verdict === 'fails') throw failure(renderFailure({ id: id() }, result), caller)
      await annotate(`${renderEvidence(result)}; seed ${settings.seed}`, 'law')
    })
}
