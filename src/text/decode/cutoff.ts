const swap = (a: Float64Array, i: number, j: number): void => {
  const t = a[i]!
  a[i] = a[j]!
  a[j] = t
}

/** Returns the median of the first, middle and last value: a pivot that works well on sorted input. */
function pivotOf(a: Float64Array, low: number, high: number): number {
  const x = a[low]!
  const y = a[(low + high) >> 1]!
  const z = a[high - 1]!
  return Math.max(Math.min(x, y), Math.min(Math.max(x, y), z))
}

/**
 * Returns the largest t for which the weights of all values >= t sum to at least `mass`: quickselect by weight, expected linear time.
 * With unit weights and mass k it is the k-th largest value. Reorders `values`.
 */
export function cutoff(values: Float64Array, mass: number, weight: (value: number) => number): number {
  let low = 0
  let high = values.length
  let above = 0
  while (high - low > 1) {
    const pivot = pivotOf(values, low, high)
    // three parts: [low, more) is > pivot, [more, i) equals it, [less, high) is < pivot
    let more = low
    let less = high
    let heavier = 0
    let equal = 0
    for (let i = low; i < less; ) {
      const value = values[i]!
      if (value > pivot) {
        heavier += weight(value)
        swap(values, i++, more++)
      } else if (value < pivot) swap(values, i, --less)
      else {
        equal += weight(value)
        i++
      }
    }
    if (above + heavier >= mass) high = more
    else if (above + heavier + equal >= mass || less === high) return pivot
    else {
      above += heavier + equal
      low = less
    }
  }
  return values[low]!
}
