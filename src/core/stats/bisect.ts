/**
 * The point of [low, high] where `holds` turns from true to false, to the last bit: the largest number found at which
 * it still holds (or `low`). For inverting the tails of this room, which are monotone and cheap.
 *
 * @example bisect((x) => x * x <= 2, 0, 2) // 1.414213562373095: the last float64 whose square is at most 2
 */
export function bisect(holds: (x: number) => boolean, low: number, high: number): number {
  if (holds(high)) return high
  let yes = low
  let no = high
  for (let step = 0; step < 200; step++) {
    const middle = yes + (no - yes) / 2
    if (middle === yes || middle === no) break
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}
