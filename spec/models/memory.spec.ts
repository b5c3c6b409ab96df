/** Memory over thousands of generations: what is left after collecting garbage must not grow with their number. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, expect, test } from 'vitest'
import { generateMany } from '../../src/text/decode/generate.ts'
import type { Session } from '../../src/text/decode/language-model.ts'
import { embeddedModel } from '../../src/text/models/embedded.ts'
import { gumbel } from '../../src/watermarks/gumbel.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const MB = 2 ** 20

const model = await embeddedModel()
afterAll(() => model.dispose())

/** Megabytes that are still in use: the heap and typed arrays after a collection, and the process as a whole. */
async function inUse(): Promise<{ held: number; resident: number }> {
  // twice, with a turn of the event loop between: finalizers of native memory run after the first
  for (let i = 0; i < 2; i++) {
    collect()
    await new Promise((done) => setImmediate(done))
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  return { held: (heapUsed + arrayBuffers) / MB, resident: rss / MB }
}

/** `calls` batches of 20 texts of 3 tokens. */
async function run(calls: number, from: number): Promise<void> {
  for (let call = from; call < from + calls; call++) {
    const requests = Array.from({ length: 20 }, (_, index) => ({ prompt: [call % 4096, index], index }))
    await generateMany(model, requests, {
      watermark: gumbel(),
      key: `key ${call}`,
      maxNewTokens: 3,
      batchSize: 20,
    })
  }
}

test('3,000 texts leave no more behind than 500 did', { timeout: 300_000 }, async ({ annotate }) => {
  await run(25, 0)
  const before = await inUse()
  await run(125, 25)
  const after = await inUse()
  await annotate(
    `held ${(after.held - before.held).toFixed(1)} MB more, resident ${(after.resident - before.resident).toFixed(0)} MB more`,
  )
  // one batch has 5 MB of logits and cache: if one in a hundred stayed, this would be passed
  expect(after.held - before.held).toBeLessThan(5)
  expect(after.resident - before.resident).toBeLessThan(100)
})

test('the control: sessions that are kept are seen', { timeout: 300_000 }, async () => {
  const before = await inUse()
  const kept: Session[] = []
  for (let i = 0; i < 20; i++) kept.push(await model.begin(Array.from({ length: 20 }, (_, row) => [i, row])))
  const after = await inUse()
  expect(kept.length).toBe(20)
  expect(after.held - before.held).toBeGreaterThan(5)
})
