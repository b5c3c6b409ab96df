/**
 * Where the time of generation goes: the embedded model at a batch of 16, texts of 200 tokens, one thread. Time within the
 * model's runs is clocked apart from the rest, so that a method's share is a difference of small numbers and not of large ones.
 * Written to reports/generation.md. The bound: a watermark takes less than 15% of a step.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { afterAll, expect, test } from 'vitest'
import { embeddedModel } from '../../src/models/embedded.ts'
import { generate } from '../../src/models/generate.ts'
import type { LanguageModel } from '../../src/models/language-model.ts'
import type { AnyWatermark } from '../../src/watermarks/index.ts'
import * as watermarks from '../../src/watermarks/index.ts'

const ROWS = 16
const LENGTH = 200
const REPEATS = 5
const { christ, deltaReweight, dipmark, expEdit, gammaReweight, gumbel, itsEdit, kgw } = watermarks
const { mcmark, sta1, synthid, unigram } = watermarks

const inner = await embeddedModel()
afterAll(() => inner.dispose())

/** Milliseconds of processor time: unlike the clock on the wall it does not count what other processes take. */
function now(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The model, with a clock on its runs. */
let clock = 0
const model: LanguageModel = {
  ...inner,
  async begin(prompts) {
    const session = await inner.begin(prompts)
    const step = session.step.bind(session)
    session.step = async (tokens) => {
      const start = now()
      await step(tokens)
      clock += now() - start
    }
    return session
  },
}

/** Milliseconds per step, within the model and outside: the run with the least of both among a few. */
async function measure(watermark?: AnyWatermark): Promise<{ model: number; rest: number }> {
  let best = { model: Number.POSITIVE_INFINITY, rest: Number.POSITIVE_INFINITY }
  for (let i = 0; i < REPEATS; i++) {
    clock = 0
    const start = now()
    await generate(model, 'It was a dark night and', {
      ...(watermark && { watermark, key: 'key' }),
      maxNewTokens: LENGTH,
      count: ROWS,
      batchSize: ROWS,
      stopTokens: [],
    })
    const rest = (now() - start - clock) / LENGTH
    best = { model: Math.min(best.model, clock / LENGTH), rest: Math.min(best.rest, rest) }
  }
  return best
}

const methods: AnyWatermark[] = [
  gumbel(),
  gammaReweight(),
  deltaReweight(),
  dipmark({ alpha: 0.4 }),
  mcmark({ channels: 20 }),
  synthid(),
  sta1(),
  kgw({ delta: 2 }),
  unigram({ delta: 2 }),
  itsEdit(),
  expEdit(),
  christ(),
]

test('a watermark takes less than 15% of a step', async () => {
  await measure()
  const none = await measure()
  const percent = (x: number) => `${(100 * x).toFixed(1)}%`
  const rate = (step: number) => Math.round((1000 * ROWS) / step).toLocaleString('en')
  const plain = none.model + none.rest
  const lines = [
    `| no watermark | ${rate(plain)} | ${percent(none.model / plain)} | ${percent(none.rest / plain)} | |`,
  ]
  const shares: number[] = []
  for (const watermark of methods) {
    const { model: runs, rest } = await measure(watermark)
    // the model's time does not depend on the watermark: the least of all its measurements stands for it
    const share = Math.max(0, rest - none.rest) / (Math.min(runs, none.model) + rest)
    shares.push(share)
    const step = runs + rest
    const own = Math.max(0, rest - none.rest) / step
    lines.push(
      `| ${watermark.id} | ${rate(step)} | ${percent(runs / step)} | ${percent(none.rest / step)} | ${percent(own)} |`,
    )
  }
  mkdirSync('reports', { recursive: true })
  writeFileSync('reports/generation.md', `${header()}\n${lines.join('\n')}\n`)
  for (const [i, share] of shares.entries()) expect(share, methods[i]!.id).toBeLessThan(0.15)
})

const header = (): string => `# Generation: where the time goes

The embedded model, a batch of ${ROWS} texts of ${LENGTH} tokens, one thread, ${cpus()[0]?.model.trim()}. Tokens per second of one core,
and the shares of a step that go into the model's runs (onnxruntime), into warping and drawing, and into the watermark (key, code, reweighting).

| method | tokens/s, one core | model | softmax and draw | watermark |
|---|---|---|---|---|`
