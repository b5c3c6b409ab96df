/**
 * `watermarkProcessor` within `model.generate` of `@huggingface/transformers` on the embedded model: one text per key, tokens
 * bet against (see bets.ts). Three bets, each at 3e-10: false alarm below 1e-9 (ln 1/a = 21.9).
 *
 * The library truncates after its processors. gammaReweight doubles half of the mass; the 50 likeliest tokens of *that* are
 * not the 50 likeliest of the model, and hold more of the mass. In a separate run with other keys and prompts the head bet then
 * earned 1.3 nats per text of 20 tokens with a standard deviation of 1.4: 66 +- 10 over the 50 texts here.
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AutoModelForCausalLM, AutoTokenizer, random } from '@huggingface/transformers'
import { afterAll, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { type LogitsTensor, watermarkProcessor } from '../../src/core/embed/processor.ts'
import { cutoff } from '../../src/text/decode/cutoff.ts'
import { warper } from '../../src/text/decode/warp.ts'
import { gammaReweight } from '../../src/watermarks/entry.ts'
import { headBet, likelihoodBet } from './bets.ts'

const FOLDER = fileURLToPath(new URL('../../fixtures/models/uwbench-lm', import.meta.url))
const options = { local_files_only: true, dtype: 'fp32', session_options: { intraOpNumThreads: 1 } } as const
const model = await AutoModelForCausalLM.from_pretrained(FOLDER, options)
const tokenizer = await AutoTokenizer.from_pretrained(FOLDER, { local_files_only: true })
afterAll(() => model.dispose())

const lines = readFileSync(new URL('../../fixtures/data/continuation-test.jsonl', import.meta.url), 'utf8')
const prompts = lines
  .trim()
  .split('\n')
  .map((line): string => JSON.parse(line).prompt)
const TEXTS = 50
const LENGTH = 20
const LOG_LIMIT = Math.log(1 / 3e-10)
const watermark = gammaReweight()

/** One text of the library's own loop: the distributions that the watermark saw, and the tokens drawn. */
async function write(prompt: string, key: string, topK: number, length: number) {
  const seen: Float64Array[] = []
  const warp = warper()
  const record = <T extends LogitsTensor>(_ids: unknown, logits: T): T => {
    const p = new Float64Array(logits.dims.at(-1)!)
    warp(Float32Array.from(logits.data), 0, p)
    seen.push(p)
    return logits
  }
  const inputs = tokenizer(prompt)
  const output = await model.generate({
    ...inputs,
    do_sample: true,
    top_k: topK,
    max_new_tokens: length,
    eos_token_id: [],
    logits_processor: [record, watermarkProcessor(watermark, { key })],
  } as never)
  const [row = []] = (output as unknown as { tolist(): bigint[][] }).tolist()
  return { seen, tokens: row.slice(-seen.length).map(Number) }
}

async function play(topK: number) {
  random.seed(topK)
  const bets = { likelihood: likelihoodBet(0.08), head: headBet(1, 50) }
  let outside = 0
  for (let i = 0; i < TEXTS; i++) {
    const { seen, tokens } = await write(prompts[i]!, `key ${i}`, topK, LENGTH)
    for (const [t, token] of tokens.entries()) {
      const p = seen[t]!
      for (const bet of Object.values(bets)) bet.play(p, token)
      if (p[token]! < cutoff(p.slice(), 50, () => 1)) outside++
    }
  }
  return { likelihood: bets.likelihood.log(), head: bets.head.log(), outside }
}

test('top_k: 0 leaves the law of the text as it is', { timeout: 300_000 }, async ({ annotate }) => {
  const { likelihood, head } = await play(0)
  await annotate(`ln capital ${likelihood.toFixed(1)} and ${head.toFixed(1)}`)
  expect(likelihood).toBeLessThan(LOG_LIMIT)
  expect(head).toBeLessThan(LOG_LIMIT)
})

test('top_k: 50, the library default, gives neither the model nor its top 50', {
  timeout: 300_000,
}, async ({ annotate }) => {
  const { head, outside } = await play(50)
  await annotate(
    `ln capital ${head.toFixed(1)}; ${outside} of ${TEXTS * LENGTH} tokens outside the model's 50`,
  )
  expect(head).toBeGreaterThan(LOG_LIMIT)
  // impossible under the model cut at 50
  expect(outside).toBeGreaterThan(0)
})

test('the text is detected with its key', { timeout: 300_000 }, async () => {
  random.seed(1)
  const { tokens } = await write(prompts[0]!, 'secret', 0, 200)
  const found = (key: string) => detect(watermark, tokens, { key, vocabSize: 4096 })
  expect(found('secret').pValue).toBeLessThan(1e-9)
  expect(found('another').pValue).toBeGreaterThan(1e-9)
})
