import type { CorpusPool } from '../../bench/cells/index.ts'
import type { Tokens } from '../../core/keys/index.ts'
import { integer, number } from '../../input.ts'
import { expand, formats, openSource } from '../../text/corpus/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { detectMany } from './detect-many.ts'
import { detectOne } from './detect-one.ts'
import { checkFolderOf } from './files.ts'
import { follow } from './follow.ts'
import { numbers } from './ids.ts'
import { type Key, keyFlags, readKeys } from './key.ts'
import { checkModelName } from './model-name.ts'
import type { Output } from './output.ts'
import { watermarkOf, watermarksOf } from './own-watermark.ts'
import { promptFlags, readPrompt } from './prompt.ts'
import { queueFlag } from './worker.ts'

/** Settings of the test of one text or of many. */
export interface DetectSettings {
  /** The keys to test, of which any may have marked a text. */
  readonly keys: readonly [Key, ...Key[]]
  /** The false discovery rate of many texts, where one is asked for. */
  readonly fdr: number | undefined
  /** The watermark of the command line; texts may name their own. */
  readonly asked: AnyWatermark | undefined
  readonly alpha: number
  readonly runs: number | undefined
  readonly skip: readonly number[]
  /** The tokens before every text that has no prompt of its own. */
  readonly prompt: Tokens | undefined
  /** The page to write. */
  readonly page: string | undefined
  /** Threads or workers that test texts, where some are asked for. */
  readonly pool?: CorpusPool
  /** The module that exports the watermark of the command line, unless it is a shipped one. */
  readonly module?: string
}

/** Opens the threads or the queue that tests many texts. Both import your own watermark from its module. */
async function poolOf(input: Input, output: Output): Promise<Pick<DetectSettings, 'pool' | 'module'>> {
  const threads = input.number('threads')
  const url = input.flag('queue') ?? (threads === undefined ? queueFlag(input) : undefined)
  if (threads !== undefined && url !== undefined) throw new UsageError('give --threads or --queue, not both')
  if (url === undefined && (threads === undefined || threads === 1)) return {}
  const name = input.flag('watermark')
  const { module } = name === undefined ? {} : await watermarksOf(name)
  const own = module === undefined ? {} : { module }
  if (url !== undefined) {
    const { openDetectQueue } = await import('../../bench/steps/index.ts')
    return { pool: await openDetectQueue({ url, ...own, warn: (line) => output.error(line) }), ...own }
  }
  const { DetectPool } = await import('../../bench/cells/index.ts')
  return { pool: new DetectPool(integer('--threads', threads, 1)), ...own }
}

async function settingsOf(input: Input): Promise<DetectSettings> {
  const page = input.flag('html')
  if (page !== undefined) checkFolderOf(page)
  const named = input.flag('watermark')
  const asked = named === undefined ? undefined : await watermarkOf(named)
  const keys = readKeys(input, asked)
  const alpha = number('--alpha', input.number('alpha') ?? 0.01, 0, 1, true)
  const tokenizer = input.flag('tokenizer')
  if (tokenizer !== undefined) checkModelName('--tokenizer', tokenizer)
  const skip = numbers('--skip', input.flag('skip') ?? '', /,/)
  const rate = input.number('fdr')
  const fdr = rate === undefined ? undefined : number('--fdr', rate, 0, 1, true)
  if (fdr !== undefined && input.number('alpha') !== undefined)
    throw new UsageError('give --alpha, the level of each text, or --fdr, not both')
  const prompt = await readPrompt(input)
  return { keys, fdr, asked, alpha: fdr ?? alpha, runs: input.number('runs'), skip, page, prompt }
}

/** Flags that only make sense for many texts. */
const forMany = [
  'field',
  'label',
  'positive',
  'lengths',
  'csv',
  'summary',
  'skip-invalid',
  'threads',
  'queue',
  'format',
  'fdr',
] as const

export const detect: Command = {
  usage: "[FILE... | -] --watermark 'synthid(layers=20)' --key-file K [--tokenizer DIR_OR_ID]",
  summary: 'Tests texts for a watermark. Exit code 0: detected (of many texts: at least one), 1: not.',
  words: Number.POSITIVE_INFINITY,
  flags: {
    watermark: {
      value: 'ID',
      short: 'w',
      help: 'as `uwbench list` prints it, or a module such as ./mine.ts; records may name their own',
    },
    ...keyFlags,
    'key-file': {
      value: 'FILE',
      repeatable: true,
      help: `${keyFlags['key-file']!.help}; give it once for each key that may have marked a text: p-values are corrected (Holm), and the key is named`,
    },
    ...promptFlags,
    tokenizer: {
      value: 'DIR_OR_ID',
      help: "a folder, a hub id or stories15m; by default the embedded model's",
    },
    ids: { help: 'the input is token ids (a .json file of one text always is)' },
    'vocab-size': { value: 'N', help: "width of the model's logits" },
    normalise: {
      help: 'first undo edits of characters in texts that leave no doubt: look-alikes, invisible characters, typographic quotes and blanks',
    },
    alpha: { value: 'A', help: 'level of the decision; 0.01 by default' },
    fdr: {
      value: 'Q',
      help: 'of many texts: decide so that the expected share of false detections is at most Q, however texts depend on each other (Benjamini-Yekutieli); results come at the end',
    },
    runs: { value: 'N', help: 'runs of a permutation test' },
    skip: { value: 'IDS', help: 'special token ids that are not scored, separated by commas' },
    decode: { help: 'read the message of one text that generate --message wrote' },
    bits: { value: 'N', help: 'with --decode: length of the message; 64 by default' },
    code: {
      value: 'CODE',
      help: "with --decode: the code that protects it: 'none' (default), 'repeat' or 'bch'",
    },
    follow: {
      help: 'read standard input as it grows, and stop when the p-value is at most alpha',
    },
    format: { value: 'F', help: `${formats.join(', ')}; by default from name or content` },
    field: { value: 'NAME', help: 'the column with the text or its token ids; a dot reaches into records' },
    label: { value: 'NAME', help: 'the column that says which texts are watermarked: adds error rates' },
    positive: { value: 'L', help: 'the label of watermarked texts; by default true, 1, yes, watermarked' },
    lengths: { value: 'N,N', help: 'limits between lengths in the summary; 50,100,200,400 by default' },
    'skip-invalid': { help: 'leave out texts that cannot be tested, and count them' },
    threads: { value: 'N', help: 'threads that test many texts; 1 by default' },
    queue: {
      value: 'URL',
      help: 'a Redis server whose `uwbench worker`s, which have the key, test many texts; by default UWBENCH_QUEUE, which `ps` does not show',
    },
    summary: { help: 'print only the summary' },
    json: { help: 'print JSON; of many texts one line each, then the summary' },
    csv: { help: 'print CSV, one line per text; the summary goes to standard error' },
    html: { value: 'FILE', help: 'also write a page: the coloured text, or the summary of many' },
  },
  async run(input, output) {
    if (input.on('follow')) return follow(input, output, Object.keys(detect.flags))
    for (const name of ['bits', 'code'])
      if (input.flag(name) !== undefined && !input.on('decode'))
        throw new UsageError(`--${name} needs --decode`)
    const settings = await settingsOf(input)
    const words = input.words.length === 0 ? ['-'] : input.words
    if (words.length > 1 && words.includes('-'))
      throw new UsageError('standard input cannot be combined with files')
    const files = words.flatMap(expand)
    const first = await openSource(files[0]!, input.flag('format'))
    const one =
      files.length === 1 &&
      (first.single || (input.on('ids') && first.format === 'jsonl' && files[0] === '-'))
    if (!one) {
      if (input.on('decode')) throw new UsageError('--decode reads one text, not many')
      const pool = await poolOf(input, output)
      try {
        return await detectMany(input, output, { first, files }, { ...settings, ...pool })
      } finally {
        await pool.pool?.close()
      }
    }
    const used = forMany.find(
      (name) => name !== 'format' && (input.flag(name) !== undefined || input.on(name)),
    )
    if (used !== undefined)
      throw new UsageError(
        `--${used} is for many texts, but ${first.name} is one; for one text per line give --format lines`,
      )
    return detectOne(input, output, first, settings)
  },
}
