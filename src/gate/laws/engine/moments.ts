/** Running sums and second moments of difference vectors, and what they say about every set of outcomes at once. */

/** More outcomes than this are not enumerated set by set. */
const ENUMERABLE = 16

export class Moments {
  readonly m: number
  count = 0
  readonly #sum: Float64Array
  readonly #square: Float64Array

  constructor(m: number) {
    this.m = m
    this.#sum = new Float64Array(m)
    this.#square = new Float64Array(m * m)
  }

  add(d: Float64Array): void {
    const { m } = this
    this.count++
    for (let i = 0; i < m; i++) {
      const x = d[i]!
      if (x === 0) continue
      this.#sum[i]! += x
      for (let j = 0; j <= i; j++) this.#square[i * m + j]! += x * d[j]!
    }
  }

  /** Total variation of the mean: half the absolute sum, `max_A mean(A)`. */
  totalVariation(): number {
    let total = 0
    for (const s of this.#sum) total += Math.abs(s)
    return total / (2 * this.count)
  }

  /** Sample covariance of outcomes i and j. */
  #covariance(i: number, j: number): number {
    const n = this.count
    const product = this.#square[i > j ? i * this.m + j : j * this.m + i]!
    return (product - (this.#sum[i]! * this.#sum[j]!) / n) / (n - 1)
  }

  /** `max over sets A of radius(|mean(A)|, variance(A))`, or an upper bound where there are too many sets. */
  largest(radius: (mean: number, variance: number) => number): number {
    const { m } = this
    const cov = Array.from({ length: m }, (_, i) =>
      Float64Array.from({ length: m }, (_, j) => this.#covariance(i, j)),
    )
    if (m > ENUMERABLE) {
      // 1_A' C 1_A = s' C s / 4 for signs s, as the rows of C sum to 0; and that is at most sum |C| / 4
      let bound = 0
      for (const row of cov) for (const c of row) bound += Math.abs(c)
      return radius(this.totalVariation(), bound / 4)
    }
    return this.#overSets(cov, radius)
  }

  /** Sets in Gray code order, the last outcome left out: a set and its complement deviate by the same amount. */
  #overSets(cov: Float64Array[], radius: (mean: number, variance: number) => number): number {
    const { m } = this
    const inside = new Uint8Array(m)
    const product = new Float64Array(m) // C 1_A
    let mean = 0
    let variance = 0
    let best = 0
    for (let step = 1; step < 2 ** (m - 1); step++) {
      const i = 31 - Math.clz32(step & -step)
      const sign = inside[i] === 1 ? -1 : 1
      inside[i]! ^= 1
      const row = cov[i]!
      variance += sign * 2 * product[i]! + row[i]!
      mean += (sign * this.#sum[i]!) / this.count
      for (let j = 0; j < m; j++) product[j]! += sign * row[j]!
      best = Math.max(best, radius(Math.abs(mean), Math.max(0, variance)))
    }
    return best
  }
}
