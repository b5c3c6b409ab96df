/**
 * The places of a large study's parts on this machine: the settings of a project and environment variables, which come first. They say where
 * models and data are, never what is measured.
 */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { outOfRange } from '../../input.ts'
import { namedModels, parseDevice } from '../../text/models/index.ts'
import { kindOfDevice } from '../cells/cell-models.ts'
import { checkedConfig, configFrom, readJsonConfig } from '../config/file.ts'
import type { Config } from '../config/index.ts'
import { datasetNames, type ModelRef } from '../steps/resources.ts'
import { type Study, studiesOf } from './study.ts'

const texts = ['summarizer', 'translator', 'judge', 'encoder', 'paraphraser', 'device'] as const
const names = ['models', ...texts, 'dtype', 'threads'] as const

/** The settings of a project that are about the parts of a study: data by the names that studies use. */
export interface Settings extends Pick<Config, (typeof names)[number]> {
  readonly data?: { readonly [name: string]: string }
}

type Env = Readonly<Record<string, string | undefined>>

/** `UWBENCH_DATA_MMW_STORIES` for `mmw-stories`. */
const dataVariable = (name: string): string =>
  `UWBENCH_DATA_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`

/** Returns the part of a project's settings that is about studies, with paths from a folder. */
function settingsOf(config: Config, folder: string): Settings {
  const all = configFrom(folder, config)
  const given = names.filter((name) => all[name] !== undefined).map((name) => [name, all[name]])
  return { ...Object.fromEntries(given), ...(typeof all.data === 'object' ? { data: all.data } : {}) }
}

/** Reads the settings of the environment: `UWBENCH_MODELS` (separated by commas), `UWBENCH_JUDGE`, `UWBENCH_DATA_C4` and so on. */
function fromEnvironment(env: Env, data: readonly string[], folder: string): Settings {
  const given: Record<string, unknown> = {}
  for (const name of [...texts, 'dtype'] as const)
    if (env[`UWBENCH_${name.toUpperCase()}`]) given[name] = env[`UWBENCH_${name.toUpperCase()}`]
  if (env.UWBENCH_MODELS) given.models = env.UWBENCH_MODELS.split(',').map((id) => id.trim())
  if (env.UWBENCH_THREADS) given.threads = Number(env.UWBENCH_THREADS)
  const paths = data.flatMap((name) => {
    const path = env[dataVariable(name)]
    return path ? [[name, path] as const] : []
  })
  if (paths.length > 0) given.data = Object.fromEntries(paths)
  return settingsOf(checkedConfig('environment', given), folder)
}

/** Reads the JSON file of settings, for code that cannot wait for a module. */
function fromFile(env: Env, folder: string): Settings {
  const file = env.UWBENCH_CONFIG ? resolve(folder, env.UWBENCH_CONFIG) : join(folder, 'uwbench.config.json')
  if (env.UWBENCH_CONFIG && !existsSync(file)) throw outOfRange('UWBENCH_CONFIG', 'a file that exists', file)
  if (!existsSync(file)) return {}
  if (/\.[mc]?[jt]s$/.test(file))
    throw outOfRange(
      'UWBENCH_CONFIG',
      'a JSON file, or its settings as an argument: studyOf(scale, config)',
      file,
    )
  return settingsOf(readJsonConfig(file), dirname(file))
}

/**
 * Reads the settings of this machine for a study that reads these data.
 * @param config those of the project; default: what `uwbench.config.json`, or the JSON file that `UWBENCH_CONFIG` names, says
 * @example readSettings([], { UWBENCH_DEVICE: 'cuda' }).device // 'cuda'
 */
export function readSettings(
  data: readonly string[],
  env: Env = process.env,
  folder: string = process.cwd(),
  config?: Config,
): Settings {
  const own =
    config === undefined ? fromFile(env, folder) : settingsOf(checkedConfig('config', config), folder)
  const set = fromEnvironment(env, data, folder)
  return { ...own, ...set, data: { ...own.data, ...set.data } }
}

/** Names the data of a study. */
export const dataOf = (study: Study): string[] => [
  ...new Set(
    studiesOf(study).flatMap(({ open, tasks, human }) => [
      ...open.data,
      ...tasks.map(({ data }) => data),
      human.data,
    ]),
  ),
]

/** `cuda:0,cuda:1`: all devices are of one kind, and cells are addressed by that. */
const devicesOf = (device: string | undefined): string[] =>
  (device ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)

/**
 * Takes a model from where the settings say it is, in their number format and on their device. Models with a name of our own come in one format,
 * and are small enough for the processor.
 */
export function placedModel(ref: ModelRef, id: string | undefined, { dtype, device }: Settings): ModelRef {
  const placed = { ...ref, ...(id ? { id } : {}) }
  if (namedModels.has(placed.id)) return placed
  const [first] = devicesOf(device)
  return { ...placed, ...(dtype ? { dtype } : {}), ...(first ? { device: kindOfDevice(first) } : {}) }
}

/** Takes the parts of a study from where the settings say they are. Paths of data that other scales read are kept. */
export function withSettings(study: Study, settings: Settings): Study {
  const { models, summarizer, translator, judge, encoder, paraphraser, threads, data } = settings
  const devices = devicesOf(settings.device)
  const kinds = [...new Set(devices.map((device) => parseDevice(device).kind))]
  if (kinds.length > 1)
    throw outOfRange('device', 'devices of one kind, such as cuda:0,cuda:1', settings.device)
  const known = [...new Set([...dataOf(study), ...datasetNames])]
  const unknown = Object.keys(data ?? {}).find((name) => !known.includes(name))
  if (unknown !== undefined) throw outOfRange('data', `one of ${known.join(', ')}`, unknown)
  // the metric stays the same whatever the number format of the models that write
  const { dtype: _, ...onDevice } = settings
  const at = (ref: ModelRef, id: string | undefined): ModelRef => placedModel(ref, id, settings)
  const [first] = study.open.models
  return {
    ...study,
    open: {
      ...study.open,
      models: models
        ? models.map((id) => at(first!, id))
        : study.open.models.map((ref) => at(ref, undefined)),
    },
    tasks: study.tasks.map((task) => ({
      ...task,
      model: at(task.model, task.name === 'summarization' ? summarizer : translator),
      ...(task.judge ? { judge: at(task.judge, judge) } : {}),
      ...(task.encoder ? { encoder: placedModel(task.encoder, encoder, onDevice) } : {}),
    })),
    attacks: study.attacks.map((attack) =>
      attack.model ? { ...attack, model: at(attack.model, paraphraser) } : attack,
    ),
    ...(data ? { paths: { ...study.paths, ...data } } : {}),
    ...(threads ? { threads } : {}),
    ...(devices.length > 0 ? { devices } : {}),
  }
}
