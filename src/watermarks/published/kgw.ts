import { MAX_VOCAB } from '../../core/keys/index.ts'
import { integer, number, requireOptions } from '../../input.ts'
import { secretInteger } from './checked.ts'
import { TorchGenerator } from './torch.ts'

/** The arguments of the left-hash green list of Kirchenbauer et al. */
export interface KgwGreenlistOptions {
  readonly vocabSize: number
  /** The secret integer; the published default is 15485863. */
  readonly hashingKey: number | bigint
  /** The share of the vocabulary that is green. */
  readonly ratio: number
  /** The token before the one to be scored. */
  readonly previous: number
}

/**
 * The green ids after one token, as Hugging Face Transformers and the repository of Kirchenbauer et al. (left hash)
 * draw them: a generator seeded with hashingKey * previous, a permutation, its first int(vocabSize * ratio) ids, in
 * the order of the permutation.
 *
 * @example
 * kgwGreenlist({ vocabSize: 50, hashingKey: 15485863, ratio: 0.5, previous: 42 }).length // 25
 */
export function kgwGreenlist(options: KgwGreenlistOptions): Int32Array {
  requireOptions('kgwGreenlist', options, ['vocabSize', 'hashingKey', 'ratio', 'previous'])
  const { vocabSize, hashingKey, ratio, previous } = options
  number('ratio', ratio, 0, 1, true)
  integer('vocabSize', vocabSize, 1, MAX_VOCAB)
  const order = new TorchGenerator(kgwSeed(hashingKey, previous)).randperm(vocabSize)
  return order.slice(0, kgwGreenSize(vocabSize, ratio))
}

/** Published keys have up to 64 bits. */
const MAX_HASHING_KEY = 2n ** 64n - 1n

/** The seed of the permutation after a token. */
export function kgwSeed(hashingKey: number | bigint, previous: number): bigint {
  integer('previous', previous, 0)
  const key = secretInteger('hashingKey', hashingKey, 0n, MAX_HASHING_KEY, 'an integer in [0, 2^64)')
  return (key * BigInt(previous)) % (2n ** 64n - 1n)
}

/** Returns the number of green ids: Python's int(vocabSize * ratio), which cuts off. So the null rate is this over vocabSize. */
export const kgwGreenSize = (vocabSize: number, ratio: number): number => Math.trunc(vocabSize * ratio)
