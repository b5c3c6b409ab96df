import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import {
  type DatasetDeclaration,
  digestExamples,
  readDataset,
  streamDataset,
} from '../../src/text/datasets/dataset.ts'
import { embeddedDataset } from '../../src/text/datasets/embedded.ts'
import { hubCache } from '../../src/text/datasets/locate.ts'
import { c4, cnnDailyMail, dolly, mmw, waterBench, wmt16 } from '../../src/text/datasets/named.ts'
import { all, fileOf, folderOf, lines } from './files.ts'

const parquet = (columnData: Parameters<typeof parquetWriteBuffer>[0]['columnData'], schema?: object[]) =>
  new Uint8Array(parquetWriteBuffer({ columnData, ...(schema ? { schema: schema as never } : {}) }))

describe('C4', () => {
  const text = 'one two  three\nfour five six seven'
  const short = c4({ promptWords: 3, referenceWords: 2 })

  test('the beginning of a document and its continuation; short ones are skipped', async () => {
    const folder = folderOf({
      'realnewslike/c4-validation.00000-of-00001.json.gz': lines(
        { text: 'too short', url: '' },
        { text, url: '' },
      ),
    })
    expect((await readDataset(short, { path: folder })).examples).toEqual([
      { id: 'validation-1', prompt: 'one two  three', reference: 'four five' },
    ])
  })

  test('config and split select the shards, in order, from any parent folder', async () => {
    const shard = (word: string) => lines({ text: text.replace('one', word) })
    const folder = folderOf({
      'en/c4-train.00001-of-00002.json.gz': shard('second'),
      'en/c4-train.00000-of-00002.json.gz': shard('first'),
      'en/c4-validation.00000-of-00001.json.gz': shard('other'),
      'realnewslike/c4-train.00000-of-00001.json.gz': shard('news'),
    })
    const english = c4({ config: 'en', split: 'train', promptWords: 1, referenceWords: 1 })
    for (const path of [folder, join(folder, 'en')]) {
      const { examples } = await readDataset(english, { path })
      expect(examples.map((example) => example.prompt)).toEqual(['first', 'second'])
    }
  })

  test('wrong columns: the error shows the columns found', async () => {
    const path = fileOf('c4.jsonl', lines({ content: 'x', url: 'y' }))
    await expect(readDataset(short, { path })).rejects.toThrow(
      /c4\/realnewslike\/validation, .*c4\.jsonl: expected a column 'text', found the columns content, url/,
    )
    const wrong = fileOf('c4.jsonl', lines({ text: 7 }))
    await expect(readDataset(short, { path: wrong })).rejects.toThrow(
      "expected text in column 'text', found number",
    )
  })
})

test('Dolly: creative writing only, instruction and response', async () => {
  const row = (category: string, context = '') => ({
    instruction: 'Write a poem',
    context,
    response: 'Roses',
    category,
  })
  const path = fileOf(
    'databricks-dolly-15k.jsonl',
    lines(row('open_qa'), row('creative_writing'), row('creative_writing', 'On spring')),
  )
  const { id, examples } = await readDataset(dolly(), { path })
  expect(id).toBe('dolly-cw')
  expect(examples).toEqual([
    { id: 'dolly-1', prompt: 'Write a poem', reference: 'Roses' },
    { id: 'dolly-2', prompt: 'Write a poem', reference: 'Roses', source: 'On spring' },
  ])
})

test('WaterBench: the instruction of each task, the first answer', async () => {
  const row = { input: 'Why?', context: '', outputs: ['Because.', 'So.'], dataset: 'longform_qa', _id: 'abc' }
  const path = folderOf({
    'data/WaterBench/2-1_longform_qa.jsonl': lines(row),
    'data/WaterBench/2-2_finance_qa.jsonl': lines({ ...row, _id: 'def' }),
  })
  expect((await readDataset(waterBench('2-1'), { path })).examples).toEqual([
    {
      id: 'abc',
      prompt: 'You are a helpful assistant, please answer the following question within 300 words:\n\nWhy?',
      reference: 'Because.',
      source: 'Why?',
    },
  ])
  const [finance] = (await readDataset(waterBench('2-2'), { path })).examples
  expect(finance!.id).toBe('def')
  expect(finance!.prompt).toContain('with financial knowledge within 300 words:\n\nWhy?')
})

describe('CNN/DailyMail', () => {
  const expected = [{ id: 'a1', prompt: 'Long, long.', source: 'Long, long.', reference: 'Short.' }]

  test('parquet in the layout of the hub', async () => {
    const column = (name: string, value: string) => ({ name, data: [value], type: 'STRING' as const })
    const content = parquet([
      column('article', 'Long, long.'),
      column('highlights', 'Short.'),
      column('id', 'a1'),
    ])
    const path = folderOf({
      '3.0.0/test-00000-of-00001.parquet': content,
      '1.0.0/train-00000-of-00001.parquet': content,
    })
    expect((await readDataset(cnnDailyMail(), { path })).examples).toEqual(expected)
  })

  test('csv', async () => {
    const path = folderOf({ 'test.csv': 'id,article,highlights\na1,"Long, long.",Short.\n' })
    expect((await readDataset(cnnDailyMail(), { path })).examples).toEqual(expected)
  })
})

describe('WMT16 ro-en', () => {
  const struct = [
    { name: 'root', num_children: 1 },
    { name: 'translation', num_children: 2, repetition_type: 'OPTIONAL' },
    { name: 'en', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'ro', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  ]
  const content = parquet([{ name: 'translation', data: [{ en: 'Good day.', ro: 'Bună ziua.' }] }], struct)

  test('a struct column: Romanian in, English as the reference', async () => {
    const path = folderOf({
      'ro-en/test-00000-of-00001.parquet': content,
      'de-en/test-00000-of-00001.parquet': content,
    })
    expect((await readDataset(wmt16(), { path })).examples).toEqual([
      { id: 'test-0', prompt: 'Bună ziua.', source: 'Bună ziua.', reference: 'Good day.' },
    ])
  })

  test('a missing language is named inside its struct', async () => {
    const path = fileOf('a.jsonl', lines({ translation: { de: '', en: '' } }))
    await expect(readDataset(wmt16(), { path })).rejects.toThrow(
      "expected a column 'ro' in 'translation', found the columns de, en",
    )
  })
})

describe("the hub's cache", () => {
  const dataset = dolly()
  const content = lines({ instruction: 'Go', context: '', response: '', category: 'creative_writing' })

  /** The real layout: snapshots hold links into blobs, refs name the commit of a branch. */
  function cache(): string {
    const root = 'datasets--databricks--databricks-dolly-15k'
    const folder = folderOf({
      [`${root}/blobs/0123`]: content,
      [`${root}/refs/main`]: 'abcdef',
      [`${root}/snapshots/abcdef/README.md`]: 'a card',
    })
    symlinkSync(
      join('..', '..', 'blobs', '0123'),
      join(folder, root, 'snapshots', 'abcdef', 'databricks-dolly-15k.jsonl'),
    )
    return folder
  }

  test('the main branch, or a commit', async () => {
    const folder = cache()
    for (const revision of ['main', 'abcdef'])
      expect((await readDataset(dataset, { cache: folder, revision })).examples.length).toBe(1)
  })

  test('every failure says where it looked', async () => {
    const folder = cache()
    const failure = (options: object, declaration: DatasetDeclaration = dataset): Promise<string> =>
      readDataset(declaration, options).then(
        () => 'no failure',
        (error: Error) => error.message,
      )
    expect(await failure({ cache: join(folder, 'empty') })).toContain(
      `no ${join(folder, 'empty', 'datasets--databricks--databricks-dolly-15k')}; download databricks/databricks-dolly-15k`,
    )
    expect(await failure({ cache: folder, revision: 'v2' })).toMatch(/no revision 'v2' in .*; it has abcdef$/)
    expect(await failure({ path: join(folder, 'nowhere') })).toBe(
      `dolly-cw: no file or folder at ${join(folder, 'nowhere')}`,
    )
    expect(await failure({ path: folder }, c4())).toContain(
      'found datasets--databricks--databricks-dolly-15k/snapshots/abcdef/',
    )
    expect(await failure({}, waterBench('2-1'))).toContain(
      'waterbench-2-1: it is not on the hub; give a path',
    )
  })

  test('is found where the hub puts it', () => {
    expect(hubCache({ HF_HUB_CACHE: '/x' })).toBe('/x')
    expect(hubCache({ HF_HOME: '/y' })).toBe(join('/y', 'hub'))
    expect(hubCache({})).toMatch(/[\\/]\.cache[\\/]huggingface[\\/]hub$/)
  })
})

describe('limits and digests', () => {
  const path = () => fileOf('a.jsonl', lines(...Array.from({ length: 9 }, (_, i) => ({ prompt: `p${i}` }))))

  test('a limit stops the reading before a damaged end', async () => {
    const file = path()
    writeFileSync(file, '{"damaged', { flag: 'a' })
    expect(await all(streamDataset(mmw('story'), { path: file, limit: 9 }))).toHaveLength(9)
    expect(await all(streamDataset(mmw('story'), { path: file, limit: 0 }))).toEqual([])
    await expect(all(streamDataset(mmw('story'), { path: file }))).rejects.toThrow('line 10')
  })

  test('the digest depends on the examples alone, not on the file format', async () => {
    const jsonl = await readDataset(mmw('story'), { path: path() })
    const csv = await readDataset(mmw('story'), {
      path: fileOf('a.csv', `prompt\n${Array.from({ length: 9 }, (_, i) => `p${i}\n`).join('')}`),
    })
    expect(csv.digest).toBe(jsonl.digest)
    expect(jsonl.digest).toBe(digestExamples(jsonl.examples))
    expect((await readDataset(mmw('story'), { path: path(), limit: 8 })).digest).not.toBe(jsonl.digest)
    const changes = [{ id: 'x' }, { prompt: 'x' }, { system: 'x' }, { reference: 'x' }, { source: 'x' }]
    const digests = changes.map((change) => digestExamples([{ ...jsonl.examples[0]!, ...change }]))
    expect(new Set([...digests, digestExamples(jsonl.examples.slice(0, 1))]).size).toBe(6)
  })

  test('a known vector', () => {
    // sha256 of ["1","Once",null,null,null] and a line feed
    expect(digestExamples([{ id: '1', prompt: 'Once' }])).toBe(
      '327fab54c0f092cb22312a07fd9b00beb31889d6329fef4c56fa9e14e1e28a25',
    )
  })
})

describe('the embedded datasets', () => {
  test('continuation: 379 prompts of 30 words with their references', async () => {
    const { id, examples } = await embeddedDataset('continuation')
    expect([id, examples.length]).toEqual(['embedded/continuation', 379])
    for (const { prompt, reference } of examples) {
      expect(prompt.split(' ').length).toBe(30)
      expect(reference!.split(' ').length).toBe(110)
    }
    expect(new Set(examples.map((example) => example.id)).size).toBe(379)
  })

  test('translation: 773 verses in the prompt the model was trained on', async () => {
    const { examples } = await embeddedDataset('translation')
    expect(examples.length).toBe(773)
    expect(examples[2]).toEqual({
      id: 'Ruth 1:3',
      prompt: "Translate: And Elimelech Naomi's husband died; and she was left, and her two sons.\nModern:",
      source: "And Elimelech Naomi's husband died; and she was left, and her two sons.",
      reference: "Elimelech, Naomi's husband, died; and she was left with her two sons.",
    })
  })

  test('a limit, and a name that does not exist', async () => {
    expect((await embeddedDataset('translation', { limit: 5 })).examples.length).toBe(5)
    expect(() => embeddedDataset('poetry' as 'translation')).toThrow(
      "name: expected one of 'continuation', 'translation'",
    )
  })
})
