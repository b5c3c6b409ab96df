/** The study of `uwbench bench`: a scale with the user's watermarks, model, prompts and sizes. */
import type { Config } from '../../bench/config/index.ts'
import type { ModelRef, Study } from '../../bench/index.ts'
import type { OwnPart } from '../../bench/study/index.ts'
import { integer, number, oneOf } from '../../input.ts'
import {
  type AnyWatermark,
  beyondThePaper,
  paperWatermarks,
  shippedWatermarks,
} from '../../watermarks/index.ts'
import { type Input, UsageError } from './command.ts'
import { projectConfig } from './config.ts'
import { checkModelName } from './model-name.ts'
import { isModule, watermarksOf } from './own-watermark.ts'

/** Splits at commas outside parentheses. */
export const listed = (text: string): string[] => text.split(/,(?![^(]*\))/).map((part) => part.trim())

/** Words that stand for shipped rows. */
const shippedLists: Record<string, () => AnyWatermark[]> = {
  paper: paperWatermarks,
  beyond: beyondThePaper,
  // a row of the tables needs a detector
  all: () => shippedWatermarks().filter(({ detector }) => detector !== undefined),
}

/** `paper`, `beyond` and `all` stand for shipped rows; ids and modules for themselves. Modules alone join the rows of the paper, unless `only`. */
async function rowsOf(
  text: string,
  only: boolean,
): Promise<{ watermarks: AnyWatermark[]; modules: string[] }> {
  const watermarks = new Map<string, AnyWatermark>()
  const modules: string[] = []
  const given = listed(text)
  const names = given.every(isModule) && !only ? ['paper', ...given] : given
  for (const name of names) {
    const found = Object.hasOwn(shippedLists, name)
      ? { watermarks: shippedLists[name]!() }
      : await watermarksOf(name)
    for (const one of found.watermarks) watermarks.set(one.id, one)
    if ('module' in found && found.module) modules.push(found.module)
  }
  return { watermarks: [...watermarks.values()], modules }
}

/** Sizes for a first look at one's own model and prompts, which have no references: nothing of the tasks is needed. */
function firstLook({ more: _, name: __, ...study }: Study): Study {
  return {
    ...study,
    scale: 'own',
    temperature: 1,
    batch: 16,
    tasks: [],
    open: { ...study.open, prompts: 50, tokens: 200, lengths: [50, 100] },
    attacks: study.attacks.filter(({ model, id }) => model === undefined && !/^(rewrite|synonyms)/.test(id)),
    differences: [],
    standIns: [],
  }
}

/** The study that the command line asks for. */
interface Asked {
  readonly scale: string | undefined
  readonly model: ModelRef | undefined
  readonly data: readonly string[] | undefined
}

/** Makes the study of a scale, or a first look, with the user's model and prompts. */
async function studyWith({ scale, model, data }: Asked, config: Config): Promise<Study> {
  const { embeddedStudy, settingsFor, smallScale, studyOf } = await import('../../bench/study/index.ts')
  const models = model && [model]
  if (scale === 'small' && !data) return smallScale(config, models)
  if (scale === undefined && !model && !data) return studyOf('embedded')
  const { data: paths } = settingsFor(config)
  const study =
    scale === undefined
      ? firstLook(embeddedStudy())
      : scale === 'small'
        ? { ...firstLook(embeddedStudy()), scale, open: smallScale(config, models).open }
        : studyOf(scale, config)
  return {
    ...study,
    open: { ...study.open, ...(models && { models }), ...(data && { data }) },
    ...(paths && { paths: { ...study.paths, ...paths } }),
  }
}

interface Limits {
  readonly prompts?: number | undefined
  readonly tokens?: number | undefined
  readonly temperature?: number | undefined
}

/** Limits another model of the scale to the sizes that were asked for. */
function limited(part: OwnPart, { prompts = Infinity, tokens = Infinity, temperature }: Limits): OwnPart {
  const { open, tasks, repeated, human } = part
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
    ...(human && { human: { ...human, passages: Math.min(human.passages, prompts) } }),
    ...(tasks && {
      tasks: tasks.map((task) => ({
        ...task,
        prompts: Math.min(task.prompts, prompts),
        tokens: Math.min(task.tokens, tokens),
      })),
    }),
  }
}

/** Sets the sizes of the command line. Those of open-ended texts may also be larger than the scale's. */
function sized(study: Study, limits: Limits, seed: number | undefined): Study {
  const temperature = number('--temperature', limits.temperature ?? study.temperature, 0, Infinity)
  const prompts = integer('--limit', limits.prompts ?? study.open.prompts, 1)
  const tokens = integer('--max-tokens', limits.tokens ?? study.open.tokens, 1)
  const { name: _, ...own } = limited({ ...study, name: '' }, limits)
  const lengths = study.open.lengths.filter((length) => length < tokens)
  return {
    ...study,
    ...own,
    temperature,
    seed: integer('--seed', seed ?? study.seed, 0),
    open: { ...study.open, prompts, tokens, lengths },
  }
}

/** Says what was changed: printed with every table. */
const sizesOf = ({ temperature, open: { tokens, prompts, data, models } }: Study): string =>
  `Temperature ${temperature}, texts of ${tokens} tokens for ${prompts} prompts of ${data.join(', ')}, model ${models.map(({ id }) => id).join(', ')}.`

export interface AskedStudy {
  readonly study: Study
  /** True if there are no tasks with references: tables of open-ended texts only. */
  readonly open: boolean
}

/** Returns the study of a scale with the user's watermarks, model, prompts and sizes. */
export async function studyFor(input: Input): Promise<AskedStudy> {
  const { scaleNames, settingsFor } = await import('../../bench/study/index.ts')
  const { placedModel } = await import('../../bench/study/index.ts')
  const [id, files, named] = [input.flag('model'), input.flag('data'), input.flag('watermark')]
  if (id !== undefined && id !== 'embedded') checkModelName('--model', id)
  const config = await projectConfig()
  const given = input.flag('scale') ?? (process.env.UWBENCH_SCALE || undefined)
  const scale = given === undefined ? undefined : oneOf('--scale', given, scaleNames)
  if (input.flag('generator') !== undefined && id === undefined)
    throw new UsageError('--generator needs --model NAME: the model whose tokenizer is read here')
  const chat = {
    ...(input.on('chat') ? { chat: true } : {}),
    ...(input.flag('generator') === undefined ? {} : { generator: true }),
  }
  const asked: Asked = {
    scale,
    model: id === undefined ? undefined : placedModel({ id, ...chat }, undefined, settingsFor(config)),
    data: files === undefined ? undefined : listed(files),
  }
  const own = asked.model !== undefined || asked.data !== undefined
  const { more, ...base } = await studyWith(asked, config)
  const limits: Limits = {
    prompts: input.number('limit'),
    tokens: input.number('max-tokens'),
    temperature: input.number('temperature'),
  }
  const study = sized(base, limits, input.number('seed'))
  const rows = named === undefined ? undefined : await rowsOf(named, input.on('only'))
  const changed = own || limits.prompts !== undefined || limits.tokens !== undefined
  return {
    open: study.tasks.length === 0 || asked.data !== undefined || (own && scale !== 'small'),
    study: {
      ...study,
      ...(rows ? { watermarks: rows.watermarks, modules: rows.modules } : {}),
      ...(more && !own ? { more: more.map((part) => limited(part, limits)) } : {}),
      ...(own && scale !== 'small' ? { standIns: [] } : {}),
      ...(changed ? { settings: [sizesOf(study)] } : {}),
    },
  }
}
