/** An experiment is a name, a protocol and a study. What must be computed and how it is reported follow from them. */
import { integer, list, number, oneOf, refuseUnknown, requireOptions, text, wrongType } from '../../input.ts'
import type { Cell, Json } from '../cells/cell.ts'
import { packageVersion } from '../cells/code.ts'
import { type RunOptions, type RunResult, runCells } from '../cells/runner.ts'
import { type Identities, identify, Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import { type ProtocolName, protocols } from '../protocols/index.ts'
import { joinBodies } from '../protocols/mean-report.ts'
import type { Protocol, ProtocolOptions } from '../protocols/protocol.ts'
import type { Report, StandIn } from '../report/report.ts'
import { type ResourceOptions, Resources } from '../steps/resources.ts'
import { availableStudy } from '../study/available.ts'
import { familiesOf } from '../study/methods.ts'
import { requireNeeds } from '../study/needs.ts'
import { checkStudy, type Study, studiesOf } from '../study/study.ts'
import { headerOf, type ReportData, recorded } from './data.ts'

/** The declaration of an experiment: a name, a protocol and a study. */
export interface ExperimentDeclaration {
  /** The report's file name: lower case, no blanks. */
  readonly name: string
  readonly title: string
  /** The name of what is done with the study; see `protocols`. */
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
  /** The values that the report was made of; see `writeData`. */
  readonly data?: ReportData
  readonly run: RunResult
  readonly cells: readonly Cell[]
}

/** The module of the benchmark's steps. */
export const stepsUrl = new URL(
  import.meta.url.endsWith('.ts') ? '../steps/index.ts' : '../steps/index.js',
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
    ...Object.fromEntries(
      all.flatMap(({ corpus }) => (corpus ? [[`corpus (${corpus.limit})`, corpus.digest]] : [])),
    ),
  }
}

/** Returns the stand-ins for the parts of the paper's set-up that a protocol uses; those without `tables` concern all generated text. */
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

/** Makes a plan for each model of a study. */
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

/** A study on this machine: the parts of it that are there, and a plan for each model. */
interface Prepared {
  readonly study: Study
  readonly planned: readonly Planned[]
  readonly plans: readonly [Plan, ...Plan[]]
  /** For {@link runCells}. */
  readonly options: Omit<RunOptions, 'title'>
}

/** Leaves out attacks and tasks that no experiment uses, with those of further models. */
function usedPart(study: Study, experiments: readonly Experiment[]): Study {
  const used = new Set(experiments.flatMap(({ protocol }) => protocols[protocol].uses))
  const left = {
    ...(!used.has('attacks') && { attacks: [] }),
    ...(!used.has('tasks') && { tasks: [] }),
  }
  const { more } = study
  return { ...study, ...left, ...(more && { more: more.map((part) => ({ ...part, ...left })) }) }
}

/** Finds what experiments of one study need on this machine, and plans their cells. */
export async function prepare(
  experiments: readonly [Experiment, ...Experiment[]],
  options: ExperimentOptions = {},
): Promise<Prepared> {
  const study = await availableStudy(experiments[0].study)
  const resources: ResourceOptions = {
    ...(study.modules ? { modules: study.modules } : {}),
    ...(study.threads ? { threads: study.threads } : {}),
    ...options.resources,
    data: { ...study.paths, ...options.resources?.data },
  }
  const own = new Resources(resources)
  await requireNeeds(usedPart(study, experiments), own)
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

/** Lists the cells of an experiment. */
export const cellsOf = ({ plans }: Prepared, { protocol, options = {} }: Experiment): Cell[] =>
  plans.flatMap((plan) => protocols[protocol].cells(plan, options))

/** The first sentence of every report of the smoke scale. */
const SMOKE = 'A smoke run: it checks that everything works, and its numbers mean nothing.'

/** Adds what follows from the tables of a report, its sentences among it. */
export function told(protocol: Protocol, report: Report, settings: ProtocolOptions): Report {
  const { headline: _, ...whole } = protocol.complete?.(report) ?? report
  const { headline, summary } = protocol.say(whole, settings)
  const warning = report.scale === 'smoke' ? [SMOKE] : []
  return { ...whole, ...(headline ? { headline } : {}), summary: [...warning, ...summary] }
}

/** Makes the report of an experiment from the values of its cells. */
export function assemble(
  experiment: Experiment,
  study: Study,
  planned: readonly Planned[],
  results: Results,
): Report {
  const protocol: Protocol = protocols[experiment.protocol]
  const settings = experiment.options ?? {}
  const plans = planned.map(({ plan }) => plan) as [Plan, ...Plan[]]
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
    summary: [],
  }
  return told(protocol, report, settings)
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
  const prepared = await prepare([experiment], options)
  const { study, planned } = prepared
  const cells = cellsOf(prepared, experiment)
  const run = await runCells(cells, { title: experiment.name, ...prepared.options })
  if (run.missing.length > 0) return { run, cells }
  const { results, lines } = recorded((cell) => run.value(cell))
  const report = assemble(experiment, study, planned, results)
  const header = headerOf(
    experiment,
    study,
    planned.map(({ ids }) => ids),
  )
  return { report, data: { header, lines }, run, cells }
}
