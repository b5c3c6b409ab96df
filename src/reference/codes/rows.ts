/** Rows of the key list as the demo of Kuditipudi et al. draws them: one mt19937 stream, V uniforms per row. */
import type { Exponentials } from '../../watermarks/gumbel-max.ts'
import { Mt19937 } from '../mt19937.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { secretIntegers } from '../secret.ts'

/** The rows of one key so far. A list of 256 rows of a large vocabulary takes 50 MB, so only the last key's is kept. */
interface KeyList {
  readonly key: Uint8Array
  readonly vocabSize: number
  readonly engine: Mt19937
  readonly rows: Uint32Array[]
}

/** Draws -ln u of the row that the context names. */
function drawRows(): PublishedParts<Exponentials>['draw'] {
  let last: KeyList | undefined
  return (_random, vocabSize, { key, context }) => {
    if (last?.key !== key || last.vocabSize !== vocabSize) {
      const seed = Number(secretIntegers(key, { name: 'key', count: 1, bits: 32 })[0])
      last = { key, vocabSize, engine: new Mt19937(seed), rows: [] }
    }
    const { rows, engine } = last
    while (rows.length <= context[0]!) {
      const row = new Uint32Array(vocabSize)
      for (let token = 0; token < vocabSize; token++) row[token] = engine.next()
      rows.push(row)
    }
    const row = rows[context[0]!]!
    return { at: (token) => -Math.log(row[token]! * 2 ** -32) }
  }
}

/** The key list of the demo of Kuditipudi et al. */
export const rowCodes = publishedCodes({
  codes: 'reference',
  about: 'the key list of the demo of Kuditipudi et al.; the key is its 32-bit seed.',
  parameters: {},
  implementations: { kuditipudi: {} },
  parts: (): PublishedParts<Exponentials> => ({ draw: drawRows() }),
})
