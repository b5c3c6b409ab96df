/** Equal pairs in texts of 2,000 tokens, at the usual effort. Sampled tests wrongly fail with probability at most 1e-9. */
import { describe, expect, test } from 'vitest'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { gumbel } from '../../src/index.ts'
import { law } from '../mutants/mutant.ts'
import { texts } from '../mutants/texts.ts'

describe('long texts', () => {
  const check = async (watermark: Parameters<typeof checkWatermark>[0], options = {}) =>
    (await checkWatermark(watermark, { laws: [law.pairs], ...options }))[0]!

  test('are bet on beyond the quick effort, and the result says what that sees', async () => {
    const { verdict, detail } = await check(gumbel())
    expect(verdict).toBe('holds')
    expect(detail).toMatch(/; in 40 texts of 2000 tokens 0\.\d+ at distance 1$/)
    expect((await check(gumbel(), { effort: 'quick' })).detail).not.toContain('2000')
  })

  test('a counterexample names the length and is found again', async () => {
    const { watermark } = texts.find(({ name }) => name.startsWith('race: the generator forgets'))!
    const first = await check(watermark)
    expect(first.verdict).toBe('fails')
    const { seed, path, also } = first.counterexample!
    expect(also).toBe('texts of 2000 independent tokens')
    expect(path).toMatch(/^long\/0/)
    expect(await check(watermark, { seed, path })).toMatchObject({ verdict: 'fails', detail: first.detail })
  })
})
