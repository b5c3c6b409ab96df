/** Batches of texts on workers behind a queue. Token ids, outcomes and a digest of the key travel through Redis, the key does not. */
import { checkTokens, secretOf } from '../../core/keys/index.ts'
import { cell, type Json } from '../cells/cell.ts'
import { cellCode } from '../cells/cell-code.ts'
import { openQueuePool } from '../cells/queue/submit.ts'
import { type CorpusPool, checkBatch, detectionsOf, joined } from '../cells/text-batch.ts'
import { Resources } from './resources.ts'
import { keyDigest, packed, type ScanInputs, type Scanned, scanStep } from './scan.ts'

export interface DetectQueueOptions {
  readonly url: string
  /** URL of the module that exports the watermark, for one that does not ship with the package: workers have a copy. */
  readonly module?: string
  readonly warn: (message: string) => void
}

/** Opens a pool whose batches `uwbench worker` tests. */
export async function openDetectQueue({ url, module, warn }: DetectQueueOptions): Promise<CorpusPool> {
  const pool = await openQueuePool({ url, finished: [], warn })
  const resources = new Resources(module === undefined ? {} : { modules: [module] })
  let batches = 0
  return {
    get size() {
      return pool.size
    },
    async test(watermark, texts, options) {
      const { key, vocabSize, alpha = 0.01, skip = [], runs } = checkBatch(watermark, options)
      for (const [i, text] of texts.entries()) checkTokens(text, vocabSize, `texts[${i}]`)
      const batch = batches++
      const inputs: ScanInputs = {
        ...{
          watermark: watermark.id,
          key: { id: 'of detection', digest: keyDigest(secretOf(watermark, key)) },
          batch,
        },
        ...{
          tokens: packed(joined(texts, (size) => new Int32Array(size))),
          lengths: texts.map(({ length }) => length),
        },
        ...{ vocabSize, alpha, skip: [...skip] },
        ...(runs === undefined ? {} : { runs }),
      }
      const one = cell('scan', inputs as unknown as Record<string, Json>, {
        label: `${watermark.id}, batch ${batch + 1}`,
        code: cellCode(scanStep, await resources.watermarkCode(watermark.id)),
      })
      const { outcomes } = (await pool.run({ cell: one, needs: () => [] })) as unknown as Scanned
      pool.stored?.(one)
      return detectionsOf(watermark, options, outcomes)
    },
    finish: async () => pool.finish?.(),
    close: () => pool.close(),
  }
}
