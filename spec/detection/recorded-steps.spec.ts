/**
 * What was recorded is what the embedded model says. On a machine that rounds as the one that recorded it, entropies agree to the rounding of the file (one byte per probability); on others the texts
 * differ after a while, and the means of two samples of 24 texts are compared: 5 standard errors, a false alarm in two million machines.
 */
import { expect, test } from 'vitest'
import { embeddedDataset } from '../../src/text/datasets/embedded.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { embeddedModel } from '../../src/text/models/embedded.ts'
import { entropy } from '../../src/theory/expected-score.ts'
import { recordedSteps } from './recorded-steps.ts'

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length

test('uwbench-lm: the mean entropy of texts from the same prompts', { timeout: 0 }, async () => {
  const { ranked, temperature, top } = recordedSteps('uwbench-lm')
  const { examples } = await embeddedDataset('continuation')
  const model = await embeddedModel()
  const requests = examples.slice(-24).map(({ prompt }, index) => ({ prompt, index }))
  const options = { seed: 'steps', temperature, topK: top, maxNewTokens: 64, stopTokens: [], batchSize: 1 }
  const texts = await generateMany(model, requests, options)
  await model.dispose()
  const byText = (values: readonly number[]): number[] =>
    Array.from({ length: 24 }, (_, i) => mean(values.slice(8 * i, 8 * i + 8)))
  const recorded = byText(ranked.map(entropy))
  const now = byText(texts.flatMap(({ entropies }) => Array.from(entropies).filter((_, t) => t % 8 === 4)))
  const differences = now.map((nats, i) => nats - recorded[i]!)
  const variance = mean(recorded.map((nats) => (nats - mean(recorded)) ** 2))
  expect(Math.abs(mean(differences))).toBeLessThan(5 * Math.sqrt((2 * variance) / 24))
})
