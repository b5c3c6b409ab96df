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
import { median } from '../../src/stats/index.ts'
import type { AnyWatermark } from '../../src/watermarks/index.ts'
import { usualWatermarks } from '../watermarks/shipped.ts'

const ROWS = 16
const LENGTH = 200
const REPEATS = 5

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

interface Step {
  readonly model: number
  readonly rest: number
}

/** Milliseconds of one step, within the model and outside. */
async function stepOf(watermark?: AnyWatermark): Promise<Step> {
  clock = 0
  const start = now()
  await generate(model, 'It was a dark night and', {
    ...(watermark && { watermark, key: 'key' }),
    maxNewTokens: LENGTH,
    count: ROWS,
    batchSize: ROWS,
    stopTokens: [],
  })
  return { model: clock / LENGTH, rest: (now() - start - clock) / LENGTH }
}

const total = ({ model, rest }: Step): number => model + rest

/** Texts with and without the watermark in turn: what slows the machine down slows both. */
async function measure(watermark: AnyWatermark): Promise<{ none: Step; marked: Step }[]> {
  const pairs: { none: Step; marked: Step }[] = []
  for (let i = 0; i < REPEATS; i++) pairs.push({ none: await stepOf(), marked: await stepOf(watermark) })
  return pairs
}

const methods = usualWatermarks()

test('a watermark takes less than 15% of a step', async () => {
  await stepOf()
  const percent = (x: number) => `${(100 * x).toFixed(1)}%`
  const rate = (steps: readonly Step[]) =>
    Math.round((1000 * ROWS) / median(steps.map(total))).toLocaleString('en')
  const lines: string[] = []
  const shares: number[] = []
  const plain: Step[] = []
  for (const watermark of methods) {
    const pairs = await measure(watermark)
    const share = (part: (pair: { none: Step; marked: Step }) => number) =>
      median(pairs.map((pair) => part(pair) / total(pair.marked)))
    const own = share(({ none, marked }) => marked.rest - none.rest)
    plain.push(...pairs.map(({ none }) => none))
    shares.push(own)
    const [runs, draw] = [share(({ marked }) => marked.model), share(({ none }) => none.rest)]
    const speed = rate(pairs.map(({ marked }) => marked))
    lines.push(`| ${watermark.id} | ${speed} | ${percent(runs)} | ${percent(draw)} | ${percent(own)} |`)
  }
  const part = (of: (step: Step) => number) => percent(median(plain.map((step) => of(step) / total(step))))
  const none = `| no watermark | ${rate(plain)} | ${part(({ model }) => model)} | ${part(({ rest }) => rest)} | |`
  mkdirSync('reports', { recursive: true })
  writeFileSync('reports/generation.md', `${header()}\n${[none, ...lines].join('\n')}\n`)
  for (const [i, share] of shares.entries()) expect(share, methods[i]!.id).toBeLessThan(0.15)
})

const header = (): string => `# Generation: where the time goes

The embedded model, a batch of ${ROWS} texts of ${LENGTH} tokens, one thread, ${cpus()[0]?.model.trim()}. Tokens per second of one core,
and the shares of a step that go into the model's runs (onnxruntime), into warping and drawing, and into the watermark (key, code,
reweighting): medians over ${REPEATS} pairs of runs with and without it, in turn.

| method | tokens/s, one core | model | softmax and draw | watermark |
|---|---|---|---|---|`
