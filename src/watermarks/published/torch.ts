import { integer } from '../../input.ts'
import { secret64 } from './checked.ts'
import { Mt19937, modulo } from './mt19937.ts'

// From 2^28 on, newer PyTorch versions take 64-bit words where older ones take 32: there is no one answer to reproduce.
const versionsAgreeBelow = 2 ** 28
/** Numbers of one call: no vocabulary is larger, and more take seconds. */
const MAX_DRAWN = 2 ** 24
const MAX_SKIPPED = 2 ** 28

/**
 * PyTorch's CPU generator: one mt19937 stream that every call draws from in order. A seed has 64 bits and may be
 * negative (PyTorch adds 2^64), but only its low 32 bits reach the engine: seeds that agree there give one stream.
 *
 * @example
 * const g = new TorchGenerator(42n)
 * g.randperm(5)       // Int32Array [2, 4, 3, 0, 1]
 * g.randint(0, 10, 3) // goes on where randperm stopped
 */
export class TorchGenerator {
  readonly #engine: Mt19937
  /** Words that belong to a permutation of which one rank was asked for: left out when more is drawn. */
  #rest = 0

  constructor(seed: number | bigint) {
    this.#engine = new Mt19937(Number(BigInt.asIntN(32, secret64('seed', seed))))
  }

  /** A permutation of 0..n-1, as `torch.randperm(n)`: Fisher-Yates from the front, each step a 32-bit word mod what is left. */
  randperm(n: number): Int32Array {
    integer('n', n, 0, MAX_DRAWN)
    const engine = this.#continue()
    const order = new Int32Array(n)
    for (let i = 0; i < n; i++) order[i] = i
    for (let i = 0; i < n - 1; i++) {
      const j = i + modulo(engine.next(), n - i)
      const moved = order[i]!
      order[i] = order[j]!
      order[j] = moved
    }
    return order
  }

  /**
   * The place of `element` in what `randperm(n)` would return, several times as fast; `most` where it is not among the first `most`.
   * The stream goes on behind the permutation.
   * @example new TorchGenerator(42).randpermRank(5, 3) // 2: randperm(5) is [2, 4, 3, 0, 1]
   */
  randpermRank(n: number, element: number, most = n): number {
    integer('n', n, 1, MAX_DRAWN)
    integer('element', element, 0, n - 1)
    integer('most', most, 0, n)
    const rank = this.#continue().rankInShuffle(n, element, most)
    // the last step of a shuffle has no choice and draws nothing
    this.#rest = n - 1 - Math.min(most, n - 1, rank + 1)
    return rank
  }

  /** Leaves out `count` words of the stream: `randperm(n)` takes n - 1, each number of `randint` and `rand` one. */
  skip(count: number): void {
    this.#continue().skip(integer('count', count, 0, MAX_SKIPPED))
  }

  /** The engine, behind everything that was asked for. */
  #continue(): Mt19937 {
    this.#engine.skip(this.#rest)
    this.#rest = 0
    return this.#engine
  }

  /** `size` integers in [low, high), as `torch.randint(low, high, (size,))`: a 32-bit word mod the range. */
  randint(low: number, high: number, size: number): Int32Array {
    integer('low', low, -(2 ** 31), 2 ** 31 - 1)
    integer('high', high, low + 1, Math.min(2 ** 31, low + versionsAgreeBelow - 1))
    integer('size', size, 0, MAX_DRAWN)
    const [engine, out] = [this.#continue(), new Int32Array(size)]
    for (let i = 0; i < size; i++) out[i] = low + modulo(engine.next(), high - low)
    return out
  }

  /** `size` floats in [0, 1), as `torch.rand(size)` in float32: the low 24 bits of each word. */
  rand(size: number): Float32Array {
    integer('size', size, 0, MAX_DRAWN)
    const [engine, out] = [this.#continue(), new Float32Array(size)]
    for (let i = 0; i < size; i++) out[i] = (engine.next() & 0xffffff) * 2 ** -24
    return out
  }
}
