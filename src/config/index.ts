/** The entry `uwbench/config`: the settings of a project, in `uwbench.config.ts`. */
import { integer, refuseUnknown, text, wrongType } from '../input.ts'

/** What a project sets once; options of the command line come first. Paths are relative to the folder of the file. */
export interface Config {
  /** The file that holds the secret key; never the key itself. The variable UWBENCH_KEY comes first. */
  readonly keyFile?: string
  /** The watermark: an id, or a module such as `./mine.ts`. */
  readonly watermark?: string
  /** The model: a folder or a hub id. */
  readonly model?: string
  /** The tokenizer of texts to test: a folder or a hub id. */
  readonly tokenizer?: string
  /** The width of the model's logits, for token ids. */
  readonly vocabSize?: number
  /** Prompts of the benchmark: files, separated by commas. */
  readonly data?: string
  /** Where the benchmark keeps finished cells. */
  readonly store?: string
}

const names: readonly (keyof Config)[] = [
  'keyFile',
  'watermark',
  'model',
  'tokenizer',
  'vocabSize',
  'data',
  'store',
]

/**
 * Checks the settings of a project. The default export of `uwbench.config.ts` (or `.js`).
 * @example defineConfig({ keyFile: './key', watermark: 'gumbel' }).watermark // 'gumbel'
 */
export function defineConfig(config: Config): Config {
  if (config === undefined) throw wrongType('config', `an object of settings (${names.join(', ')})`, config)
  refuseUnknown('config', config, names, 'option')
  for (const name of names) {
    const value = config[name]
    if (value === undefined) continue
    if (name === 'vocabSize') integer('vocabSize', value, 1)
    else if (text(name, value) === '') throw wrongType(name, 'a text that is not empty', value)
  }
  return config
}
