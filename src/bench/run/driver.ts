/** Runs experiments of one study and writes their reports: what `vitest run --project=bench` and `uwbench bench` do. */
import { type Cell, closure } from '../cells/cell.ts'
import { Costs, kindOf } from '../cells/estimate.ts'
import { workerCount } from '../cells/pool.ts'
import { type ProgressOptions, progress } from '../cells/progress.ts'
import { runCells } from '../cells/runner.ts'
import type { Steps } from '../cells/step.ts'
import type { Store } from '../cells/store.ts'
import { writeReport } from '../report/write.ts'
import { writeData } from './data.ts'
import {
  cellsOf,
  type Experiment,
  type ExperimentOptions,
  type ExperimentRun,
  prepare,
  runExperiment,
  stepsUrl,
} from './experiment.ts'
import { withKept } from './kept.ts'

type Stored = Omit<ExperimentOptions, 'progress'> & { readonly store: Store }

/** Options of a run: the folder of its reports and the display of its progress. */
export interface DriverOptions extends Stored {
  /** The folder of the reports. */
  readonly folder: string
  readonly show: Pick<ProgressOptions, 'stream' | 'every'>
}

/**
 * Estimates the seconds that the experiments other than one still take, by what cells have cost so far: cells that the one computes as
 * well, or that are in the store, do not count.
 */
async function secondsFor(
  experiments: readonly Experiment[],
  except: Experiment,
  store: Store,
): Promise<() => number> {
  const prepared = await prepare([except, ...experiments])
  const own = new Set(closure(cellsOf(prepared, except)).map(({ digest }) => digest))
  const all = closure(experiments.flatMap((one) => cellsOf(prepared, one)))
  const open = all.filter((c) => !own.has(c.digest) && !store.has(c))
  const { steps } = (await import(/* @vite-ignore */ stepsUrl)) as Steps
  const work = open.map((c) => ({ kind: kindOf(c), units: steps[c.step]?.cost?.(c.inputs) ?? 1 }))
  return () => {
    const costs = new Costs(store.path)
    return (
      work.reduce((sum, { kind, units }) => sum + costs.seconds(kind, units), 0) / Math.max(1, workerCount())
    )
  }
}

/**
 * Computes the missing cells of several experiments in one run, so that no worker waits for the last cell of an experiment. Cells of
 * the first go first.
 * @param ready called for each experiment, once its cells are in the store
 */
export async function runTogether(
  experiments: readonly Experiment[],
  ready: (experiment: Experiment) => void,
  options: ExperimentOptions & { readonly store: Store },
): Promise<void> {
  const prepared = await prepare(experiments as [Experiment, ...Experiment[]], options)
  const lists = experiments.map((one) => closure(cellsOf(prepared, one)))
  await options.store.bucket?.level(lists.flat())
  const open = lists.map((cells) => new Set(cells.filter((c) => !options.store.has(c)).map((c) => c.digest)))
  const stages = open.map((digests) => new Set(digests))
  for (const [i, one] of experiments.entries()) if (open[i]!.size === 0) ready(one)
  const onStored = ({ digest }: Cell): void => {
    for (const [i, one] of experiments.entries())
      if (open[i]!.delete(digest) && open[i]!.size === 0) ready(one)
  }
  await runCells(lists.flat(), { ...prepared.options, stages, onStored })
}

/**
 * Runs one experiment and writes its report.
 * @param all the experiments of the run, for the estimate of the time that all of them take
 */
export async function runReport(
  experiment: Experiment,
  all: readonly Experiment[],
  { folder, show, ...given }: DriverOptions,
): Promise<ExperimentRun> {
  const { study } = experiment
  const options = {
    ...given,
    store: withKept(given.store, study, (text) => (show.stream ?? process.stderr).write(`${text}\n`)),
  }
  const others = all.length > 1 ? { others: await secondsFor(all, experiment, options.store) } : {}
  const finished = await runExperiment(experiment, {
    ...options,
    progress: (cells, cost) => progress({ title: experiment.name, cells, cost, ...show, ...others }),
  })
  if (finished.report) await writeReport(finished.report, folder)
  if (finished.data && !study.kept) writeData(folder, finished.data)
  return finished
}

/**
 * Runs experiments of one study: one after the other, or all at once where a queue has workers for them. Then a report is written as
 * soon as its cells are there.
 * @param done called for each experiment, in the order in which they are done
 */
export async function runReports(
  all: readonly Experiment[],
  options: DriverOptions,
  done: (experiment: Experiment, finished: ExperimentRun) => void,
): Promise<void> {
  if (options.queue === undefined || all.length === 1) {
    for (const one of all) done(one, await runReport(one, all, options))
    return
  }
  const waiting = new Set(all)
  let writing = Promise.resolve()
  const write = (one: Experiment): void => {
    waiting.delete(one)
    writing = writing.then(async () => done(one, await runReport(one, [one], options)))
    writing.catch(() => {}) // thrown below
  }
  const { folder: _, show, ...together } = options
  const shown = (cells: number, cost: number) => progress({ title: 'bench', cells, cost, ...show })
  try {
    await runTogether(all, write, { ...together, progress: shown })
    for (const one of waiting) write(one)
  } finally {
    await writing
  }
}
