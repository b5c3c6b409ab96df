/** An experiment is a name, a protocol and a study. What must be computed and how it is reported follow from them. */
import { integer, list, number, oneOf, refuseUnknown, requireOptions, text, wrongType } from '../input.ts'
import type { Report, StandIn } from '../report/report.ts'
import { availableStudy } from './available.ts'
import { type Cell, closure, type Json } from './cell.ts'
import { Costs, kindOf } from './estimate.ts'
import { joinBodies } from './mean-report.ts'
import { familiesOf } from './methods.ts'
import { requireParts } from './missing.ts'
import { type Identities, identify, Plan } from './plan.ts'
import { workerCount } from './pool.ts'
import { type ProtocolName, protocols } from './protocols/index.ts'
import type { Protocol } from './protocols/protocol.ts'
import { type ResourceOptions, Resources } from './resources.ts'
import { Results } from './results.ts'
import { type RunOptions, type RunResult, runCells } from './runner.ts'
import type { Steps } from './step.ts'
import type { Store } from './store.ts'
import { checkStudy, type Study, studiesOf } from './study.ts'
import { packageVersion } from './version.ts'

/** What is declared of an experiment: a name, a protocol and a study. */
export interface ExperimentDeclaration {
  /** The report's file name: lower case, no blanks. */
  readonly name: string
  readonly title: string
  /** What is done with the study; see `protocols`. */
  readonly protocol: ProtocolName
  /** Increased when results change for the same study. */
  readonly version: number
  readonly study: Study
  /** The report's place on the page, lowest first. */
  readonly order?: number
  /** Settings of the protocol, such as the false-positive rate of a robustness table. */
  readonly options?: { readonly [name: string]: Json }
}

/** A declaration that was checked. */
export type Experiment = Readonly<ExperimentDeclaration>

/**
 * Checks a declaration.
 * @example
 * const { table3 } = paperExperiments(smokeStudy())
 * const study = { ...table3.study, watermarks: [kgw({ delta: 3 })] }
 * defineExperiment({ ...table3, name: 'mine', study }).name // 'mine'
 */
export function defineExperiment(declaration: ExperimentDeclaration): Experiment {
  requireOptions('defineExperiment', declaration, [
    'name',
    'title',
    'protocol',
    'version',
    'study',
    'order',
    'options',
  ])
  const { name, study, protocol } = declaration
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name))
    throw wrongType('name', 'a file name of lower-case letters, digits and dashes', name)
  oneOf('protocol', protocol, Object.keys(protocols) as ProtocolName[])
  text('title', declaration.title)
  integer('version', declaration.version, 0)
  if (declaration.order !== undefined) number('order', declaration.order, -Number.MAX_VALUE, Number.MAX_VALUE)
  refuseUnknown('options', declaration.options, Object.keys(declaration.options ?? {}))
  checkStudy(study)
  const watermarks = Array.from(
    list<Study['watermarks'][number]>('study.watermarks', study.watermarks, 'a list of watermarks'),
  )
  for (const [i, watermark] of watermarks.entries())
    if (typeof watermark?.id !== 'string')
      throw wrongType(`study.watermarks[${i}]`, 'a watermark such as gumbel()', watermark)
  const ids = watermarks.map(({ id }) => id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice) throw wrongType('study.watermarks', 'watermarks with different ids', twice)
  return Object.freeze({ ...declaration })
}

/** The report of an experiment, and the run behind it. */
export interface ExperimentRun {
  /** Missing if some cells belong to other shards. */
  readonly report?: Report
  readonly run: RunResult
  readonly cells: readonly Cell[]
}

/** The module of the benchmark's steps. */
export const stepsUrl = new URL(
  import.meta.url.endsWith('.ts') ? './steps/index.ts' : './steps/index.js',
  import.meta.url,
).href

/** Everything that determined the numbers, except date and machine. */
function provenance(experiment: Experiment, all: readonly Identities[]): Report['provenance'] {
  const { study, version } = experiment
  return {
    experiment: `${experiment.name}, version ${version}`,
    scale: study.scale,
    seed: study.seed,
    uwbench: packageVersion(),
    ...Object.fromEntries(
      all.flatMap(({ models }) => [...models].map(([id, digest]) => [`model ${id}`, digest])),
    ),
    ...Object.fromEntries(
      all.flatMap(({ data }) =>
        [...data].map(([name, { digest, limit }]) => [`data ${name} (${limit})`, digest]),
      ),
    ),
  }
}

/** The stand-ins for the parts of the paper's set-up that a protocol uses; those without `tables` concern all generated text. */
const touching = (study: Study, uses: Protocol['uses']): StandIn[] =>
  uses.length === 0
    ? []
    : study.standIns
        .filter(({ tables }) => tables === undefined || uses.includes(tables))
        .map(({ paper, here }) => ({ paper, here }))

interface Planned {
  readonly plan: Plan
  readonly ids: Identities
}

/** A plan for each model of a study. */
const plansOf = (study: Study, resources: Resources): Promise<Planned[]> =>
  Promise.all(
    studiesOf(study).map(async (own) => {
      const ids = await identify(own, resources)
      return { plan: new Plan(own, ids), ids }
    }),
  )

export type ExperimentOptions = Omit<Partial<RunOptions>, 'resources'> & {
  readonly resources?: ResourceOptions
}

/** What a study needs to run on this machine: the parts of it that are there, and a plan for each model. */
interface Prepared {
  readonly study: Study
  readonly planned: readonly Planned[]
  readonly plans: readonly [Plan, ...Plan[]]
  /** For {@link runCells}. */
  readonly options: Omit<RunOptions, 'title'>
}

async function prepare(declared: Study, options: ExperimentOptions = {}): Promise<Prepared> {
  const study = await availableStudy(declared)
  const resources: ResourceOptions = {
    ...(study.modules ? { modules: study.modules } : {}),
    ...(study.threads ? { threads: study.threads } : {}),
    ...options.resources,
    data: { ...study.paths, ...options.resources?.data },
  }
  const own = new Resources(resources)
  await requireParts(study, own)
  const planned = await plansOf(study, own)
  return {
    study,
    planned,
    plans: planned.map(({ plan }) => plan) as [Plan, ...Plan[]],
    options: {
      steps: stepsUrl,
      ...(study.devices ? { devices: study.devices } : {}),
      ...options,
      resources: resources as unknown as Json,
    },
  }
}

const cellsOf = ({ plans }: Prepared, { protocol, options = {} }: Experiment): Cell[] =>
  plans.flatMap((plan) => protocols[protocol].cells(plan, options))

/**
 * How many seconds the experiments other than one still take, by what cells have cost so far: cells that the one computes as well, or
 * that are in the store, do not count. All of them have one study.
 */
export async function secondsFor(
  experiments: readonly Experiment[],
  except: Experiment,
  store: Store,
  workers: number = workerCount(),
): Promise<() => number> {
  const prepared = await prepare(except.study)
  const own = new Set(closure(cellsOf(prepared, except)).map(({ digest }) => digest))
  const all = closure(experiments.flatMap((one) => cellsOf(prepared, one)))
  const open = all.filter((c) => !own.has(c.digest) && !store.has(c))
  const { steps } = (await import(/* @vite-ignore */ stepsUrl)) as Steps
  const work = open.map((c) => ({ kind: kindOf(c), units: steps[c.step]?.cost?.(c.inputs) ?? 1 }))
  return () => {
    const costs = new Costs(store.path)
    return work.reduce((sum, { kind, units }) => sum + costs.seconds(kind, units), 0) / Math.max(1, workers)
  }
}

/**
 * Computes the missing cells of several experiments in one run, so that no worker waits for the last cell of an experiment. All of them
 * have one study; cells of the first go first.
 * @param ready called for each experiment, once its cells are in the store
 */
export async function runTogether(
  experiments: readonly Experiment[],
  ready: (experiment: Experiment) => void,
  options: ExperimentOptions & { readonly store: Store },
): Promise<void> {
  const prepared = await prepare(experiments[0]!.study, options)
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
 * Computes missing cells and returns the report.
 * @example
 * const { table3 } = paperExperiments({ ...smokeStudy(), watermarks: [gumbel()] })
 * const { report } = await runExperiment(table3, { workers: 0, store: openStore('./store') })
 * report.name // 'table3'
 */
export async function runExperiment(
  experiment: Experiment,
  options: ExperimentOptions = {},
): Promise<ExperimentRun> {
  const prepared = await prepare(experiment.study, options)
  const { study, planned, plans } = prepared
  const protocol: Protocol = protocols[experiment.protocol]
  const settings = experiment.options ?? {}
  const cells = cellsOf(prepared, experiment)
  const run = await runCells(cells, { title: experiment.name, ...prepared.options })
  if (run.missing.length > 0) return { run, cells }
  const results = new Results(run)
  const parts = plans.map((plan) => ({
    name: plan.study.name ?? '',
    body: protocol.report(plan, results, settings),
  }))
  // a study that declares several models names its tables after them, also where only one of them could be had
  const body =
    study.more === undefined || protocol.uses.length === 0
      ? parts[0]!.body
      : joinBodies(parts, protocol.mean?.(plans, results))
  const report: Report = {
    name: experiment.name,
    title: experiment.title,
    ...(experiment.order === undefined ? {} : { order: experiment.order }),
    scale: study.scale,
    methods: familiesOf(plans[0]!.methods),
    standIns: touching(study, protocol.uses),
    provenance: provenance(
      { ...experiment, study },
      planned.map(({ ids }) => ids),
    ),
    ...body,
    ...protocol.say(plans, results, settings),
  }
  return { report, run, cells }
}
