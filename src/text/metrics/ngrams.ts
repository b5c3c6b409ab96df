/** Counts how often each n-gram of a sequence occurs; an n-gram's key joins its items, so items must not contain the separator. */
export function ngramCounts(items: ArrayLike<string | number>, n: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (let end = n; end <= items.length; end++) {
    let key = String(items[end - n])
    for (let i = end - n + 1; i < end; i++) key += ` ${items[i]}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Counts the n-grams of a sequence of `length` items. */
export const ngramTotal = (length: number, n: number): number => Math.max(0, length - n + 1)

/** Returns the size of the multiset intersection: each n-gram counts as often as it occurs in both. */
export function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0
  for (const [key, count] of a) common += Math.min(count, b.get(key) ?? 0)
  return common
}
