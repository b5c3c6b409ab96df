/** Keyed words, one per token. */
export interface Words {
  uint32(i: number): number
  fill(out: Uint32Array): Uint32Array
}
