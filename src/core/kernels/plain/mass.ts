/** The sum of p; NaN where a value is negative or NaN. */
export function total(p: Float64Array): number {
  let sum = 0
  for (let i = 0; i < p.length; i++) sum += p[i]! < 0 ? Number.NaN : p[i]!
  return sum
}

/** Lists the tokens with p > 0 in `ids`, in order. Returns how many there are; ids.length + 1, and no list, if they do not fit. */
export function support(p: Float64Array, ids: Int32Array): number {
  let count = 0
  for (let i = 0; i < p.length; i++) {
    if (!(p[i]! > 0)) continue
    if (count === ids.length) return count + 1
    ids[count++] = i
  }
  return count
}
