/** SynthID as in the google-deepmind repository: twelve rounds of multiply and shift. */
import { Mt19937 } from '../../../src/watermarks/published/mt19937.ts'
import { synthidHash } from '../../../src/watermarks/published/synthid.ts'
import { vectors } from '../vectors.ts'

const keys = vectors.synthid_google.keys
const layers = keys.length

export interface LayerStudy {
  readonly samples: number
  /** The pair of layers whose bits are most correlated, and the root mean square over all pairs. */
  readonly worst: { readonly keys: readonly [number, number]; readonly correlation: number }
  readonly rms: number
  /** P(any of the pairs looks as correlated as the worst | independent bits) is below this power of ten. */
  readonly falseAlarm: string
  /** Variance of a token's number of ones over that of independent bits. */
  readonly varianceRatio: number
  /** The layer whose mean is furthest from 1/2, in standard errors. */
  readonly meanZ: number
  /** Agreement of the bits of token ids x and x + 1 in one context, as a correlation. */
  readonly neighbours: number
}

/** Correlations between the layers of the published key list, over random 64-bit states of the hash. */
export function studyLayers(samples: number): LayerStudy {
  const hash = synthidHash({ flavor: 'google', keys })
  const engine = new Mt19937(1)
  const ones = new Float64Array(layers)
  const agree = new Float64Array(layers * layers)
  const bits = new Uint8Array(layers)
  const next = new Uint8Array(layers)
  let sum = 0
  let squares = 0
  let alike = 0
  for (let i = 0; i < samples; i++) {
    const context = Int32Array.of(engine.next(), engine.next())
    hash.bits(context, 0, bits)
    hash.bits(context, 1, next)
    let count = 0
    for (let a = 0; a < layers; a++) {
      count += bits[a]!
      ones[a]! += bits[a]!
      alike += bits[a] === next[a] ? 1 : 0
      for (let b = 0; b < a; b++) agree[a * layers + b]! += bits[a] === bits[b] ? 1 : 0
    }
    sum += count
    squares += count * count
  }
  const pairs = [...agree.keys()]
    .filter((at) => at % layers < Math.floor(at / layers))
    .map((at) => ({
      keys: [keys[at % layers]!, keys[Math.floor(at / layers)]!] as const,
      correlation: (2 * agree[at]!) / samples - 1,
    }))
  const worst = pairs.reduce((a, b) => (Math.abs(b.correlation) > Math.abs(a.correlation) ? b : a))
  const meanZ = Array.from(ones, (n) => (2 * n - samples) / Math.sqrt(samples))
  return {
    samples,
    worst,
    falseAlarm: `1e-${Math.floor(-(Math.log(2 * pairs.length) - (samples * worst.correlation ** 2) / 2) / Math.LN10)}`,
    rms: Math.sqrt(pairs.reduce((total, { correlation }) => total + correlation ** 2, 0) / pairs.length),
    varianceRatio: (squares / samples - (sum / samples) ** 2) / (layers / 4),
    meanZ: meanZ.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a)),
    neighbours: (2 * alike) / (samples * layers) - 1,
  }
}
