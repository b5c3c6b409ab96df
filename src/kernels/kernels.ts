/** The loops over a vocabulary or an alignment that cost the time. Each exists twice: plain.ts is the oracle of wasm.ts. */
export interface Kernels {
  readonly kind: 'wasm' | 'plain'
  /**
   * p = softmax(sharpness * logits), sharpness being 1 / temperature. Returns the sum of e^(sharpness (logit - largest)), which
   * is NaN where the logits have no softmax (a NaN, +Infinity, or nothing but -Infinity).
   */
  softmax(logits: Float32Array | Float64Array, sharpness: number, p: Float64Array): number
  /** out[i] = mix(i) under four round keys. */
  fill(out: Uint32Array, keys: Int32Array): void
  /** The sum of p; NaN where a value is negative or NaN. */
  total(p: Float64Array): number
  /** Lists tokens with p > 0 in `ids`, in order; returns how many there are, or ids.length + 1 (and no list) where they do not fit. */
  support(p: Float64Array, ids: Int32Array): number
  /** The mass of the tokens with (word + shift) mod 2^32 < threshold. */
  greenMass(p: Float64Array, words: Uint32Array, shift: number, threshold: number): number
  /** q = p times `green` for those tokens, times `red` for the others. */
  greenScale(
    p: Float64Array,
    words: Uint32Array,
    shift: number,
    threshold: number,
    green: number,
    red: number,
    q: Float64Array,
  ): void
  /** mass[c] = the mass of class c. Token i is in class (word >>> shift) & (mass.length - 1); mass.length is a power of 2. */
  classMass(p: Float64Array, words: Uint32Array, shift: number, mass: Float64Array): void
  /** q = p times the factor of the token's class; factor.length is a power of 2. */
  classScale(p: Float64Array, words: Uint32Array, shift: number, factor: Float64Array, q: Float64Array): void
  /** out = words mod l. Returns how many words lie past the last full multiple of l below 2^32. */
  remainders(words: Uint32Array, l: number, out: Uint32Array): number
  /** Lists the tokens with word >>> shift equal to `bucket` in `ids`, as many as fit; returns how many there are. */
  inBucket(words: Uint32Array, shift: number, bucket: number, ids: Int32Array): number
  /** q = p (1 + low [word < lowWord] + high [word > highWord]) */
  orderScale(
    p: Float64Array,
    words: Uint32Array,
    lowWord: number,
    highWord: number,
    low: number,
    high: number,
    q: Float64Array,
  ): void
  /** The first token at or after `from` with word < p best 2^32: all others arrive after `best`; p.length if there is none. */
  nextRunner(p: Float64Array, words: Uint32Array, from: number, best: number): number
  /** out[4 j ..] = the round keys of context j, the `length` words at words[j step ..], under a SipHash key of 4 words. */
  seed(
    key: Uint32Array,
    words: Uint32Array,
    count: number,
    length: number,
    step: number,
    out: Int32Array,
  ): void
  /** out[i] = -ln(v + 2^-65), v the uniform number of tokens[i] under four round keys: the scores of the Gumbel watermark. */
  exponentialScores(keys: Int32Array, tokens: Int32Array, out: Float64Array): void
  /**
   * The costs of aligning k text tokens with k consecutive elements of a cyclic key, for every offset, in fixed point.
   * pairs[i (period + 16) + r] = cost of text token i under key element r mod period, less twice the gap penalty; costs[offset]
   * is the alignment's cost less 2 k times the gap penalty. No sum of k pairs may leave the int32 range. costs has length period.
   */
  align(pairs: Int32Array, k: number, period: number, costs: Int32Array): void
}
