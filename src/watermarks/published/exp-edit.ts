import { MAX_VOCAB } from '../../core/keys/index.ts'
import { integer, list, number, outOfRange, requireOptions } from '../../input.ts'
import { mersenneKey } from './mersenne.ts'
import { Mt19937 } from './mt19937.ts'

/** The settings of the edit statistic of Kuditipudi et al. */
export interface ExpEditOptions {
  readonly key: number
  /** The number of rows of the key. */
  readonly keyLength: number
  readonly vocabSize: number
  readonly tokens: ArrayLike<number>
  /** The length of the windows of text and key that are aligned. */
  readonly block: number
  /** The cost of an insertion or a deletion. */
  readonly gamma: number
}

/**
 * The edit statistic of Kuditipudi et al. for exponential minimum sampling: `costs[i][j]` is the Levenshtein distance
 * between the tokens from i and the key rows from j (cyclic), `block` of each, where pairing token x with row u costs
 * ln(1 - u_x) and leaving one out costs gamma; the statistic is the smallest. Lower is more evidence.
 * @example expEditStatistic({ key: 42, keyLength: 8, vocabSize: 20, tokens: [18, 0, 2], block: 3, gamma: 0 }).statistic // -8.8238
 */
export function expEditStatistic(options: ExpEditOptions): { statistic: number; costs: number[][] } {
  const { keyLength, tokens, block, gamma } = check(options)
  const pair = pairCosts(options)
  const costs: number[][] = []
  for (let i = 0; i + block <= tokens.length; i++) {
    const row: number[] = []
    for (let j = 0; j < keyLength; j++) row.push(alignment(pair, i, j, block, gamma))
    costs.push(row)
  }
  return { statistic: Math.min(...costs.map((row) => Math.min(...row))), costs }
}

/** `pair[j][i]` = ln(1 - u_x) of token i under key row j; the key's other columns are drawn and dropped. */
function pairCosts({ key, keyLength, vocabSize, tokens }: ExpEditOptions): Float64Array[] {
  const engine = new Mt19937(mersenneKey(key))
  const uniforms = new Float64Array(vocabSize)
  return Array.from({ length: keyLength }, () => {
    for (let x = 0; x < vocabSize; x++) uniforms[x] = engine.next() * 2 ** -32
    return Float64Array.from({ length: tokens.length }, (_, i) => Math.log1p(-uniforms[tokens[i]!]!))
  })
}

/** The Levenshtein distance of one window of tokens and one of rows, by rows of the usual table. */
function alignment(pair: Float64Array[], from: number, row: number, block: number, gamma: number): number {
  let above = Float64Array.from({ length: block + 1 }, (_, b) => b * gamma)
  let here = new Float64Array(block + 1)
  for (let a = 1; a <= block; a++) {
    here[0] = a * gamma
    for (let b = 1; b <= block; b++) {
      const paired = above[b - 1]! + pair[(row + b - 1) % pair.length]![from + a - 1]!
      here[b] = Math.min(above[b]! + gamma, here[b - 1]! + gamma, paired)
    }
    ;[above, here] = [here, above]
  }
  return above[block]!
}

/** The most rows of a key. */
const MAX_ROWS = 2 ** 20

/** The most words of the key, and pairs of tokens and rows in all alignments. */
const MAX_PAIRS = 2 ** 30

/** The largest cost of an insertion or a deletion. */
const MAX_GAMMA = 1e100

function check(options: ExpEditOptions): ExpEditOptions {
  requireOptions('expEditStatistic', options, ['key', 'keyLength', 'vocabSize', 'tokens', 'block', 'gamma'])
  const { keyLength, vocabSize, tokens, block, gamma } = options
  integer('keyLength', keyLength, 1, MAX_ROWS)
  integer('vocabSize', vocabSize, 1, MAX_VOCAB)
  list('tokens', tokens, 'a list of token ids')
  integer('block', block, 1, tokens.length)
  number('gamma', gamma, 0, MAX_GAMMA)
  const pairs = keyLength * Math.max(vocabSize, (tokens.length - block + 1) * block ** 2)
  if (pairs > MAX_PAIRS)
    throw outOfRange(
      'keyLength',
      `few enough rows for at most ${MAX_PAIRS} pairs of token and row`,
      keyLength,
    )
  for (let i = 0; i < tokens.length; i++) integer(`tokens[${i}]`, tokens[i], 0, vocabSize - 1)
  return options
}
