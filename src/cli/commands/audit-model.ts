import { counted } from '../../bench/report/index.ts'
import { integer, number } from '../../input.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { type GenerationFields, readGenerations } from './generations.ts'
import { type Output, print, printJson } from './output.ts'
import {
  type AuditedMetric,
  auditMetrics,
  bonferroni,
  half,
  type MetricRange,
  type Samples,
  type SpmgDesign,
  samplesOf,
} from './spmg-audit.ts'
import { metricNames, metricsNamed, type TextMetric } from './text-metrics.ts'
import { aligned } from './text-table.ts'

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
    asked: {
      prompts: input.flag('prompts'),
      count: integer('--count', input.number('count') ?? 8, 1),
      tokens: integer('--max-tokens', input.number('max-tokens') ?? 200, 1),
    },
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
  audited: readonly AuditedMetric[],
  overall: number,
  { alpha, runs, seed }: SpmgDesign,
  { prompts, generations, leftOut }: Samples,
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
  const found = overall <= alpha
  const left = leftOut > 0 ? `; ${counted(leftOut, 'prompt')} not in all samples left out` : ''
  print(
    output,
    [
      `${counted(prompts, 'prompt')}, ${counted(generations, 'generation')} or more of each${left}`,
      '',
      aligned(tested),
      '',
      `${found ? 'drift found' : 'no drift found'} at alpha = ${alpha}: p = ${short(overall)}, the smallest of ${counted(audited.length, 'p-value')} times their number (Bonferroni)`,
      `Theorem 2 and sharper: what DetWmk must exceed at alpha, by the bounds; p-value: the permutation test${audited.every((a) => a.exhaustive) ? ', all reassignments' : `, ${runs} reassignments, seed ${seed}`}`,
      '',
      `generations per prompt that find a drift with power 80% over ${counted(prompts, 'prompt')}`,
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
      help: 'generations of the reference: records with `prompt`, and `text` or `tokens`; or a server, http://HOST:PORT/v1?watermarking=false#NAME',
    },
    clone: {
      value: 'FILE',
      help: 'a second sample of the reference; by default every second generation of it',
    },
    suspect: {
      value: 'FILE',
      help: 'generations of the model in question, for the same prompts; or a server, http://HOST:PORT/v1#NAME',
    },
    prompts: { value: 'FILE', help: 'with a server: its prompts, one per line or record' },
    count: { value: 'N', help: 'with a server: texts per prompt; 8 by default' },
    'max-tokens': { value: 'N', help: 'with a server: length of the texts; 200 by default' },
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
    const samples = samplesOf(
      second === undefined ? half(original, 0) : original,
      clone,
      await read('--suspect', suspect),
    )
    const own = fields.own ? [{ ...fields.own, id: fields.own.field, width: 1 }] : []
    const ranges: MetricRange[] = [...metrics, ...own]
    const runs = input.number('runs') ?? 9999
    const seed = input.flag('seed') ?? `${crypto.getRandomValues(new Uint32Array(1))[0]}`
    const exchange = (input.flag('exchange') ?? 'generation') as 'generation' | 'prompt'
    const design = { alpha, runs, seed, exchange, drift }
    const audited = auditMetrics(ranges, samples, design)
    const overall = bonferroni(audited)
    const { prompts, generations, leftOut } = samples
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
    else show(output, audited, overall, design, samples)
    return overall <= alpha ? 0 : 1
  },
}
