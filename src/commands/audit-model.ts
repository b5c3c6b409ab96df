import { number } from '../input.ts'
import { counted } from '../report/sentence.ts'
import { promptMeans, spmgGap } from '../theory/spmg.ts'
import { expectedSpmgQueries, spmgQueries } from '../theory/spmg-queries.ts'
import { spmgTest } from '../theory/spmg-test.ts'
import { spmgThreshold } from '../theory/spmg-threshold.ts'
import { spmgVectorTest } from '../theory/spmg-vector-test.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { type GenerationFields, type MeasuredGenerations, readGenerations } from './generations.ts'
import { type Output, print, printJson } from './output.ts'
import { metricNames, metricsNamed, type TextMetric } from './text-metrics.ts'
import { aligned } from './text-table.ts'

/** The values of a metric for the three samples: prompt by prompt, generation by generation, component by component. */
interface Samples {
  readonly original: number[][][]
  readonly suspect: number[][][]
  readonly clone: number[][][]
}

interface Range {
  readonly id: string
  readonly low: number
  readonly high: number
  readonly width: number
}

/** What one metric says. */
interface Audited {
  readonly metric: string
  readonly low: number
  readonly high: number
  readonly gap: number
  readonly cloneGap: number
  readonly detWmk: number
  readonly theorem2: number
  readonly sharper: number
  readonly pValue: number
  readonly exhaustive: boolean
  /** Root mean square over prompts of the reference's standard deviation. */
  readonly deviation: number
  readonly drift: number
  /** Null for a metric of several components. */
  readonly expectedQueries: number | null
  readonly guaranteedQueries: number
}

/** Every second generation of a prompt, starting with the first or with the second. */
const half = (all: MeasuredGenerations, odd: 0 | 1): MeasuredGenerations =>
  new Map([...all].map(([prompt, rows]) => [prompt, rows.filter((_, i) => i % 2 === odd)]))

/**
 * The three samples over the prompts that all have. The test needs as many generations of the suspect as of the clone: the first ones
 * of the larger sample are used.
 */
function samplesOf(reference: MeasuredGenerations, clone: MeasuredGenerations, suspect: MeasuredGenerations) {
  const prompts = [...reference.keys()].filter(
    (prompt) => clone.get(prompt)?.length && suspect.get(prompt)?.length && reference.get(prompt)!.length > 0,
  )
  const all = new Set([...reference.keys(), ...clone.keys(), ...suspect.keys()])
  if (prompts.length === 0)
    throw new UsageError(
      'no prompt has generations in all samples: the prompts must be the same, letter by letter',
    )
  const size = (prompt: string) => Math.min(clone.get(prompt)!.length, suspect.get(prompt)!.length)
  const some = (sample: MeasuredGenerations, prompt: string) => sample.get(prompt)!.slice(0, size(prompt))
  const values = (from: number, width: number): Samples => ({
    original: prompts.map((prompt) => reference.get(prompt)!.map((row) => row.slice(from, from + width))),
    suspect: prompts.map((prompt) => some(suspect, prompt).map((row) => row.slice(from, from + width))),
    clone: prompts.map((prompt) => some(clone, prompt).map((row) => row.slice(from, from + width))),
  })
  const generations = Math.min(
    ...prompts.map((prompt) => Math.min(size(prompt), reference.get(prompt)!.length)),
  )
  return { prompts: prompts.length, leftOut: all.size - prompts.length, generations, values }
}

/** One component of all generations. */
const component = (samples: readonly number[][][], k: number): number[][] =>
  samples.map((generations) => generations.map((values) => values[k]!))

/** Root mean square, over prompts and components, of the standard deviation within a prompt. */
function deviationOf(samples: readonly number[][][], width: number): number {
  let [squares, freedom] = [0, 0]
  for (let k = 0; k < width; k++) {
    const values = component(samples, k)
    const means = promptMeans(values)
    for (const [i, own] of values.entries()) {
      for (const value of own) squares += (value - means[i]!) ** 2
      freedom += own.length - 1
    }
  }
  return freedom === 0 ? 0 : Math.sqrt(squares / freedom)
}

/** The gap, averaged over components. */
function gapOf(a: readonly number[][][], b: readonly number[][][], width: number): number {
  let sum = 0
  for (let k = 0; k < width; k++) sum += spmgGap(component(a, k), component(b, k))
  return sum / width
}

interface Settings {
  readonly prompts: number
  readonly generations: number
  readonly alpha: number
  readonly runs: number
  readonly seed: string
  readonly exchange: 'generation' | 'prompt'
  readonly drift: number | undefined
}

function audit({ id, low, high, width }: Range, samples: Samples, settings: Settings): Audited {
  const { original, suspect, clone } = samples
  const { prompts, generations, alpha, runs, seed, exchange } = settings
  const bound = (high - low) / 2
  const design = { prompts, generations, bound, alpha }
  const [m, t, c] = [original, suspect, clone].map((sample) => component(sample, 0))
  const { statistic, pValue, exhaustive } =
    width === 1
      ? spmgTest(m!, t!, c!, { runs, seed, exchange })
      : spmgVectorTest(original, suspect, clone, { runs, seed, exchange })
  const deviation = Math.min(bound, deviationOf([...original, ...clone], width))
  const drift = settings.drift ?? 0.05 * (high - low)
  const wanted = { prompts, bound, drift, alpha }
  return {
    metric: id,
    low,
    high,
    gap: gapOf(original, suspect, width),
    cloneGap: gapOf(original, clone, width),
    detWmk: statistic,
    theorem2: spmgThreshold({ ...design, form: 'theorem' }),
    sharper: spmgThreshold({ ...design, form: 'sharp' }),
    pValue,
    exhaustive,
    deviation,
    drift,
    expectedQueries: width === 1 ? expectedSpmgQueries({ ...wanted, deviation }) : null,
    guaranteedQueries: spmgQueries(wanted),
  }
}

function fieldsOf(input: Input): GenerationFields {
  const field = input.flag('metric-field')
  const range = input.flag('range')
  if ((field === undefined) !== (range === undefined))
    throw new UsageError('--metric-field needs --range LOW,HIGH, and the other way round')
  const [low, high, ...more] = (range ?? '').split(',').map(Number)
  if (
    range !== undefined &&
    !(low! < high! && more.length === 0 && Number.isFinite(low) && Number.isFinite(high))
  )
    throw new UsageError(`--range: expected two numbers such as -10,0, got '${range}'`)
  return {
    prompt: input.flag('prompt-field') ?? 'prompt',
    field: input.flag('field'),
    format: input.flag('format'),
    own: field === undefined ? undefined : { field, low: low!, high: high! },
  }
}

function metricsOf(input: Input, fields: GenerationFields): TextMetric[] {
  const named = input.flag('metrics')
  if (named === undefined) return fields.own ? [] : metricsNamed()
  return metricsNamed(named.split(',').map((name) => name.trim()))
}

const short = (x: number): string => `${+x.toPrecision(3)}`

function show(
  output: Output,
  audited: readonly Audited[],
  overall: number,
  s: Settings,
  leftOut: number,
): void {
  const tested = [
    ['metric', 'range', 'gap', 'of the clone', 'DetWmk', 'Theorem 2', 'sharper', 'p-value'],
    ...audited.map((a) => [
      a.metric,
      `[${short(a.low)}, ${short(a.high)}]`,
      ...[a.gap, a.cloneGap, a.detWmk, a.theorem2, a.sharper, a.pValue].map(short),
    ]),
  ]
  const needed = [
    ['metric', 'deviation', 'drift', 'expected', 'guaranteed'],
    ...audited.map((a) => [
      a.metric,
      ...[a.deviation, a.drift].map(short),
      `${a.expectedQueries ?? '-'}`,
      `${a.guaranteedQueries}`,
    ]),
  ]
  const found = overall <= s.alpha
  const left = leftOut > 0 ? `; ${counted(leftOut, 'prompt')} not in all samples left out` : ''
  print(
    output,
    [
      `${counted(s.prompts, 'prompt')}, ${counted(s.generations, 'generation')} or more of each${left}`,
      '',
      aligned(tested),
      '',
      `${found ? 'drift found' : 'no drift found'} at alpha = ${s.alpha}: p = ${short(overall)}, the smallest of ${counted(audited.length, 'p-value')} times their number (Bonferroni)`,
      `Theorem 2 and sharper: what DetWmk must exceed at alpha, by the bounds; p-value: the permutation test${audited.every((a) => a.exhaustive) ? ', all reassignments' : `, ${s.runs} reassignments, seed ${s.seed}`}`,
      '',
      `generations per prompt that find a drift with power 80% over ${counted(s.prompts, 'prompt')}`,
      aligned(needed),
    ].join('\n'),
  )
}

export const auditModel: Command = {
  usage: '--reference FILE [--clone FILE] --suspect FILE',
  summary:
    'Tests from texts whether a model drifts from a reference (SPMG). Exit code 0: it does, 1: not shown.',
  flags: {
    reference: {
      value: 'FILE',
      help: 'generations of the reference: records with `prompt`, and `text` or `tokens`',
    },
    clone: {
      value: 'FILE',
      help: 'a second sample of the reference; by default every second generation of it',
    },
    suspect: { value: 'FILE', help: 'generations of the model in question, for the same prompts' },
    metrics: {
      value: 'LIST',
      help: `${metricNames.slice(0, 6).join(', ')}; also bleu, rouge1, rougeL`,
    },
    'metric-field': { value: 'NAME', help: 'a column of numbers to test instead, such as a log-likelihood' },
    range: { value: 'LOW,HIGH', help: 'the range of --metric-field; numbers outside are clipped' },
    'prompt-field': { value: 'NAME', help: 'the column with the prompt or its number; prompt by default' },
    field: { value: 'NAME', help: 'the column with the text or its token ids' },
    format: { value: 'F', help: 'the format of the files; by default from name or content' },
    alpha: { value: 'A', help: 'level of the decision over all metrics; 0.05 by default' },
    runs: { value: 'N', help: 'reassignments of the permutation test; 9999 by default' },
    exchange: {
      value: 'WHAT',
      help: 'generation (the default), or prompt if generations depend on each other',
    },
    drift: { value: 'D', help: 'the drift to plan for, in units of the metric; 5% of its range by default' },
    seed: { value: 'S', help: 'seed of the reassignments; fresh by default' },
    json: { help: 'print JSON' },
  },
  async run(input, output) {
    const [reference, suspect] = (['reference', 'suspect'] as const).map((name) => {
      const file = input.flag(name)
      if (file === undefined) throw new UsageError(`no ${name}: give --${name} FILE`)
      return file
    }) as [string, string]
    const alpha = number('--alpha', input.number('alpha') ?? 0.05, 0, 1, true)
    const drift = input.number('drift')
    if (drift !== undefined) number('--drift', drift, 0, Number.POSITIVE_INFINITY, true)
    const fields = fieldsOf(input)
    const metrics = metricsOf(input, fields)
    const read = (option: string, name: string) => readGenerations(option, name, metrics, fields)
    const original = await read('--reference', reference)
    const second = input.flag('clone')
    const clone = second === undefined ? half(original, 1) : await read('--clone', second)
    const { prompts, leftOut, generations, values } = samplesOf(
      second === undefined ? half(original, 0) : original,
      clone,
      await read('--suspect', suspect),
    )
    const own = fields.own ? [{ ...fields.own, id: fields.own.field, width: 1 }] : []
    const ranges: Range[] = [...metrics, ...own]
    const runs = input.number('runs') ?? 9999
    const seed = input.flag('seed') ?? `${crypto.getRandomValues(new Uint32Array(1))[0]}`
    const exchange = (input.flag('exchange') ?? 'generation') as 'generation' | 'prompt'
    const settings = { prompts, generations, alpha, runs, seed, exchange, drift }
    let from = 0
    const audited = ranges.map((range) => {
      from += range.width
      return audit(range, values(from - range.width, range.width), settings)
    })
    const overall = Math.min(1, audited.length * Math.min(...audited.map(({ pValue }) => pValue)))
    if (input.on('json'))
      printJson(output, {
        drift: overall <= alpha,
        pValue: overall,
        alpha,
        prompts,
        generations,
        leftOut,
        seed,
        metrics: audited,
      })
    else show(output, audited, overall, settings, leftOut)
    return overall <= alpha ? 0 : 1
  },
}
