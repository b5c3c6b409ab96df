/** The entry `uwbench/config`: the settings of a project, in `uwbench.config.ts`, `.js` or `.json`. */
import { integer, list, oneOf, refuseUnknown, text, wrongType } from '../../input.ts'
import { DTYPES, type Dtype } from '../../text/models/index.ts'

/**
 * The settings of a project, for commands and for the benchmark; options of the command line and environment variables come first. Paths are
 * relative to the folder of the file.
 */
export interface Config {
  /** The file that holds the secret key; never the key itself. The variable UWBENCH_KEY comes first. */
  readonly keyFile?: string
  /** Files of keys by the id that records name (`keyId`), for `eval` on texts of several keys. */
  readonly keyFiles?: { readonly [keyId: string]: string }
  /** The watermark: an id, or a module such as `./mine.ts`. */
  readonly watermark?: string
  /** The model of commands: a folder or a hub id. `bench` takes it only where `models` is not set. */
  readonly model?: string
  /** The tokenizer of texts to test: a folder or a hub id. */
  readonly tokenizer?: string
  /** The width of the model's logits, for token ids. */
  readonly vocabSize?: number
  /** Prompts of `bench`: files, separated by commas; or where the data of the scales `small` and `paper` are: files or folders by name. */
  readonly data?: string | { readonly [name: string]: string }
  /** The folder or bucket where the benchmark keeps finished cells. */
  readonly store?: string
  /** Models of open-ended text of the scales `small` and `paper`: folders or hub ids. */
  readonly models?: readonly string[]
  /** This and the next are of the scale `paper` only, as are `judge` and `paraphraser`. */
  readonly summarizer?: string
  readonly translator?: string
  /** The model whose perplexity is measured. */
  readonly judge?: string
  /** The model that BERTScore compares with. */
  readonly encoder?: string
  readonly paraphraser?: string
  /** Number format of the models of these scales that write text: folders and hub ids; models with a name of our own have one. */
  readonly dtype?: Dtype
  /** Their execution provider, such as `cuda`, or several devices of one kind, one worker each: `cuda:0,cuda:1`. */
  readonly device?: string
  /** Threads of one model session. */
  readonly threads?: number
}

/** Settings whose value is a text that is not empty. */
const texts = [
  'keyFile',
  'watermark',
  'model',
  'tokenizer',
  'store',
  'summarizer',
  'translator',
  'judge',
  'encoder',
  'paraphraser',
  'device',
] as const

const names: readonly (keyof Config)[] = [
  ...texts,
  'keyFiles',
  'vocabSize',
  'data',
  'models',
  'dtype',
  'threads',
]

const filled = (name: string, value: unknown): void => {
  if (text(name, value) === '') throw wrongType(name, 'a text that is not empty', value)
}

/** Paths by name. */
function checkPaths(setting: string, paths: unknown, expected: string): void {
  if (typeof paths !== 'object' || paths === null || Array.isArray(paths))
    throw wrongType(setting, expected, paths)
  for (const [name, path] of Object.entries(paths)) filled(`${setting}.${name}`, path)
}

function checkData(data: unknown): void {
  if (typeof data === 'string') filled('data', data)
  else checkPaths('data', data, 'files, separated by commas, or paths by name')
}

/**
 * Checks the settings of a project. The default export of `uwbench.config.ts` (or `.js`).
 * @example defineConfig({ keyFile: './key', watermark: 'gumbel' }).watermark // 'gumbel'
 */
export function defineConfig(config: Config): Config {
  if (config === undefined) throw wrongType('config', `an object of settings (${names.join(', ')})`, config)
  refuseUnknown('config', config, names, 'option')
  const { vocabSize, data, models, dtype, threads, keyFiles } = config
  for (const name of texts) if (config[name] !== undefined) filled(name, config[name])
  if (vocabSize !== undefined) integer('vocabSize', vocabSize, 1)
  if (threads !== undefined) integer('threads', threads, 1, 1024)
  if (dtype !== undefined) oneOf('dtype', dtype, Object.keys(DTYPES))
  if (data !== undefined) checkData(data)
  if (keyFiles !== undefined) checkPaths('keyFiles', keyFiles, 'files of keys by id')
  if (models !== undefined)
    for (const model of Array.from(list('models', models, 'a list of hub ids or folders')))
      filled('models', model)
  return config
}
