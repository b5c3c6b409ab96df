import { resolve } from 'node:path'
import type { Experiment } from '../bench/index.ts'
import { integer, oneOf } from '../input.ts'
import { tableToMarkdown } from '../report/markdown.ts'
import { writeIndex, writeReport } from '../report/write.ts'
import { listed, studyFor } from './bench-study.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { type Output, print } from './output.ts'
import { scaleFlag } from './scale.ts'
import { queueFlag } from './worker.ts'

/** Reports that need open-ended texts only, and so work with any model and prompts. */
const open = ['table3', 'table4', 'table5', 'table6', 'figure2', 'samples'] as const

/** Loaded when it is needed: other commands start faster without. */
type Bench = typeof import('../bench/index.ts')

type Name = keyof ReturnType<Bench['paperExperiments']>

function tablesOf(input: Input, isOpen: boolean, known: readonly Name[]): readonly Name[] {
  const asked = input.flag('tables')
  if (asked === undefined) return isOpen ? ['table3'] : known
  const names = listed(asked).map((name) => oneOf('--tables', name, known))
  const closed = names.find((name) => !(open as readonly string[]).includes(name))
  if (isOpen && closed !== undefined)
    throw new UsageError(
      `--tables: ${closed} needs tasks with references, which --model and --data do not have; expected ${open.join(', ')}`,
    )
  return names
}

/** Runs experiments of one study and writes their reports; returns how many were written. */
async function runAll(
  all: readonly Experiment[],
  input: Input,
  output: Output,
  { openStore, runExperiment }: Bench,
): Promise<number> {
  const { progress } = await import('../bench/progress.ts')
  const { runTogether, secondsFor } = await import('../bench/experiment.ts')
  const line = (text: string) => output.error(text.trim())
  const workers = input.number('workers')
  const store = openStore(input.flag('store'), { warn: line })
  const queue = queueFlag(input)
  const options = {
    store,
    ...(workers === undefined ? {} : { workers: integer('--workers', workers, 0) }),
    ...(queue === undefined ? {} : { queue, shared: input.on('shared') }),
  }
  // one line for all tables: on a terminal it is renewed in place
  const live = output.isTerminal && output.colours
  const stream = { isTTY: live, columns: 80, write: (text: string) => (live ? output.raw(text) : line(text)) }
  const shown = (title: string, others?: () => number) => (cells: number, cost: number) =>
    progress({ title, cells, cost, stream, ...(others === undefined ? {} : { others }) })

  let done = 0
  const runOne = async (experiment: Experiment, others?: () => number): Promise<void> => {
    const { name } = experiment
    const { report, run } = await runExperiment(experiment, { ...options, progress: shown(name, others) })
    if (!report) return output.error(`${name}: ${run.missing.length} cells belong to other shards`)
    await writeReport(report, input.flag('out') ?? 'reports')
    const [table] = report.tables
    if (table) print(output, `${tableToMarkdown(table)}\n`)
    done++
  }
  if (queue === undefined || all.length === 1)
    for (const one of all) await runOne(one, all.length > 1 ? await secondsFor(all, one, store) : undefined)
  else {
    // a report is written once its cells are there, while workers go on with the others
    const waiting = new Set(all)
    let writing = Promise.resolve()
    const write = (one: Experiment): void => {
      waiting.delete(one)
      writing = writing.then(() => runOne(one))
      writing.catch(() => {}) // thrown below
    }
    try {
      await runTogether(all, write, { ...options, progress: shown('bench') })
      for (const one of waiting) write(one)
    } finally {
      await writing
    }
  }
  return done
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
    ...scaleFlag,
    tables: {
      value: 'LIST',
      help: 'table1 to table7, figure1, figure2, agreement, audit, samples; all by default',
    },
    limit: { value: 'N', help: 'the first N prompts only' },
    'max-tokens': { value: 'N', help: 'length of open-ended texts; others have at most so many tokens' },
    temperature: { value: 'T', help: 'temperature of all texts' },
    seed: { value: 'S', help: 'seed of keys and texts; 1 by default' },
    out: { value: 'DIR', short: 'o', help: 'where reports go; reports by default' },
    store: {
      value: 'DIR',
      help: 'where finished cells are kept: a folder, .uwbench by default, or s3://BUCKET/PREFIX',
    },
    workers: { value: 'N', help: 'worker threads; one per core by default' },
    queue: { value: 'URL', help: 'a Redis server whose workers (uwbench worker) compute the cells' },
    shared: { help: 'workers of the queue see the folder --store: values travel through it' },
  },
  async run(input, output) {
    const bench = await import('../bench/index.ts')
    const { study, open: isOpen } = await studyFor(input)
    const experiments = bench.paperExperiments(study)
    const tables = tablesOf(input, isOpen, Object.keys(experiments) as Name[])
    const done = await runAll(
      tables.map((name) => experiments[name]),
      input,
      output,
      bench,
    )
    const folder = input.flag('out') ?? 'reports'
    if (done > 0) {
      writeIndex(folder)
      print(output, resolve(folder, 'index.html'))
    }
    return 0
  },
}
