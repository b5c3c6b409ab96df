import { outOfRange } from '../../input.ts'
import type { Watermark } from '../../watermark.ts'
import { allLaws } from '../laws/all-laws.ts'
import { type CheckOptions, checkLaw, settingsOf } from '../laws/check.ts'
import { renderFailure } from '../laws/render.ts'

/**
 * Matchers for `expect.extend`. `toObey` asserts one law, and its negation that a wrong watermark is found out.
 * @example
 * expect.extend(watermarkMatchers)
 * await expect(dipmark({ alpha: 0.4 })).toObey('unbiased, exactly')
 * await expect(kgw({ delta: 2 })).toObey('shown biased')
 */
export const watermarkMatchers = {
  async toObey<Code>(watermark: Watermark<Code>, name: string, options: Omit<CheckOptions, 'laws'> = {}) {
    const law = allLaws.find((one) => one.name === name)
    if (law === undefined)
      throw outOfRange('law', `one of ${allLaws.map((one) => `'${one.name}'`).join(', ')}`, name)
    const result = await checkLaw(law, watermark, settingsOf(options))
    return {
      pass: result.verdict === 'holds',
      message: () =>
        result.verdict === 'fails'
          ? renderFailure(watermark, result)
          : `${watermark.id}: the law "${name}" ${result.verdict === 'holds' ? 'holds' : `is not applicable: ${result.detail}`}`,
    }
  },
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: the declaration that is merged with has this parameter
  interface Matchers<T = any> {
    /** Asserts that a watermark obeys one law. Asynchronous. */
    toObey: (law: string, options?: Omit<CheckOptions, 'laws'>) => Promise<T>
  }
}
