/**
 * The paper scale with everything in the paper's layouts but tiny: BART and MBART folders, a BERT, chat models, DIPPER's T5, CNN/DailyMail
 * as csv, WMT16 as parquet, C4 as json.gz. It shows that the declarations run as they are once the weights are there.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, expect, test } from 'vitest'
import { openStore, paperExperiments, paperStudy, runExperiment, type Study } from '../../src/bench/entry.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { dipmark, kgw } from '../../src/watermarks/entry.ts'
import { writeTinyCausal, writeTinyEncoder, writeTinySeq2seq } from '../models/tiny/folder.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-paper-'))
const folders: string[] = [root]
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})
const kept = async (folder: Promise<string>): Promise<string> => {
  folders.push(await folder)
  return folder
}

const words = 'the cat sat on mat and dog ran to see a big red house by river far'.split(' ')
const random = seededRandom('paper scale')
const sentence = (length: number) => Array.from({ length }, () => words[random.below(words.length)]).join(' ')
const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 6 }, (_, i) => make(i))

/** The three datasets, in the files that their publishers offer. */
function writeData(): Record<string, string> {
  const csv = ['article,highlights,id', ...many((i) => `${sentence(9)},${sentence(4)},a${i}`)].join('\n')
  writeFileSync(join(root, 'test.csv'), csv)
  const translation = many(() => ({ ro: sentence(6), en: sentence(6) }))
  mkdirSync(join(root, 'ro-en'))
  const parquet = parquetWriteBuffer({
    columnData: [{ name: 'translation', data: translation, type: 'JSON' }],
  })
  writeFileSync(join(root, 'ro-en', 'test-00000-of-00001.parquet'), Buffer.from(parquet))
  mkdirSync(join(root, 'realnewslike'))
  const c4 = many(() => JSON.stringify({ text: sentence(240) })).join('\n')
  writeFileSync(join(root, 'realnewslike', 'c4-validation.00000-of-00001.json.gz'), gzipSync(c4))
  return { 'cnn-dailymail': join(root, 'test.csv'), 'wmt16-ro-en': root, c4: root }
}

async function tinyPaper(): Promise<Study> {
  const study = paperStudy()
  const [causal, bart, mbart, t5, bert] = await Promise.all([
    kept(writeTinyCausal()),
    kept(writeTinySeq2seq('bart')),
    kept(writeTinySeq2seq('mbart')),
    kept(writeTinySeq2seq('t5')),
    kept(writeTinyEncoder()),
  ])
  const [summarization, translation] = study.tasks
  const small = { prompts: 3, tokens: 8, encoder: { id: bert! } }
  return {
    ...study,
    batch: 4,
    block: 4,
    watermarks: [kgw({ delta: 2 }), dipmark({ alpha: 0.4 })],
    tasks: [
      { ...summarization!, ...small, model: { ...summarization!.model, id: bart! }, judge: { id: causal! } },
      { ...translation!, ...small, model: { ...translation!.model, id: mbart! } },
    ],
    repeated: { prompts: 2, generations: 3, perplexityBound: 200 },
    open: { models: [{ id: causal!, chat: true }], data: ['c4'], prompts: 3, tokens: 10, lengths: [5] },
    attacks: study.attacks.slice(0, 2).map((attack) => ({
      ...attack,
      // the tiny graph ends at 64 positions
      ...(attack.model ? { id: 'paraphrase(lexical=60,order=0,maxNewTokens=12)', model: { id: t5! } } : {}),
    })),
    spread: { texts: 2, trials: 2 },
    certify: { texts: 2, step: 2 },
  }
}

test('tables 1 to 4 with sequence-to-sequence, chat and paraphrasing models', {
  timeout: 180_000,
}, async () => {
  const data = writeData()
  const study = await tinyPaper()
  const { table1, table2, table3, table4 } = paperExperiments(study)
  for (const experiment of [table1, table2, table3, table4]) {
    const { report } = await runExperiment(experiment, {
      store: openStore(join(root, 'store')),
      workers: 0,
      resources: { data },
      progress: { done() {}, warn() {}, end() {} },
    })
    expect(report!.scale).toBe('paper')
    expect(report!.standIns).toEqual([])
    // tables of detection also have the published tests of KGW and DiPmark
    expect(report!.tables[0]!.rows.length).toBe(/[12]$/.test(experiment.name) ? 3 : 5)
    for (const row of report!.tables[0]!.rows)
      for (const value of Object.values(row.cells))
        if (value && value.kind !== 'text') expect(Number.isFinite(value.value)).toBe(true)
  }
})
