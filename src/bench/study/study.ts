/**
 * A study: what the experiments of one scale have in common, as data. Copy one, change models, data, watermarks or sizes, and
 * every table follows. Texts are shared: the same generations feed detection, robustness and spread.
 */
import { list, number, text, wrongType } from '../../input.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import type { StandIn } from '../report/report.ts'
import type { MetricName } from '../steps/measure.ts'
import type { ModelRef } from '../steps/resources.ts'

/** A task with references: what table 1 and table 2 measure quality on. */
export interface Task {
  /** The paper's name of the task: what the columns are called. */
  readonly name: 'summarization' | 'translation'
  readonly label: string
  readonly model: ModelRef
  readonly data: string
  /** Prompts of table 1, one text each. */
  readonly prompts: number
  readonly tokens: number
  /** True if the model's end token ends a text. */
  readonly stop: boolean
  readonly metrics: readonly MetricName[]
  /** Compare with only this many words of the reference: for short continuations of long texts. */
  readonly referenceWords?: number
  /** The model whose perplexity is measured; default: the distribution that was sampled from, before the watermark. */
  readonly judge?: ModelRef
  /** The model that BERTScore compares with; default: the hidden states of the judge or the model. */
  readonly encoder?: ModelRef
}

/** An attack as a study names it. */
export interface StudiedAttack {
  /** An id that `parseAttack` reads, or `rewrite(...)`, `reword(...)`, `roundTrip(...)`, `synonyms(...)`, `paraphrase(...)`. */
  readonly id: string
  /** The paraphraser; rewriting uses the model that wrote the text. */
  readonly model?: ModelRef
  /** An external program; without it the attack is left out, and the stand-ins say so. */
  readonly needs?: 'apertium'
  readonly label: string
  /** The paper's column it stands beside. */
  readonly paper?: 'DIPPER' | 'Random 30%' | 'Random 20%' | 'Random 10%'
  /** The column of the paper that it takes the place of in a second robustness score. */
  readonly instead?: 'DIPPER'
  /** Attack only the first texts of each model and dataset, this many. */
  readonly texts?: number
}

/** The differences of another model from the study that it is part of. */
export type OwnPart = Partial<
  Omit<Study, 'scale' | 'seed' | 'watermarks' | 'modules' | 'name' | 'more' | 'variants'>
> & {
  readonly name: string
}

/** A study, which the experiments of one scale share: models, data, watermarks, sizes. */
export interface Study {
  readonly scale: string
  /** The name of the study's model in tables, where there are several; see `more`. */
  readonly name?: string
  /**
   * Further models, each with what it differs in: its data, temperature and sizes. Every report then has the tables of each model and
   * their mean. A part whose models are `optional` is left out where they cannot be fetched.
   */
  readonly more?: readonly OwnPart[]
  readonly seed: number
  readonly watermarks: readonly AnyWatermark[]
  /** Watermarks that are tested in tables 3 to 6 alone: settings that the paper does not state. */
  readonly variants?: readonly AnyWatermark[]
  /** URLs of modules that export your own watermarks, so that workers can import them. */
  readonly modules?: readonly string[]
  /** Files or folders of data that do not ship with the package, by name; otherwise the hub's cache is searched. */
  readonly paths?: { readonly [name: string]: string }
  /** Threads of one model session. */
  readonly threads?: number
  /** Devices that models run on, one worker each: `cuda:0`, `cuda:1`. */
  readonly devices?: readonly string[]
  /**
   * The folder that keeps texts of a slow model; `version` is raised by hand when they have to be written anew. All prompts of the data
   * count in the digest, so that more of them can follow.
   */
  readonly kept?: { readonly folder: string; readonly version: number }
  readonly temperature: number
  /** Texts generated in one batch. */
  readonly batch: number
  /** Texts of one cell; default: one batch. */
  readonly block?: number
  readonly tasks: readonly Task[]
  /** Table 2: few prompts, many texts each, one key. */
  readonly repeated: {
    readonly prompts: number
    readonly generations: number
    readonly perplexityBound: number
  }
  /** Open-ended texts: tables 3 to 6, figure 2. */
  readonly open: {
    readonly models: readonly ModelRef[]
    readonly data: readonly string[]
    readonly prompts: number
    readonly tokens: number
    /** Prefix lengths that are tested as well, for the curve against length. */
    readonly lengths: readonly number[]
  }
  readonly attacks: readonly StudiedAttack[]
  /** Figure 2: how many texts are attacked, how often each, and ids of rewriting at other temperatures, tried once each. */
  readonly spread: { readonly texts: number; readonly trials: number; readonly variants?: readonly string[] }
  /**
   * False positives on human-written text: `passages`, each as it is under `keys` fresh keys, and passages of one source joined and cut to
   * a length. Trials are (text, key) pairs; intervals are over texts.
   */
  readonly human: {
    readonly data: string
    readonly passages: number
    readonly keys: number
    readonly joined?: { readonly passages: number; readonly tokens: number; readonly keys: number }
    /** Long texts of another corpus, fetched where that is possible. */
    readonly corpus?: {
      readonly data: string
      readonly texts: number
      readonly keys: number
      /** True where it could not be fetched: the table has no columns for it and says so. */
      readonly missing?: boolean
    }
  }
  /** Texts per model and dataset whose certified radius is computed, and how fine random attacks are tried. */
  readonly certify: { readonly texts: number; readonly step: number }
  /**
   * Alignment tests are slow: how many texts they get and how many runs, fewer after an attack. Half of p is spent on the shift
   * bound, so p = 2 / (1 + runs) is the least that permutations give: 199 runs for a rate of 1%, 1999 for 0.1%.
   */
  readonly alignment: {
    readonly texts: number
    readonly runs: number
    readonly attackedRuns: number
    /** True if texts are also tested by permutations alone, as published: all runs for each marked text. */
    readonly published?: boolean
  }
  /** Reasons for which methods rank differently here than in the paper; shown where all the families that a remark is about are ranked. */
  readonly differences?: readonly { readonly about: readonly string[]; readonly remark: string }[]
  /**
   * Replacements of parts of the paper's set-up; with `tables`, only for those reports; with `where` or `without`, only
   * where an optional part is there or is not.
   */
  readonly standIns: readonly (StandIn & {
    readonly tables?: 'tasks' | 'attacks' | 'open'
    readonly where?: string
    readonly without?: string
  })[]
  /** Sentences about the choice of temperature and length, printed with every table they shape. */
  readonly settings: readonly string[]
}

/**
 * Returns the study of each model: the study itself, then one for each part of `more`.
 * @example studiesOf(embeddedStudy()).map(({ name }) => name) // ['uwbench-lm', 'stories15m']
 */
export const studiesOf = ({ more = [], ...study }: Study): Study[] => [
  study,
  ...more.map((own) => ({ ...study, ...own })),
]

/** The sizes of a study, part by part. */
const SIZES = {
  repeated: ['prompts', 'generations', 'perplexityBound'],
  open: ['prompts', 'tokens'],
  spread: ['texts', 'trials'],
  human: ['passages', 'keys'],
  certify: ['texts', 'step'],
  alignment: ['texts', 'runs', 'attackedRuns'],
} as const

/** Checks that a value is a study: its sizes and lists. What they name is looked for when it is needed. */
export function checkStudy(study: Study): void {
  if (typeof study !== 'object' || study === null)
    throw wrongType('study', 'a study such as smokeStudy()', study)
  if (study.more !== undefined) {
    const names = Array.from(list<OwnPart>('study.more', study.more, 'a list of parts'), (own) => own?.name)
    for (const name of [study.name, ...names]) text('study.name', name as string)
    for (const own of studiesOf(study).slice(1)) checkStudy(own)
  }
  text('study.scale', study.scale)
  number('study.seed', study.seed, -Number.MAX_VALUE, Number.MAX_VALUE)
  number('study.temperature', study.temperature, 0, Number.MAX_VALUE)
  number('study.batch', study.batch, 1, Number.MAX_VALUE)
  for (const name of ['watermarks', 'tasks', 'attacks', 'standIns', 'settings'] as const)
    list(`study.${name}`, study[name], 'a list')
  for (const [part, sizes] of Object.entries(SIZES)) {
    const value = study[part as keyof typeof SIZES] as Readonly<Record<string, unknown>>
    if (typeof value !== 'object' || value === null)
      throw wrongType(`study.${part}`, `an object with ${sizes.join(', ')}`, value)
    for (const size of sizes) number(`study.${part}.${size}`, value[size], 0, Number.MAX_VALUE)
  }
  const { block, modules, differences } = study
  if (block !== undefined) number('study.block', block, 1, Number.MAX_VALUE)
  for (const [name, value] of Object.entries({ modules, differences }))
    if (value !== undefined) list(`study.${name}`, value, 'a list, or nothing')
}
