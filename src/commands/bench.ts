import { resolve } from 'node:path'
import type { Experiment, Study } from '../bench/index.ts'
import type { OwnPart } from '../bench/study.ts'
import { integer, number, oneOf } from '../input.ts'
import { tableToMarkdown } from '../report/markdown.ts'
import { writeIndex, writeReport } from '../report/write.ts'
import { type AnyWatermark, paperWatermarks, shippedWatermarks } from '../watermarks/index.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { projectConfig } from './config.ts'
import { checkLocal } from './local.ts'
import { type Output, print } from './output.ts'
import { watermarksOf } from './own-watermark.ts'
import { queueFlag } from './worker.ts'

const scales = ['embedded', 'smoke', 'small', 'paper'] as const

/** Reports that need open-ended texts only, and so work with any model and prompts. */
const open = ['table3', 'table4', 'table5', 'table6', 'figure2', 'samples'] as const

/** Loaded when it is needed: other commands start faster without. */
type Bench = typeof import('../bench/index.ts')

type Name = keyof ReturnType<Bench['paperExperiments']>

/** Splits at commas outside parentheses. */
const listed = (text: string): string[] => text.split(/,(?![^(]*\))/).map((part) => part.trim())

/** `paper` and `all` stand for the shipped rows; ids and modules for themselves. */
async function rowsOf(text: string): Promise<{ watermarks: AnyWatermark[]; modules: string[] }> {
  const watermarks = new Map<string, AnyWatermark>()
  const modules: string[] = []
  for (const name of listed(text)) {
    const found =
      name === 'paper'
        ? { watermarks: paperWatermarks() }
        : name === 'all'
          ? { watermarks: shippedWatermarks() }
          : await watermarksOf(name)
    for (const one of found.watermarks) watermarks.set(one.id, one)
    if ('module' in found && found.module) modules.push(found.module)
  }
  return { watermarks: [...watermarks.values()], modules }
}

/** Texts of one model and one file of prompts: what the embedded scale does, with sizes for a first look. */
function smallStudy({ more: _, name: __, ...study }: Study): Study {
  return {
    ...study,
    scale: 'small',
    temperature: 1,
    batch: 16,
    open: { ...study.open, prompts: 50, tokens: 200, lengths: [50, 100] },
    attacks: study.attacks.filter(({ model, id }) => model === undefined && !/^(rewrite|synonyms)/.test(id)),
    differences: [],
    standIns: [],
  }
}

interface Limits {
  readonly prompts?: number | undefined
  readonly tokens?: number | undefined
  readonly temperature?: number | undefined
}

/** Another model of the scale, with the sizes that were asked for where they are smaller. */
function limited(part: OwnPart, { prompts = Infinity, tokens = Infinity, temperature }: Limits): OwnPart {
  const { open, tasks, repeated } = part
  const length = Math.min(open?.tokens ?? tokens, tokens)
  return {
    ...part,
    ...(temperature === undefined ? {} : { temperature }),
    ...(open && {
      open: {
        ...open,
        prompts: Math.min(open.prompts, prompts),
        tokens: length,
        lengths: open.lengths.filter((n) => n < length),
      },
    }),
    ...(repeated && { repeated: { ...repeated, prompts: Math.min(repeated.prompts, prompts) } }),
    ...(tasks && { tasks: tasks.map((task) => ({ ...task, prompts: Math.min(task.prompts, prompts) })) }),
  }
}

/** The study of a scale with the user's watermarks, model, prompts and sizes. */
async function studyFor(
  input: Input,
  { embeddedStudy, studyOf }: Bench,
): Promise<{ study: Study; own: boolean }> {
  const [model, data] = [input.flag('model'), input.flag('data')]
  const own = model !== undefined || data !== undefined
  const scale = oneOf('--scale', input.flag('scale') ?? (own ? 'small' : 'embedded'), scales)
  const { more, ...study } =
    scale === 'small' ? smallStudy(embeddedStudy()) : studyOf(scale, await projectConfig())
  const limits: Limits = {
    prompts: input.number('limit'),
    tokens: input.number('max-tokens'),
    temperature: input.number('temperature'),
  }
  if (model !== undefined && model !== 'embedded') checkLocal('--model', model)
  const named = input.flag('watermark')
  const rows = named === undefined ? undefined : await rowsOf(named)
  const limit = input.number('limit')
  const temperature = number(
    '--temperature',
    input.number('temperature') ?? study.temperature,
    0,
    Number.POSITIVE_INFINITY,
  )
  const prompts = integer('--limit', limit ?? study.open.prompts, 1)
  const tokens = integer('--max-tokens', input.number('max-tokens') ?? study.open.tokens, 1)
  const models =
    model === undefined ? study.open.models : [{ id: model, ...(input.on('chat') ? { chat: true } : {}) }]
  const texts = data === undefined ? study.open.data : listed(data)
  const sizes = `Temperature ${temperature}, texts of ${tokens} tokens for ${prompts} prompts of ${texts.join(', ')}, model ${models.map(({ id }) => id).join(', ')}.`
  const changed = own || scale === 'small' || limit !== undefined || input.number('max-tokens') !== undefined
  return {
    own,
    study: {
      ...study,
      ...(rows ? { watermarks: rows.watermarks, modules: rows.modules } : {}),
      temperature,
      seed: integer('--seed', input.number('seed') ?? study.seed, 0),
      open: {
        ...study.open,
        models,
        data: texts,
        prompts,
        tokens,
        lengths: study.open.lengths.filter((length) => length < tokens),
      },
      repeated: { ...study.repeated, prompts: Math.min(study.repeated.prompts, prompts) },
      tasks:
        limit === undefined
          ? study.tasks
          : study.tasks.map((task) => ({ ...task, prompts: Math.min(task.prompts, limit) })),
      ...(more && !own ? { more: more.map((part) => limited(part, limits)) } : {}),
      ...(own ? { standIns: [] } : {}),
      ...(changed ? { settings: [sizes] } : {}),
    },
  }
}

function tablesOf(input: Input, own: boolean, known: readonly Name[]): readonly Name[] {
  const asked = input.flag('tables')
  if (asked === undefined) return own ? ['table3'] : known
  const names = listed(asked).map((name) => oneOf('--tables', name, known))
  const closed = names.find((name) => !(open as readonly string[]).includes(name))
  if (own && closed !== undefined)
    throw new UsageError(
      `--tables: ${closed} needs tasks with references, which --model and --data do not have; expected ${open.join(', ')}`,
    )
  return names
}

async function runOne(
  experiment: Experiment,
  all: readonly Experiment[],
  input: Input,
  output: Output,
  { openStore, runExperiment }: Bench,
): Promise<boolean> {
  const { progress } = await import('../bench/progress.ts')
  const { secondsFor } = await import('../bench/experiment.ts')
  const { name } = experiment
  const line = (text: string) => output.error(text.trim())
  const workers = input.number('workers')
  const store = openStore(input.flag('store'), { warn: line })
  // one line for all tables: on a terminal it is renewed in place
  const live = output.isTerminal && output.colours
  const stream = { isTTY: live, columns: 80, write: (text: string) => (live ? output.raw(text) : line(text)) }
  const others = all.length > 1 ? { others: await secondsFor(all, experiment, store) } : {}
  const queue = queueFlag(input)
  const { report, run } = await runExperiment(experiment, {
    store,
    ...(workers === undefined ? {} : { workers: integer('--workers', workers, 0) }),
    ...(queue === undefined ? {} : { queue, shared: input.on('shared') }),
    progress: (cells, cost) => progress({ title: name, cells, cost, stream, ...others }),
  })
  if (!report) {
    output.error(`${name}: ${run.missing.length} cells belong to other shards`)
    return false
  }
  await writeReport(report, input.flag('out') ?? 'reports')
  const [table] = report.tables
  if (table) print(output, `${tableToMarkdown(table)}\n`)
  return true
}

export const bench: Command = {
  usage: "[--watermark 'paper,./mine.ts'] [--model DIR_OR_ID --data prompts.jsonl] [--tables table3]",
  summary: 'Runs the benchmark and writes its tables, charts and page. An interrupted run resumes.',
  flags: {
    watermark: {
      value: 'LIST',
      short: 'w',
      help: 'ids and modules (./mine.ts), separated by commas; paper: its 19 rows; all',
    },
    model: { value: 'DIR_OR_ID', help: 'the model of open-ended texts; by default that of the scale' },
    chat: { help: "wrap prompts in the model's chat template" },
    data: { value: 'FILES', help: 'your prompts: files with a column `prompt`, or names of datasets' },
    scale: { value: 'S', help: `${scales.join(', ')}; embedded by default, small with --model or --data` },
    tables: {
      value: 'LIST',
      help: 'table1 to table7, figure1, figure2, agreement, audit, samples; all by default',
    },
    limit: { value: 'N', help: 'the first N prompts only' },
    'max-tokens': { value: 'N', help: 'length of open-ended texts' },
    temperature: { value: 'T', help: 'temperature of all texts' },
    seed: { value: 'S', help: 'seed of keys and texts; 1 by default' },
    out: { value: 'DIR', short: 'o', help: 'where reports go; reports by default' },
    store: { value: 'DIR', help: 'where finished cells are kept; .uwbench by default' },
    workers: { value: 'N', help: 'worker threads; one per core by default' },
    queue: { value: 'URL', help: 'a Redis server whose workers (uwbench worker) compute the cells' },
    shared: { help: 'workers of the queue see the folder --store: values travel through it' },
  },
  async run(input, output) {
    const bench = await import('../bench/index.ts')
    const { study, own } = await studyFor(input, bench)
    const experiments = bench.paperExperiments(study)
    const tables = tablesOf(input, own, Object.keys(experiments) as Name[])
    let done = 0
    const all = tables.map((name) => experiments[name])
    for (const one of all) if (await runOne(one, all, input, output, bench)) done++
    const folder = input.flag('out') ?? 'reports'
    if (done > 0) {
      writeIndex(folder)
      print(output, resolve(folder, 'index.html'))
    }
    return 0
  },
}
