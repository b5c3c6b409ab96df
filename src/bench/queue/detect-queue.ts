/** Batches of texts on workers behind a queue. Token ids, outcomes and a digest of the key travel through Redis, the key does not. */
import type { Tokens } from '../../keys/rule.ts'
import { checkTokens } from '../../keys/tokens.ts'
import { cell, type Json } from '../cell.ts'
import { cellCode } from '../cell-code.ts'
import { Resources } from '../resources.ts'
import { keyDigest, packed, type ScanInputs, type Scanned, scanStep } from '../steps/scan.ts'
import { type CorpusPool, checkBatch, detectionsOf } from '../text-batch.ts'
import { openQueuePool } from './submit.ts'

export interface DetectQueueOptions {
  readonly url: string
  /** URL of the module that exports the watermark, for one that does not ship with the package: workers have a copy. */
  readonly module?: string
  readonly warn: (message: string) => void
}

/** All texts in one list of ids. */
function joined(texts: readonly Tokens[]): Int32Array {
  const tokens = new Int32Array(texts.reduce((sum, text) => sum + text.length, 0))
  let at = 0
  for (const text of texts) {
    tokens.set(text, at)
    at += text.length
  }
  return tokens
}

/** Opens a pool whose batches are tested by `uwbench worker`. */
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
        ...{ watermark: watermark.id, key: { id: 'of detection', digest: keyDigest(key) }, batch },
        ...{ tokens: packed(joined(texts)), lengths: texts.map(({ length }) => length) },
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
