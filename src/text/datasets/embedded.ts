import { fileURLToPath } from 'node:url'
import { oneOf } from '../../input.ts'
import { type Reading, type ReadOptions, readDataset } from './dataset.ts'

const names = ['continuation', 'translation', 'stories', 'instructions'] as const
type EmbeddedName = (typeof names)[number]

const columns: Record<EmbeddedName, readonly string[]> = {
  continuation: ['id', 'source', 'prompt', 'reference'],
  translation: ['id', 'source', 'reference'],
  stories: ['id', 'source', 'prompt', 'reference'],
  instructions: ['id', 'source', 'prompt'],
}

/** Tells whether a dataset of this name ships with the package. */
export const isEmbeddedDataset = (name: string): name is EmbeddedName =>
  (names as readonly string[]).includes(name)

/**
 * Reads a dataset that ships with the package, from text that the embedded model has not seen: `continuation`, 379 passages of 30 words to
 * continue by about 110, and `translation`, 773 verses of the King James Bible to put into modern English. And `stories`, 200 openings of
 * 16 tokens that stories15m wrote itself without a watermark, with how it went on. And `instructions`, 120 tasks of many kinds for chat models.
 *
 * @example const { examples } = await embeddedDataset('translation', { limit: 50 })
 */
export function embeddedDataset(
  name: EmbeddedName,
  options: Pick<ReadOptions, 'limit'> = {},
): Promise<Reading> {
  oneOf('name', name, names)
  return readDataset(
    {
      id: `embedded/${name}`,
      files: /\.jsonl$/,
      columns: columns[name],
      example(text) {
        const source = text('source')
        if (name === 'instructions') return { id: text('id'), prompt: text('prompt'), source }
        const prompt = name === 'translation' ? `Translate: ${source}\nModern:` : text('prompt')
        return { id: text('id'), prompt, reference: text('reference'), source }
      },
    },
    {
      ...options,
      path: fileURLToPath(new URL(`../../../fixtures/data/${name}-test.jsonl`, import.meta.url)),
    },
  )
}
