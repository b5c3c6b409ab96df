import { integer, oneOf } from '../../input.ts'
import type { DatasetDeclaration } from './dataset.ts'

/** The datasets of the paper: where their files are and how their columns become prompts and references. */

/** Matches `split-00000-of-00001.parquet`, as the hub converts and shards. */
const shard = (split: string) => `${split}-\\d{5}-of-\\d{5}\\.parquet`

/** Returns the first `count` words of a text and the next `more`, with inner whitespace kept; undefined if it is too short. */
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
 * Declares C4 (Raffel et al., 2020) as `allenai/c4` ships it: the prompt is the beginning of a document, the reference its continuation.
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
  return {
    id: `c4/${config}/${split}`,
    repository: 'allenai/c4',
    files: new RegExp(`(^|/)${config}/c4-${split}\\.\\d{5}-of-\\d{5}\\.json\\.gz$`),
    columns: ['text'],
    example(text, index) {
      const parts = cut(text('text'), promptWords, referenceWords)
      return parts && { id: `${split}-${index}`, ...parts }
    },
  }
}

/**
 * Declares the creative writing of Dolly (Databricks, 2023): the instruction is the prompt, as in the watermarking literature; the
 * context, mostly empty here, becomes `source`.
 */
export const dolly = (): DatasetDeclaration => ({
  id: 'dolly-cw',
  repository: 'databricks/databricks-dolly-15k',
  files: /(^|\/)databricks-dolly-15k\.jsonl$/,
  columns: ['instruction', 'context', 'response', 'category'],
  example(text, index, row) {
    if (row.category !== 'creative_writing') return undefined
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

/** Declares WaterBench (Tu et al., 2023), long answers: 2-1 explains, 2-2 is about finance. The first answer is the reference. */
export function waterBench(task: '2-1' | '2-2'): DatasetDeclaration {
  const { file, ask } = waterBenchTasks[oneOf('task', task, ['2-1', '2-2'])]
  return {
    id: `waterbench-${task}`,
    files: new RegExp(`(^|/)${file}\\.jsonl$`),
    columns: ['input', 'context', 'outputs', '_id'],
    example(text, _, { outputs }) {
      const [reference] = outputs as unknown[]
      return {
        id: text('_id'),
        prompt: `You are a helpful assistant, please ${ask}:\n${text('context')}\n${text('input')}`,
        source: text('input'),
        ...(typeof reference === 'string' ? { reference } : {}),
      }
    },
  }
}

const SPLITS = ['train', 'validation', 'test'] as const

interface SplitOption {
  readonly split?: (typeof SPLITS)[number]
}

/** Declares CNN/DailyMail 3.0.0 (See et al., 2017), parquet or csv: summaries of articles. */
export function cnnDailyMail({ split = 'test' }: SplitOption = {}): DatasetDeclaration {
  oneOf('split', split, SPLITS)
  return {
    id: `cnn-dailymail/${split}`,
    repository: 'abisee/cnn_dailymail',
    files: new RegExp(`^(.*/)?(3\\.0\\.0/)?(${shard(split)}|${split}\\.csv)$`),
    columns: ['article', 'highlights', 'id'],
    example: (text) => ({
      id: text('id'),
      prompt: text('article'),
      source: text('article'),
      reference: text('highlights'),
    }),
  }
}

/** Declares WMT16 (Bojar et al., 2016), Romanian to English. */
export function wmt16({ split = 'test' }: SplitOption = {}): DatasetDeclaration {
  oneOf('split', split, SPLITS)
  return {
    id: `wmt16-ro-en/${split}`,
    repository: 'wmt/wmt16',
    files: new RegExp(`(^|/)ro-en/${shard(split)}$`),
    columns: ['translation.ro', 'translation.en'],
    example(text, index) {
      const source = text('translation.ro')
      return { id: `${split}-${index}`, prompt: source, source, reference: text('translation.en') }
    },
  }
}

/**
 * Declares Mark My Words (Piet et al., 2023): book reports, stories and fake news, at most 100 prompts of each. The project publishes them
 * inside its code, in `generation_prompts.py`; `scripts/mmw-prompts.py` of this repository writes them as `mmw-book-report.jsonl`,
 * `mmw-story.jsonl` and `mmw-fake-news.jsonl`, with the columns `prompt` and `system`.
 */
export function mmw(kind: 'book-report' | 'story' | 'fake-news'): DatasetDeclaration {
  oneOf('kind', kind, ['book-report', 'story', 'fake-news'])
  const id = `mmw-${kind}`
  return {
    id,
    files: new RegExp(`(^|/)${id}\\.(jsonl|csv)$`),
    origin: "scripts/mmw-prompts.py writes it from the project's generation_prompts.py",
    columns: ['prompt'],
    example: (text, index, { system }) => ({
      id: `${kind}-${index}`,
      prompt: text('prompt'),
      ...(typeof system === 'string' ? { system } : {}),
    }),
  }
}
