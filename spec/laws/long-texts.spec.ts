import { describe, expect, test } from 'vitest'
import { settingsOf, trialOf } from '../../src/gate/laws/check.ts'
import { editsReachLaw } from '../../src/gate/laws/edits-reach.ts'
import { memoryOf } from '../../src/gate/laws/long-texts.ts'
import { fixed, ngram } from '../../src/index.ts'
import { synthid } from '../../src/watermarks/entry.ts'
import { synthidContexts } from '../../src/watermarks/published/index.ts'
import { law } from '../mutants/mutant.ts'

describe('the memory of a rule is found', () => {
  test.each([1, 3, 8, 100, 1024, 8192])('of %s contexts', (history) => {
    // a context of n tokens cannot come back after fewer
    for (const ngramLength of [2, 3, 5])
      if (history >= ngramLength - 1)
        expect(memoryOf(synthidContexts({ ngramLength, history }))).toBe(history)
  })
  test('none where nothing is skipped, or nothing forgotten', () => {
    for (const rule of [
      ngram(2),
      ngram(5),
      ngram(2, { repeated: 'reuse' }),
      fixed(),
      synthidContexts({ history: 0 }),
    ])
      expect(memoryOf(rule), rule.id).toBeUndefined()
  })
})

describe('an edit reaches as far as declared', () => {
  const check = (context: ReturnType<typeof synthidContexts>) =>
    editsReachLaw.check(synthid({ layers: 2, context }), trialOf({ name: law.reach }, settingsOf()))

  test('the published rule, as long as it remembers and beyond', async () => {
    const result = await check(synthidContexts())
    expect(result.verdict).toBe('holds')
    expect(result.detail).toContain('contexts are forgotten after 1024 tokens')
  })

  test('the reach of ngram(4) is refused there, on a text that a person can picture', async () => {
    const { memory: _, ...rule } = synthidContexts()
    const result = await check({ ...rule, reach: 9 })
    expect(result.verdict).toBe('fails')
    expect(result.counterexample!.also).toMatch(
      /^the tokens 0 to 10\d\d said again and again, \d+ in all; (insertion|deletion) at \d+$/,
    )
    const { seed, path } = result.counterexample!
    const again = await editsReachLaw.check(
      synthid({ layers: 2, context: { ...rule, reach: 9 } }),
      trialOf({ name: law.reach }, settingsOf({ seed, path })),
    )
    expect(again.detail).toBe(result.detail)
  })
})
