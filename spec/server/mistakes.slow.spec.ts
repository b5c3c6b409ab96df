/** Servers with planted mistakes, and many runs against correct ones. */
import { afterEach, expect, test, vi } from 'vitest'
import { binomialTest } from '../../src/core/stats/index.ts'
import { checkServer } from '../../src/gate/server/entry.ts'
import { gumbel, kgw, ngram, synthid } from '../../src/index.ts'
import { shippedWatermarks } from '../../src/watermarks/index.ts'
import { fakeServer, KEY, type Mistake } from './fake.ts'

afterEach(() => vi.unstubAllGlobals())

const context = ngram(4)
const [TOKENS, BATCHING] = [0, 2] as const

const mistakes: readonly (readonly [Mistake, typeof TOKENS | typeof BATCHING, boolean])[] = [
  ['top-k after the mark', TOKENS, false],
  ['temperature twice', TOKENS, false],
  ['untruncated acceptance', TOKENS, false],
  ['float16 in the mark', TOKENS, false],
  ['no end token', TOKENS, true],
  ['one random number for a batch', BATCHING, true],
]

for (const [mistake, law, draws] of mistakes)
  test(`${mistake}: refused within 500 requests`, async () => {
    const watermark = draws ? synthid({ context }) : gumbel({ context })
    vi.stubGlobal('fetch', fakeServer({ mistake, watermark }).fetch)
    const results = await checkServer({ url: 'http://127.0.0.1:1', model: 'toy', requests: 500, context: 4 })
    expect(results[law]!.verdict).toBe('fails')
  })

test('KGW with delta 1, passed off as unbiased: refused within 2,000 requests', async () => {
  vi.stubGlobal('fetch', fakeServer({ watermark: kgw({ delta: 1, context }) }).fetch)
  const results = await checkServer({ url: 'http://127.0.0.1:1', model: 'toy', requests: 2000, context: 4 })
  expect(results[TOKENS]!.verdict).toBe('fails')
})

test('200 runs against correct watermarks of every unbiased method fail at most at the stated rate', async () => {
  const unbiased = shippedWatermarks().filter((watermark) => watermark.unbiased)
  const falseAlarm = 0.1
  let failed = 0
  for (let run = 0; run < 200; run++) {
    const watermark = unbiased[run % unbiased.length]!
    vi.stubGlobal('fetch', fakeServer({ watermark, seed: run, key: `${KEY} ${run}` }).fetch)
    const server = { url: 'http://127.0.0.1:1', model: 'toy', requests: 48, maxTokens: 24, watermark }
    const results = await checkServer(server, { falseAlarm })
    if (results.some(({ verdict }) => verdict === 'fails')) failed++
  }
  // P(more than the count) <= 1e-9 if each run fails with probability at most 0.1; a rate of 0.35 would be seen but for 1e-3
  expect(binomialTest(failed, 200, falseAlarm, 'greater').pValue).toBeGreaterThan(1e-9)
})
