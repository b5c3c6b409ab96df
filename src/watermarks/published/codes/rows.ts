/** Rows of the key list as Kuditipudi et al. draw them: one mt19937 stream, V uniforms per row; 32 bits each in the demo, 24 in the experiments (PyTorch). */
import { parameter } from '../../../core/method/index.ts'
import type { Exponentials } from '../../mechanisms/gumbel-max.ts'
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

/** Draws -ln u of the row that the context names, u the low `bits` of a word. */
function drawRows(bits: 24 | 32): PublishedParts<Exponentials>['draw'] {
  const mask = bits === 24 ? 0xffffff : 0xffffffff
  const unit = 2 ** -bits
  let last: KeyList | undefined
  return (_random, vocabSize, { key, context }) => {
    if (last?.key !== key || last.vocabSize !== vocabSize) {
      // PyTorch takes the low 32 bits of a longer seed; the demo refuses one
      const [seed] = secretIntegers(key, { name: 'key', count: 1, bits: bits === 24 ? 63 : 32 })
      last = { key, vocabSize, engine: new Mt19937(Number(BigInt.asUintN(32, seed!))), rows: [] }
    }
    const { rows, engine } = last
    while (rows.length <= context[0]!) {
      const row = new Uint32Array(vocabSize)
      for (let token = 0; token < vocabSize; token++) row[token] = engine.next()
      rows.push(row)
    }
    const row = rows[context[0]!]!
    return { at: (token) => -Math.log(((row[token]! & mask) >>> 0) * unit) }
  }
}

/** The key lists of Kuditipudi et al. */
export const rowCodes = publishedCodes({
  codes: 'reference',
  about: 'the key list of Kuditipudi et al., see `flavor`; the key is its seed.',
  parameters: {
    /** The published code. */
    flavor: parameter.oneOf(['demo', 'experiments'], {
      about:
        'Which published code of Kuditipudi et al.: that of the demo, or that of the experiments (PyTorch).',
    }),
  },
  implementations: { kuditipudi: { flavor: 'demo' }, 'kuditipudi-experiments': { flavor: 'experiments' } },
  parts: ({ flavor }: { flavor: string }): PublishedParts<Exponentials> => ({
    draw: drawRows(flavor === 'demo' ? 32 : 24),
  }),
})
