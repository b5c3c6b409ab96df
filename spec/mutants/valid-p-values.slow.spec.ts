/** The other side of the mutants: unusual p-values and rules that are right pass the laws about them. */
import { expect, test } from 'vitest'
import { checkWatermark, renderVerdicts } from '../../src/gate/laws/entry.ts'
import { law } from './mutant.ts'
import { validPValues } from './valid-p-values.ts'

const laws = [law.nullLaw, law.reach, law.certificate]

test.each(validPValues.map((watermark) => [watermark.id, watermark] as const))('%s', async (_, watermark) => {
  const results = await checkWatermark(watermark, { laws, effort: 'quick' })
  const failures = results.filter(({ verdict }) => verdict === 'fails')
  expect(failures, renderVerdicts(watermark, results)).toEqual([])
  expect(results[0]!.verdict).toBe('holds')
})
