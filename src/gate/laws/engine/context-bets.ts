/**
 * Bets that tokens which follow the same k tokens have something in common: where a code is used again for a context that
 * came back, or its complement is.
 *
 * At each position the bet is on the next token, given the text so far. With N(a) the number of times that token a followed
 * the same k tokens before, and N their sum:
 *
 *   more equal pairs    r(a) = (N(a) + c p_a) / (N + c)          the prediction if q were Dirichlet with mean p
 *   fewer equal pairs   r(a) = p_a e^(-h N(a)) / sum_b p_b e^(-h N(b))
 *
 * r is a distribution that depends on the past only, so `prod_t r(x_t) / p(x_t)` has mean 1 if tokens are independent draws
 * from p, and is a fair bet.
 */

/** The weight of p as a prior, in tokens: small where q is a point mass, large where it is close to p. */
const CONCENTRATIONS = [0.3, 3, 30] as const
/** Strengths with which tokens repel each other. */
const REPULSIONS = [0.3, 1.5] as const
const LENGTHS = [1, 2, 3, 4, 6, 8, 12] as const
/** Cells of a table of counts. */
const MAX_CELLS = 2 ** 20
/** Factors to multiply before their logarithm is taken: none of them is further from 1 than 2^40. */
const RUN = 16

const PER_LENGTH = CONCENTRATIONS.length + REPULSIONS.length

/** Counts of what followed each context of k tokens. */
interface Counts {
  readonly k: number
  readonly contexts: number
  /** Counts of each token after each context, and of all tokens after it. */
  readonly follows: Uint16Array
  readonly total: Uint16Array
  /** Pairs of tokens after equal contexts, and the equal pairs among them, over all texts. */
  pairs: number
  equal: number
}

export interface ContextBets {
  /** ln wealth of each bet. */
  readonly logs: Float64Array
  /** Says what a bet is on: tokens that follow the same k tokens, and the share of pairs of them that were equal. */
  about(index: number): { readonly k: number; readonly share: number }
  add(text: Uint8Array): void
}

/** Bets for texts of fewer than 2^16 tokens. */
export function contextBets(p: Float64Array): ContextBets {
  const size = p.length
  const tables = LENGTHS.filter((k) => size ** (k + 1) <= MAX_CELLS).map(
    (k): Counts => ({
      k,
      contexts: size ** k,
      follows: new Uint16Array(size ** (k + 1)),
      total: new Uint16Array(size ** k),
      pairs: 0,
      equal: 0,
    }),
  )
  const logs = new Float64Array(tables.length * PER_LENGTH)
  const factors = new Float64Array(PER_LENGTH)
  const powers = REPULSIONS.map((h) => Float64Array.from({ length: 1024 }, (_, n) => Math.exp(-h * n)))

  /** p_x e^(-h N(x)) / sum p e^(-h N), over p_x; counts are taken above their smallest, so that the sum is never 0. */
  const repelled = (
    counts: Uint16Array,
    from: number,
    x: number,
    fewest: number,
    power: Float64Array,
  ): number => {
    let sum = 0
    for (let a = 0; a < size; a++) sum += p[a]! * (power[counts[from + a]! - fewest] ?? 0)
    return (power[counts[from + x]! - fewest] ?? 0) / sum
  }
  const fewestOf = (counts: Uint16Array, from: number, x: number): number => {
    let fewest = counts[from + x]!
    for (let a = 0; a < size; a++) if (p[a]! > 0 && counts[from + a]! < fewest) fewest = counts[from + a]!
    return fewest
  }

  const follow = (counts: Counts, text: Uint8Array, at: number): void => {
    const { k, contexts, follows, total } = counts
    factors.fill(1)
    const flush = (): void => {
      for (let j = 0; j < PER_LENGTH; j++) logs[at + j]! += Math.log(factors[j]!)
      factors.fill(1)
    }
    let context = 0
    for (let t = 0; t < text.length; t++) {
      const x = text[t]!
      if (t >= k) {
        const cell = context * size
        const n = total[context]!
        if (n > 0) {
          const own = follows[cell + x]!
          counts.pairs += n
          counts.equal += own
          for (let j = 0; j < CONCENTRATIONS.length; j++) {
            const c = CONCENTRATIONS[j]!
            factors[j]! *= (own / p[x]! + c) / (n + c)
          }
          const fewest = fewestOf(follows, cell, x)
          for (let j = 0; j < REPULSIONS.length; j++)
            factors[CONCENTRATIONS.length + j]! *= repelled(follows, cell, x, fewest, powers[j]!)
        }
        follows[cell + x]!++
        total[context]!++
      }
      context = (context * size + x) % contexts
      if (t % RUN === RUN - 1) flush()
    }
    flush()
  }

  const forget = ({ k, contexts, follows, total }: Counts, text: Uint8Array): void => {
    let context = 0
    for (let t = 0; t < text.length; t++) {
      if (t >= k) {
        follows[context * size + text[t]!] = 0
        total[context] = 0
      }
      context = (context * size + text[t]!) % contexts
    }
  }

  return {
    logs,
    about: (index) => {
      const { k, pairs, equal } = tables[Math.floor(index / PER_LENGTH)]!
      return { k, share: equal / pairs }
    },
    add(text) {
      for (const [i, table] of tables.entries()) {
        follow(table, text, i * PER_LENGTH)
        forget(table, text)
      }
    },
  }
}
