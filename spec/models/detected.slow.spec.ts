/**
 * 200-token texts of the real model at temperature 1, detected with their key and not with another.
 *
 * The p-values are guaranteed: under another key P(p <= a) <= a, so that 6 texts of each method stay above 1e-9 over their number
 * but for a chance of 1e-9 in all. With the right key the share at p < 1e-3 is reported (1 for all methods but itsEdit, 5 of 6, when
 * this was written), and the six p-values together are asked to be below 5e-6: Fisher's -2 sum ln p is chi-square with 12
 * degrees of freedom, 47 at that level. The weakest, sta1, had a sum of ln p of -91 +- 15, which is 4.5 deviations from -23.5.
 */
import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { embeddedModel } from '../../src/text/models/embedded.ts'
import type { Watermark } from '../../src/watermark.ts'
import { strongWatermarks } from '../watermarks/shipped.ts'

const model = await embeddedModel()
afterAll(() => model.dispose())

const lines = readFileSync(new URL('../../fixtures/data/continuation-test.jsonl', import.meta.url), 'utf8')
const prompts = lines
  .trim()
  .split('\n')
  .map((line): string => JSON.parse(line).prompt)
const TEXTS = 6
const cases: Watermark[] = strongWatermarks()

test.for(cases)('$id', { timeout: 300_000 }, async (watermark, { annotate }) => {
  const requests = Array.from({ length: TEXTS }, (_, i) => ({
    prompt: prompts[50 * i]!,
    key: `key ${i}`,
    index: i,
  }))
  const texts = await generateMany(model, requests, { watermark, maxNewTokens: 200, stopTokens: [] })
  const logs = (name: string, options: { alpha?: number; runs?: number }) =>
    texts.map(
      ({ tokens }, i) =>
        detect(watermark, tokens, { key: `${name} ${i}`, vocabSize: 4096, ...options }).logPValue,
    )
  const own = logs('key', { alpha: 1e-3 })
  // permutation tests of texts that show nothing run to the end: a few runs will do
  const other = logs('other key', { runs: 19 })
  const share = own.filter((log) => log < Math.log(1e-3)).length / TEXTS
  const medianOf = (list: number[]) => [...list].sort((a, b) => a - b)[TEXTS >> 1]!
  await annotate(
    `share at p < 1e-3: ${share}; median p ${Math.exp(medianOf(own))}, other key ${Math.exp(medianOf(other))}`,
  )
  expect(Math.min(...other)).toBeGreaterThan(Math.log(1e-9 / (cases.length * TEXTS)))
  expect(own.reduce((sum, log) => sum + log)).toBeLessThan(-23.5)
})
