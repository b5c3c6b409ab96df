/**
 * Where the time of generation goes: both models that run anywhere, at batches of 16 and 48, one thread. Time within the model's
 * runs is clocked apart from the rest, so that a method's share is a difference of small numbers and not of large ones. Written to
 * reports/generation.md. The bounds: with the embedded model at a batch of 16, a mark takes less than 15% of a step (a watermark that is
 * several marks, `ens`, has it for each); the process that has run all of it has less than a gigabyte.
 *
 * The bound is broken where 20 rounds of 20 lie above it, at most one time in a million for a mark whose median is the bound; rounds after
 * the third are run while all before lie above.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { expect, test } from 'vitest'
import { madeBy } from '../../src/core/method/define-method.ts'
import { median } from '../../src/core/stats/entry.ts'
import { generate } from '../../src/text/decode/generate.ts'
import type { LanguageModel } from '../../src/text/decode/language-model.ts'
import { isKept } from '../../src/text/models/fetched-model.ts'
import { loadModel } from '../../src/text/models/load.ts'
import { stories15m } from '../../src/text/models/stories15m.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'
import { isRequired } from '../require.ts'
import { usualWatermarks } from '../watermarks/shipped.ts'

const models = ['embedded', ...(isKept(stories15m) || isRequired('stories15m') ? ['stories15m'] : [])]
const ROUNDS = 3
const [MAX_SHARE, MAX_ROUNDS] = [0.15, 20]
/** Bytes: weights of 60 MB, caches of 48 texts, and the test runner. */
const MAX_MEMORY = 2 ** 30
/** As many tokens for each batch size, about. */
const lengthAt = (rows: number): number => Math.round(1200 / rows)

/** Milliseconds of processor time: unlike the clock on the wall it does not count what other processes take. */
function now(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

interface Step {
  readonly model: number
  readonly rest: number
}
const total = ({ model, rest }: Step): number => model + rest

/** The model with a clock on its runs, and the milliseconds of one step of a batch, within the model and outside. */
function clocked(inner: LanguageModel) {
  let clock = 0
  const timed = async <T>(task: Promise<T>): Promise<T> => {
    const start = now()
    const result = await task
    clock += now() - start
    return result
  }
  const model: LanguageModel = {
    ...inner,
    async begin(prompts) {
      const session = await timed(inner.begin(prompts))
      const step = session.step.bind(session)
      session.step = (tokens) => timed(step(tokens))
      return session
    },
  }
  return async (rows: number, watermark?: AnyWatermark): Promise<Step> => {
    clock = 0
    const length = lengthAt(rows)
    const start = now()
    await generate(model, 'It was a dark night and', {
      ...(watermark && { watermark, key: 'a key of sixteen bytes' }),
      maxNewTokens: length,
      count: rows,
      batchSize: rows,
      stopTokens: [],
    })
    return { model: clock / length, rest: (now() - start - clock) / length }
  }
}

interface Shares {
  readonly method: string
  /** Tokens per second of one core. */
  readonly speed: number
  readonly model: number
  readonly draw: number
  readonly own: number
  readonly watermark?: AnyWatermark
  /** The watermark's share in each round. */
  readonly rounds?: readonly number[]
}

/** The part of a step that the watermark adds to one without. */
const ownShare = (marked: Step, none: Step): number => (marked.rest - none.rest) / total(marked)

/** The share of one of several marks, as if it were the only one. */
function perMark(own: number, watermark: AnyWatermark): number {
  const { marks = 1 } = (madeBy(watermark)?.values ?? {}) as { marks?: number }
  return own / marks / (1 - own + own / marks)
}

/** Whether every round lies above the bound. */
async function isBroken(stepOf: ReturnType<typeof clocked>, rows: number, found: Shares): Promise<boolean> {
  const above = (own: number) => perMark(own, found.watermark!) >= MAX_SHARE
  if (!found.rounds!.every(above)) return false
  for (let round = ROUNDS; round < MAX_ROUNDS; round++) {
    const none = await stepOf(rows)
    if (!above(ownShare(await stepOf(rows, found.watermark), none))) return false
  }
  return true
}

/** Texts without a watermark and with each in turn, round by round: what slows the machine down slows all. */
async function measure(stepOf: ReturnType<typeof clocked>, rows: number): Promise<Shares[]> {
  await stepOf(rows)
  const methods = usualWatermarks()
  const plain: Step[] = []
  const marked = methods.map((): Step[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(await stepOf(rows))
    for (const [i, watermark] of methods.entries()) marked[i]!.push(await stepOf(rows, watermark))
  }
  const speed = (steps: readonly Step[]) => (1000 * rows) / median(steps.map(total))
  const share = (steps: readonly Step[], part: (step: Step, none: Step) => number) =>
    median(steps.map((step, round) => part(step, plain[round]!) / total(step)))
  const rowOf = (method: string, steps: readonly Step[]): Shares => ({
    method,
    speed: speed(steps),
    model: share(steps, ({ model }) => model),
    draw: share(steps, (_, none) => none.rest),
    own: share(steps, ({ rest }, none) => rest - none.rest),
    rounds: steps.map((step, round) => ownShare(step, plain[round]!)),
  })
  return [
    { ...rowOf('no watermark', plain), own: Number.NaN },
    ...methods.map((watermark, i) => ({ ...rowOf(watermark.id, marked[i]!), watermark })),
  ]
}

const percent = (x: number): string => (Number.isNaN(x) ? '' : `${(100 * x).toFixed(1)}%`)

const section = (model: LanguageModel, rows: number, shares: readonly Shares[]): string => `
## ${model.id}, a batch of ${rows}

A vocabulary of ${model.vocabSize.toLocaleString('en')}, texts of ${lengthAt(rows)} tokens. Memory of the whole process afterwards: ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB.

| method | tokens/s, one core | model | softmax and draw | watermark |
|---|---|---|---|---|
${shares
  .map(
    ({ method, speed, model, draw, own }) =>
      `| ${method} | ${Math.round(speed).toLocaleString('en')} | ${percent(model)} | ${percent(draw)} | ${percent(own)} |`,
  )
  .join('\n')}
`

/** Processes that want a core, the mean over a minute. */
const load = (): string => `${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`

const header = (): string => `# Generation: where the time goes

One thread, ${cpus()[0]?.model.trim()}. Tokens per second of one core, and the shares of a step that go into the model's runs
(onnxruntime), into warping and drawing, and into the watermark (key, code, reweighting): medians over ${ROUNDS} rounds of runs
without and with each, in turn. All in processor time of this process: what others take does not count, though they share caches and memory (load
${load()} when it began).${models.includes('stories15m') ? '' : ' stories15m was not there.'}
`

test('a mark takes less than 15% of a step, and memory is bounded', async () => {
  let text = header()
  const broken: string[] = []
  let most = 0
  for (const name of models) {
    const model = await loadModel(name, { threads: 1 })
    const stepOf = clocked(model)
    for (const rows of [16, 48]) {
      const shares = await measure(stepOf, rows)
      text += section(model, rows, shares)
      if (name === 'embedded' && rows === 16)
        for (const one of shares.slice(1)) if (await isBroken(stepOf, rows, one)) broken.push(one.method)
      most = Math.max(most, process.memoryUsage.rss())
    }
    await model.dispose()
  }
  mkdirSync('reports', { recursive: true })
  writeFileSync('reports/generation.md', text)
  expect(broken).toEqual([])
  expect(most).toBeLessThan(MAX_MEMORY)
})
