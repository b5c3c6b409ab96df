/** Lists the tokens with word >>> shift equal to `bucket` in `ids`, as many as fit. Returns how many there are. */
export function inBucket(words: Uint32Array, shift: number, bucket: number, ids: Int32Array): number {
  let count = 0
  for (let i = 0; i < words.length; i++) {
    if (words[i]! >>> shift !== bucket) continue
    if (count < ids.length) ids[count] = i
    count++
  }
  return count
}

/** q = p (1 + low [word < lowWord] + high [word > highWord]) */
export function orderScale(
  p: Float64Array,
  words: Uint32Array,
  lowWord: number,
  highWord: number,
  low: number,
  high: number,
  q: Float64Array,
): void {
  for (let i = 0; i < p.length; i++) {
    const word = words[i]!
    q[i] = p[i]! * (1 + (word < lowWord ? low : 0) + (word > highWord ? high : 0))
  }
}
