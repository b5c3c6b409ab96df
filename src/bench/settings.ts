/**
 * Where the parts of a large study are on this machine: the settings of a project and environment variables, which come first. They say where
 * models and data are, never what is measured.
 */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/index.ts'
import { configFrom } from '../config/place.ts'
import { checkedConfig, readJsonConfig } from '../config/read.ts'
import { outOfRange } from '../input.ts'
import type { ModelRef } from './resources.ts'
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

/** The part of a project's settings that is about studies, with paths from a folder. */
function settingsOf(config: Config, folder: string): Settings {
  const all = configFrom(folder, config)
  const given = names.filter((name) => all[name] !== undefined).map((name) => [name, all[name]])
  return { ...Object.fromEntries(given), ...(typeof all.data === 'object' ? { data: all.data } : {}) }
}

/** The settings of the environment: `UWBENCH_MODELS` (separated by commas), `UWBENCH_JUDGE`, `UWBENCH_DATA_C4` and so on. */
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

/** The JSON file of settings: what code that cannot wait for a module reads. */
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
 * The settings of this machine for a study that reads these data.
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

/** The names of a study's data. */
export const dataOf = (study: Study): string[] => [
  ...new Set(
    studiesOf(study).flatMap(({ open, tasks, human }) => [
      ...open.data,
      ...tasks.map(({ data }) => data),
      human.data,
    ]),
  ),
]

/** A study with its parts where the settings say they are. */
export function withSettings(study: Study, settings: Settings): Study {
  const { models, summarizer, translator, judge, encoder, paraphraser, dtype, device, threads, data } =
    settings
  const unknown = Object.keys(data ?? {}).find((name) => !dataOf(study).includes(name))
  if (unknown !== undefined) throw outOfRange('data', `one of ${dataOf(study).join(', ')}`, unknown)
  const common = { ...(dtype ? { dtype } : {}), ...(device ? { device } : {}) }
  const at = (ref: ModelRef, id: string | undefined): ModelRef => ({
    ...ref,
    ...common,
    ...(id ? { id } : {}),
  })
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
      ...(task.encoder ? { encoder: at(task.encoder, encoder) } : {}),
    })),
    attacks: study.attacks.map((attack) =>
      attack.model ? { ...attack, model: at(attack.model, paraphraser) } : attack,
    ),
    ...(data ? { paths: { ...study.paths, ...data } } : {}),
    ...(threads ? { threads } : {}),
  }
}
