import { join, resolve } from 'node:path'
import type { Experiment } from '../../bench/index.ts'
import { writeIndex } from '../../bench/report/index.ts'
import type { ResourceOptions } from '../../bench/steps/index.ts'
import { integer, number, oneOf } from '../../input.ts'
import { listed, studyFor } from './bench-study.ts'
import { wordsOf } from './checked.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { type Output, print } from './output.ts'
import { scaleFlag } from './scale.ts'
import { tableForTerminal } from './text-table.ts'
import { queueFlag } from './worker.ts'

/** Reports that need open-ended texts only, and so work with any model and prompts. */
const open = ['table3', 'table4', 'table5', 'table6', 'figure2', 'samples'] as const

type Name = keyof ReturnType<typeof import('../../bench/index.ts').paperExperiments>

function tablesOf(input: Input, isOpen: boolean, known: readonly Name[], scale: string): readonly Name[] {
  const asked = input.flag('tables')
  if (asked === undefined && scale === 'chat') return open
  if (asked === undefined) return isOpen ? ['table3'] : known
  const names = listed(asked).map((name) => oneOf('--tables', name, known))
  const closed = names.find((name) => !(open as readonly string[]).includes(name))
  if (isOpen && closed !== undefined)
    throw new UsageError(
      `--tables: ${closed} needs tasks with references, which --model and --data do not have; expected ${open.join(', ')}`,
    )
  return names
}

/** Runs experiments of one study; returns how many reports were written to the folder. */
async function runAll(
  all: readonly Experiment[],
  input: Input,
  output: Output,
  folder: string,
  resources: ResourceOptions,
) {
  const { openStore } = await import('../../bench/index.ts')
  const { runReports } = await import('../../bench/run/index.ts')
  const line = (text: string) => output.error(text.trim())
  const workers = input.number('workers')
  const queue = queueFlag(input)
  const verifyShare = number('--verify-share', input.number('verify-share') ?? 0, 0, 1)
  if (verifyShare > 0 && queue === undefined) throw new UsageError('--verify-share needs --queue URL')
  // one line for all tables: on a terminal it is renewed in place
  const live = output.isTerminal && output.colours
  const stream = { isTTY: live, columns: 80, write: (text: string) => (live ? output.raw(text) : line(text)) }
  let written = 0
  await runReports(
    all,
    {
      folder,
      show: { stream },
      resources,
      store: openStore(input.flag('store'), { warn: line }),
      // one generator for all: it holds a large model
      ...(resources.generator ? { workers: 0 } : {}),
      ...(workers === undefined ? {} : { workers: integer('--workers', workers, 0) }),
      ...(queue === undefined ? {} : { queue, shared: input.on('shared'), verifyShare }),
    },
    ({ name }, { report, run }) => {
      if (!report) return output.error(`${name}: ${run.missing.length} cells belong to other shards`)
      const [table] = report.tables
      if (table)
        print(
          output,
          `${tableForTerminal(table)}\n(with intervals, the paper's figures and all columns: ${join(folder, `${name}.md`)})\n`,
        )
      written++
    },
  )
  return written
}

/** Starts the generator, if there is one, and asks what it is. */
async function generatorOf(
  command: readonly string[] | undefined,
  tables: readonly Name[],
): Promise<ResourceOptions> {
  if (command === undefined) return {}
  const closed = tables.find((name) => !(open as readonly string[]).includes(name))
  if (closed !== undefined)
    throw new UsageError(`--generator: ${closed} needs logits here; expected --tables ${open.join(', ')}`)
  const { Generator } = await import('../../bench/steps/index.ts')
  const { info } = await Generator.shared(command)
  return { generator: { command, info } }
}

export const bench: Command = {
  usage: '[--watermark ./mine.ts] [--model DIR_OR_ID --data prompts.jsonl] [--tables table3]',
  summary: 'Runs the benchmark and writes its tables, charts and page. An interrupted run resumes.',
  flags: {
    watermark: {
      value: 'LIST',
      short: 'w',
      help: 'ids and modules (./mine.ts), separated by commas; paper: its 19 rows; beyond: methods it lacks; all. Modules alone join the rows of the paper',
    },
    only: { help: 'with --watermark ./mine.ts: without the rows of the paper' },
    model: { value: 'DIR_OR_ID', help: 'the model of open-ended texts; by default the model of the scale' },
    chat: { help: "wrap prompts in the model's chat template" },
    data: { value: 'FILES', help: 'your prompts: files with a column `prompt`, or names of datasets' },
    ...scaleFlag,
    tables: {
      value: 'LIST',
      help: 'table1 to table7, figure1, figure2, agreement, audit, samples; all by default',
    },
    limit: { value: 'N', help: 'the first N prompts only' },
    'max-tokens': { value: 'N', help: 'length of open-ended texts, and the longest that other texts may be' },
    temperature: { value: 'T', help: 'temperature of all texts' },
    seed: { value: 'S', help: 'seed of keys and texts; 1 by default' },
    out: {
      value: 'DIR',
      short: 'o',
      help: 'where reports go; by default reports, or reports/chat for the scale chat',
    },
    store: {
      value: 'DIR',
      help: 'where finished cells are kept: a folder, .uwbench by default, or s3://BUCKET/PREFIX',
    },
    workers: { value: 'N', help: 'worker threads; one per core by default' },
    queue: { value: 'URL', help: 'a Redis server whose workers (uwbench worker) compute the cells' },
    shared: { help: 'workers of the queue see the folder --store: values travel through it' },
    generator: {
      value: 'COMMAND',
      help: 'a program that writes the texts (docs/generator.md); --model names the model whose tokenizer is read here',
    },
    'verify-share': {
      value: 'S',
      help: 'the share of cells that two workers of the queue compute and compare, such as 0.02',
    },
  },
  async run(input, output) {
    const { paperExperiments } = await import('../../bench/index.ts')
    const { study, open: isOpen } = await studyFor(input)
    const experiments = paperExperiments(study)
    const tables = tablesOf(input, isOpen, Object.keys(experiments) as Name[], study.scale)
    const folder = input.flag('out') ?? (study.scale === 'chat' ? 'reports/chat' : 'reports')
    const { Generator } = await import('../../bench/steps/index.ts')
    const line = input.flag('generator')
    const command = line === undefined ? undefined : wordsOf(line, '--generator')
    const written = await generatorOf(command, tables)
      .then((resources) =>
        runAll(
          tables.map((name) => experiments[name]),
          input,
          output,
          folder,
          resources,
        ),
      )
      .finally(() => Generator.stopAll())
    if (written > 0) {
      writeIndex(folder)
      print(output, resolve(folder, 'index.html'))
    }
    return 0
  },
}
