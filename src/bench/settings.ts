/**
 * Where the parts of a large study are on this machine: a config file (`UWBENCH_CONFIG`, or `uwbench.config.json` in the working
 * directory) and environment variables, which come first. They say where models and data are, never what is measured.
 */
import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { integer, list, oneOf, outOfRange, refuseUnknown, wrongType } from '../input.ts'
import { DTYPES, type Dtype } from '../models/onnx/options.ts'
import type { ModelRef } from './resources.ts'
import { type Study, studiesOf } from './study.ts'

/** What can be set. Models are hub ids or folders; data are files or folders, by the names that studies use. */
export interface Settings {
  /** The models of open-ended text, in place of the study's. */
  readonly models?: readonly string[]
  readonly summarizer?: string
  readonly translator?: string
  /** Whose perplexity is measured. */
  readonly judge?: string
  /** What BERTScore compares with. */
  readonly encoder?: string
  readonly paraphraser?: string
  /** Number format and execution provider of all models. */
  readonly dtype?: Dtype
  readonly device?: string
  /** Threads of one model session. */
  readonly threads?: number
  readonly data?: { readonly [name: string]: string }
}

const texts = ['summarizer', 'translator', 'judge', 'encoder', 'paraphraser', 'device'] as const
const names = ['models', ...texts, 'dtype', 'threads', 'data'] as const

type Env = Readonly<Record<string, string | undefined>>

/** `UWBENCH_DATA_MMW_STORIES` for `mmw-stories`. */
const dataVariable = (name: string): string =>
  `UWBENCH_DATA_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`

function fromFile(path: string): Settings {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${path}: expected a JSON file of settings (${(error as Error).message.split('\n')[0]})`)
  }
  return checked(path, value, join(path, '..'))
}

/** Paths in a file are relative to the file. */
function checked(where: string, value: unknown, folder: string): Settings {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw wrongType(where, 'an object of settings', value)
  refuseUnknown(where, value, names)
  const given = value as Record<string, unknown>
  const text = (name: string, one: unknown): string => {
    if (typeof one !== 'string' || one === '') throw wrongType(`${where}: ${name}`, 'a text', one)
    return one
  }
  const place = (path: string): string => (isAbsolute(path) ? path : resolve(folder, path))
  /** A folder if there is one, else a hub id. */
  const model = (one: string): string => (/^\.{0,2}\//.test(one) || existsSync(place(one)) ? place(one) : one)
  const settings: Record<string, unknown> = {}
  for (const name of texts) if (given[name] !== undefined) settings[name] = text(name, given[name])
  for (const name of texts)
    if (name !== 'device' && settings[name]) settings[name] = model(settings[name] as string)
  if (given.models !== undefined)
    settings.models = Array.from(
      list(`${where}: models`, given.models, 'a list of hub ids or folders'),
      (one) => model(text('models', one)),
    )
  if (given.dtype !== undefined)
    settings.dtype = oneOf(`${where}: dtype`, given.dtype as Dtype, Object.keys(DTYPES) as Dtype[])
  if (given.threads !== undefined) settings.threads = integer(`${where}: threads`, given.threads, 1, 1024)
  if (given.data !== undefined) {
    if (given.data === null || typeof given.data !== 'object')
      throw wrongType(`${where}: data`, 'paths by name', given.data)
    settings.data = Object.fromEntries(
      Object.entries(given.data).map(([name, path]) => [name, place(text(`data.${name}`, path))]),
    )
  }
  return settings as Settings
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
  return checked('environment', given, folder)
}

/**
 * The settings of this machine for a study that reads these data.
 * @example readSettings([], { UWBENCH_DEVICE: 'cuda' }).device // 'cuda'
 */
export function readSettings(
  data: readonly string[],
  env: Env = process.env,
  folder: string = process.cwd(),
): Settings {
  const file = env.UWBENCH_CONFIG ? resolve(folder, env.UWBENCH_CONFIG) : join(folder, 'uwbench.config.json')
  if (env.UWBENCH_CONFIG && !existsSync(file)) throw outOfRange('UWBENCH_CONFIG', 'a file that exists', file)
  const own = existsSync(file) ? fromFile(file) : {}
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
