import { integer, oneOf } from '../input.ts'
import type { DatasetDeclaration } from './dataset.ts'
import { type Row, textColumn } from './row.ts'

/** The datasets of the paper: where their files are and how their columns become prompts and references. */

/** `split-00000-of-00001.parquet`, as the hub converts and shards. */
const shard = (split: string) => `${split}-\\d{5}-of-\\d{5}\\.parquet`

/** The first `count` words of a text and the next `more`, with inner whitespace kept; undefined if it is too short. */
function cut(text: string, count: number, more: number): { prompt: string; reference: string } | undefined {
  const words = [...text.matchAll(/\S+/g)]
  if (words.length < count + more) return undefined
  const end = (n: number) => words[n - 1]!.index + words[n - 1]![0].length
  return {
    prompt: text.slice(words[0]!.index, end(count)),
    reference: text.slice(words[count]!.index, end(count + more)),
  }
}

/**
 * C4 (Raffel et al., 2020) as `allenai/c4` ships it: the prompt is the beginning of a document, the reference its continuation.
 * Shorter documents are skipped.
 *
 * @example c4({ config: 'en', split: 'validation', promptWords: 30, referenceWords: 150 }).id // 'c4/en/validation'
 */
export function c4({
  config = 'realnewslike',
  split = 'validation',
  promptWords = 30,
  referenceWords = 200,
}: {
  readonly config?: 'realnewslike' | 'en'
  readonly split?: 'validation' | 'train'
  readonly promptWords?: number
  readonly referenceWords?: number
} = {}): DatasetDeclaration {
  oneOf('config', config, ['realnewslike', 'en'])
  oneOf('split', split, ['validation', 'train'])
  integer('promptWords', promptWords, 1)
  integer('referenceWords', referenceWords, 1)
  const id = `c4/${config}/${split}`
  return {
    id,
    repository: 'allenai/c4',
    files: new RegExp(`(^|/)${config}/c4-${split}\\.\\d{5}-of-\\d{5}\\.json\\.gz$`),
    columns: ['text'],
    example(row, index) {
      const parts = cut(textColumn(row, 'text', id), promptWords, referenceWords)
      return parts && { id: `${split}-${index}`, ...parts }
    },
  }
}

/**
 * Creative writing of Dolly (Databricks, 2023): the instruction is the prompt, as in the watermarking literature; the context, mostly
 * empty here, becomes `source`.
 */
export const dolly = (): DatasetDeclaration => ({
  id: 'dolly-cw',
  repository: 'databricks/databricks-dolly-15k',
  files: /(^|\/)databricks-dolly-15k\.jsonl$/,
  columns: ['instruction', 'context', 'response', 'category'],
  example(row, index) {
    if (row.category !== 'creative_writing') return undefined
    const text = (name: string) => textColumn(row, name, 'dolly-cw')
    const context = text('context')
    return {
      id: `dolly-${index}`,
      prompt: text('instruction'),
      reference: text('response'),
      ...(context === '' ? {} : { source: context }),
    }
  },
})

/** The instruction that WaterBench (config/dataset2prompt.json) puts before a question of each task. */
const waterBenchTasks = {
  '2-1': { file: '2-1_longform_qa', ask: 'answer the following question within 300 words' },
  '2-2': {
    file: '2-2_finance_qa',
    ask: 'answer the following question with financial knowledge within 300 words',
  },
} as const

/** WaterBench (Tu et al., 2023), long answers: 2-1 explains, 2-2 is about finance. The first answer is the reference. */
export function waterBench(task: '2-1' | '2-2'): DatasetDeclaration {
  const { file, ask } = waterBenchTasks[oneOf('task', task, ['2-1', '2-2'])]
  const id = `waterbench-${task}`
  return {
    id,
    files: new RegExp(`(^|/)${file}\\.jsonl$`),
    columns: ['input', 'context', 'outputs', '_id'],
    example(row) {
      const text = (name: string) => textColumn(row, name, id)
      const [reference] = row.outputs as unknown[]
      return {
        id: text('_id'),
        prompt: `You are a helpful assistant, please ${ask}:\n${text('context')}\n${text('input')}`,
        source: text('input'),
        ...(typeof reference === 'string' ? { reference } : {}),
      }
    },
  }
}

/** CNN/DailyMail 3.0.0 (See et al., 2017), parquet or csv: summaries of articles. */
export function cnnDailyMail({
  split = 'test',
}: {
  readonly split?: 'train' | 'validation' | 'test'
} = {}): DatasetDeclaration {
  oneOf('split', split, ['train', 'validation', 'test'])
  const id = `cnn-dailymail/${split}`
  const text = (row: Row, name: string) => textColumn(row, name, id)
  return {
    id,
    repository: 'abisee/cnn_dailymail',
    files: new RegExp(`^(.*/)?(3\\.0\\.0/)?(${shard(split)}|${split}\\.csv)$`),
    columns: ['article', 'highlights', 'id'],
    example: (row) => ({
      id: text(row, 'id'),
      prompt: text(row, 'article'),
      source: text(row, 'article'),
      reference: text(row, 'highlights'),
    }),
  }
}

/** WMT16 (Bojar et al., 2016), Romanian to English. */
export function wmt16({
  split = 'test',
}: {
  readonly split?: 'train' | 'validation' | 'test'
} = {}): DatasetDeclaration {
  oneOf('split', split, ['train', 'validation', 'test'])
  const id = `wmt16-ro-en/${split}`
  return {
    id,
    repository: 'wmt/wmt16',
    files: new RegExp(`(^|/)ro-en/${shard(split)}$`),
    columns: ['translation.ro', 'translation.en'],
    example(row, index) {
      const source = textColumn(row, 'translation.ro', id)
      return {
        id: `${split}-${index}`,
        prompt: source,
        source,
        reference: textColumn(row, 'translation.en', id),
      }
    },
  }
}
