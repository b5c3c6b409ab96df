/**
 * A reweight may carry a faster way to do many codes at once, as its property: what a watermark in another process has. It belongs to
 * the function: whoever declares another reweight is not left with the old one.
 */
export interface ManyRows<Code> {
  /** Writes q = F(p, code) for each code, row after row. */
  many?(p: Float64Array, codes: readonly Code[], out: Float64Array): void
}
