/** Correct watermarks that are unusual pass every law on q at the quick effort; `npm run mutants` runs them often. */
import { describe, expect, test } from 'vitest'
import { checkWatermark, renderVerdicts } from '../../src/gate/laws/entry.ts'
import { aboutSteps } from './correct.ts'
import { law } from './mutant.ts'
import { oddities } from './oddities.ts'

describe('unusual and correct', () => {
  test.each(oddities)('%s', async (_, watermark) => {
    const results = await checkWatermark(watermark, { laws: aboutSteps, effort: 'quick' })
    for (const { verdict } of results) expect(verdict, renderVerdicts(watermark, results)).not.toBe('fails')
    expect(results.find((result) => result.law === law.keys)!.verdict).toBe('holds')
  })
})
