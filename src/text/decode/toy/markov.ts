import { checkSeed, seededRandom } from '../../../core/keys/index.ts'
import { integer, number, outOfRange, refuseUnknown } from '../../../input.ts'
import type { LanguageModel, Tokenizer } from '../language-model.ts'
import { tableModel } from './table.ts'

export interface MarkovOptions {
  /** Default 64. */
  readonly vocabSize?: number
  /** Number of previous tokens that the next one depends on. Default 1. */
  readonly order?: number
  /** Entropy in nats of every next-token distribution, in (0, ln vocabSize]. Default: half of ln vocabSize. */
  readonly entropy?: number
  /** Default 1. */
  readonly seed?: number | string
}

function entropyAt(beta: number, x: Float64Array): number {
  const top = beta * x.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  let sum = 0
  let mean = 0
  for (const value of x) {
    const e = Math.exp(beta * value - top)
    sum += e
    mean += e * (beta * value - top)
  }
  return Math.log(sum) - mean / sum
}

/** Returns the inverse temperature at which softmax(beta x) has the given entropy; entropy falls as beta grows, so bisection finds it. */
function betaFor(entropy: number, x: Float64Array): number {
  let low = 0
  let high = 1
  while (entropyAt(high, x) > entropy && high < 2 ** 40) high *= 2
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (entropyAt(middle, x) > entropy) low = middle
    else high = middle
  }
  return low
}

const numbers: Tokenizer = {
  encode: (text) => text.split(/\s+/).filter(Boolean).map(Number),
  encodePrompt: (text) => text.split(/\s+/).filter(Boolean).map(Number),
  decode: (tokens) => Array.from(tokens).join(' '),
}

/**
 * Returns a random Markov chain over `vocabSize` tokens whose every next-token distribution has the same, chosen entropy. Texts are
 * token numbers separated by blanks.
 * @example
 * markovModel({ vocabSize: 50, entropy: 0.5 }).vocabSize // 50: half a nat per token
 * markovModel({ vocabSize: 50, entropy: Math.log(50) }).kind // 'causal': uniform, as much entropy as there is
 */
export function markovModel(options: MarkovOptions = {}): LanguageModel {
  refuseUnknown('markovModel', options, ['vocabSize', 'order', 'entropy', 'seed'])
  const vocabSize = integer('vocabSize', options.vocabSize ?? 64, 2, 1 << 20)
  const order = integer('order', options.order ?? 1, 0, 64)
  const most = Math.log(vocabSize)
  const entropy = number('entropy', options.entropy ?? most / 2, 0, most)
  if (entropy === 0) throw outOfRange('entropy', `a number in (0, ${most}]`, entropy)
  const seed = options.seed ?? 1
  checkSeed(seed)
  return tableModel({
    id: `markov(vocabSize=${vocabSize},order=${order},entropy=${entropy},seed=${seed})`,
    vocabSize,
    order,
    tokenizer: numbers,
    logits(context) {
      if (entropy === most) return new Float32Array(vocabSize)
      const stream = seededRandom(seed, 'markov', ...context)
      // minus the log of exponential variables: a Dirichlet-like spread with a few likely tokens
      const x = Float64Array.from({ length: vocabSize }, () => -Math.log(-Math.log(stream.uniform())))
      const beta = betaFor(entropy, x)
      return Float32Array.from(x, (value) => beta * value)
    },
  })
}
