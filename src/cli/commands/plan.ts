import type { ModelRef } from '../../bench/steps/index.ts'
import type { Study } from '../../bench/study/index.ts'
import { type Command, UsageError } from './command.ts'
import { print, printJson, printLine } from './output.ts'
import { scaleFlag, size, studyOfInput } from './scale.ts'

/** Bytes that a stored token takes, with what is kept beside it: measured on the store of the embedded scale. */
const BYTES_PER_TOKEN = 7
/** Assumed where nothing was measured. */
const ASSUMED_RATE = 1000

/** Measures the tokens per second of a model in a batch of the study: the best of three short runs. */
async function measuredRate({ id, ...ref }: ModelRef, study: Study): Promise<number | undefined> {
  const { generate, loadModel } = await import('../../text/models/index.ts')
  const { chat: _, optional: __, ...options } = ref
  const model = await loadModel(id, { ...options, onProgress: () => {} })
  try {
    if (model.kind !== 'causal') return undefined
    let best = 0
    for (let i = 0; i < 3; i++) {
      const start = performance.now()
      await generate(model, 'The', {
        count: study.batch,
        batchSize: study.batch,
        maxNewTokens: 16,
        stopTokens: [],
      })
      best = Math.max(best, (1000 * 16 * study.batch) / (performance.now() - start))
    }
    return best
  } finally {
    await model.dispose()
  }
}

/** The speed of a model, and how it is known. */
interface Rate {
  readonly rate: number
  readonly source: string
  readonly memory: number | undefined
}

/** Finds the rate of each model. One model at a time: they would slow each other down. */
async function rates(ids: readonly string[], study: Study, given: number | undefined): Promise<Rate[]> {
  const { inventory } = await import('../../bench/study/index.ts')
  const { Resources } = await import('../../bench/steps/index.ts')
  const parts = await inventory(study, new Resources({ data: study.paths ?? {} }))
  const found: Rate[] = []
  for (const id of ids) {
    const part = parts.find(({ need }) => need.kind === 'model' && need.name === id)
    const ref = part?.need.kind === 'model' && part.found ? part.need.ref : undefined
    const measured = given === undefined && ref ? await measuredRate(ref, study) : undefined
    const source = measured === undefined ? 'assumed' : `measured here, ${ref?.device ?? 'cpu'}`
    found.push({
      rate: given ?? measured ?? ASSUMED_RATE,
      source: given === undefined ? source : 'given',
      memory: ref && part?.bytes,
    })
  }
  return found
}

const count = (n: number): string => Math.round(n).toLocaleString('en')

/** `42 seconds`, `12 minutes`, `3.4 hours` */
const duration = (hours: number): string =>
  hours < 1 / 30
    ? `${count(3600 * hours)} seconds`
    : hours < 2
      ? `${count(60 * hours)} minutes`
      : `${hours.toFixed(1)} hours`

export const plan: Command = {
  usage: '[--scale paper] [--rate TOKENS_PER_SECOND]',
  summary:
    'Says what a run of the benchmark would take: cells, tokens, disk, memory, hours. Computes none of it.',
  flags: {
    ...scaleFlag,
    rate: {
      value: 'R',
      help: 'tokens per second of one device; by default measured on the models that are there',
    },
    json: { help: 'print JSON' },
  },
  async run(input, output) {
    const given = input.number('rate')
    if (given !== undefined && !(given > 0))
      throw new UsageError(`--rate: expected a number above 0, got ${given}`)
    const study = await studyOfInput(input)
    if (output.isTerminal && given === undefined)
      output.error(`measuring the models of the scale ${study.scale} that are here; --rate skips this`)
    const { forecast } = await import('../../bench/run/index.ts')
    const { cells, tokens, stored } = forecast(study)
    const ids = [...tokens.keys()]
    const found = await rates(ids, study, given)
    const models = ids.map((id, i) => {
      const written = tokens.get(id)!
      return { id, tokens: written, ...found[i]!, hours: written / found[i]!.rate / 3600 }
    })
    const total = [...cells.values()].reduce((a, b) => a + b, 0)
    const disk = stored * BYTES_PER_TOKEN
    const hours = models.reduce((sum, one) => sum + one.hours, 0)
    if (input.on('json')) {
      printJson(output, { scale: study.scale, cells: Object.fromEntries(cells), models, disk, hours })
      return 0
    }
    print(output, `scale ${study.scale}: ${study.watermarks.length} watermarks, ${count(total)} cells`)
    for (const [step, number] of cells) print(output, `  ${step.padEnd(12)} ${count(number).padStart(9)}`)
    print(output, `disk, about ${size(disk)} of stored texts`)
    for (const { id, tokens, rate, source, hours, memory } of models) {
      const weights = memory === undefined ? 'weights not here' : `weights ${size(memory)} in memory`
      const speed = `${count(rate)} tokens/s (${source})`
      printLine(output, '', `${id}: ${count(tokens)} tokens, ${speed}: ${duration(hours)}; ${weights}`, '  ')
    }
    const all = `in all ${duration(hours)} on one device, for writing texts; detection and metrics come on top`
    printLine(output, '', all, '  ')
    return 0
  },
}
