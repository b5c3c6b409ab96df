/**
 * One-shot unbiasedness on the real model: a fresh key for every text, the tokens bet against by two statistics, how likely
 * the model holds them (mean log-likelihood) and how often its favourite comes.
 *
 * A bet's capital exceeds 1/a with probability at most a if tokens follow the model. The family is all methods x 2 bets,
 * which share a false alarm of 1e-9 (with 10 methods ln 1/a = 23.7).
 *
 * Power: kgw(delta=2), averaged over keys, makes a favourite of mass 1/2 come 17% less often. In separate runs of 11,000
 * positions that earned 0.0083 +- 0.086/sqrt(n) (likelihood) and 0.0105 +- 0.17/sqrt(n) (favourite) nats per position: 41 +- 6
 * and 52 +- 12 over the 4,950 positions of a method, so that a bias of this size is found by either bet with probability 0.99.
 * The control itself plays three times as many positions (129 +- 11 and 164 +- 21).
 */
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { generateMany } from '../../src/text/decode/generate.ts'
import { embeddedModel } from '../../src/text/models/embedded.ts'
import type { Watermark } from '../../src/watermark.ts'
import { kgw } from '../../src/watermarks/entry.ts'
import { usualWatermarks } from '../watermarks/shipped.ts'
import { favouriteBet, likelihoodBet } from './bets.ts'

const model = await embeddedModel()
afterAll(() => model.dispose())

const lines = readFileSync(new URL('../../fixtures/data/continuation-test.jsonl', import.meta.url), 'utf8')
const prompts = lines
  .trim()
  .split('\n')
  .map((line): string => JSON.parse(line).prompt)
/** The last words of 15 prompts. Each is read once and continued by many texts, every one under a key of its own. */
const starts = Array.from({ length: 15 }, (_, i) => prompts[i * 20]!.split(' ').slice(-15).join(' '))
const TEXTS = 300
const LENGTH = 20
/** Christ et al. mark from the start, or these texts would be too short. */
const unbiased: Watermark[] = usualWatermarks({ christ: { entropy: 4 } }).filter(
  (w) => w.unbiased && w.target === undefined,
)
const LOG_LIMIT = Math.log((2 * unbiased.length) / 1e-9)

/** ln of the capital of both bets, and how many positions were marked. */
async function play(
  watermark: Watermark,
  texts = TEXTS,
): Promise<{ likelihood: number; favourite: number; positions: number }> {
  const bets = { likelihood: likelihoodBet(0.08), favourite: favouriteBet(0.6) }
  let positions = 0
  let marked: Float64Array | undefined
  const p = new Float64Array(model.vocabSize)
  // sees each marked position's p on its way to the watermark; the token follows at once
  const watched: Watermark = {
    ...watermark,
    reweight(given, code, q) {
      p.set(given)
      marked = p
      watermark.reweight(given, code, q)
    },
  }
  const requests = Array.from({ length: texts }, (_, i) => ({
    prompt: starts[i % starts.length]!,
    key: `${watermark.id} ${i}`,
    index: i,
  }))
  await generateMany(model, requests, {
    watermark: watched,
    temperature: 0.5,
    maxNewTokens: LENGTH,
    stopTokens: [],
    batchSize: 75,
    onToken({ token }) {
      if (marked === undefined) return
      positions++
      for (const bet of Object.values(bets)) bet.play(marked, token)
      marked = undefined
    },
  })
  return { likelihood: bets.likelihood.log(), favourite: bets.favourite.log(), positions }
}

describe('one text per key, temperature 0.5', () => {
  test.for(unbiased)(
    '$id: tokens follow the model',
    { timeout: 300_000 },
    async (watermark, { annotate }) => {
      const { likelihood, favourite, positions } = await play(watermark)
      await annotate(
        `${positions} positions; ln capital ${likelihood.toFixed(1)} and ${favourite.toFixed(1)}`,
      )
      expect(positions).toBeGreaterThan(0.3 * TEXTS * LENGTH)
      expect(likelihood).toBeLessThan(LOG_LIMIT)
      expect(favourite).toBeLessThan(LOG_LIMIT)
    },
  )

  test('kgw(delta=2): they do not', { timeout: 300_000 }, async ({ annotate }) => {
    const { likelihood, favourite, positions } = await play(kgw({ delta: 2 }), 3 * TEXTS)
    await annotate(`${positions} positions; ln capital ${likelihood.toFixed(1)} and ${favourite.toFixed(1)}`)
    expect(likelihood).toBeGreaterThan(LOG_LIMIT)
    expect(favourite).toBeGreaterThan(LOG_LIMIT)
  })
})
