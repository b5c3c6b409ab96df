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

/** Returns the smallest integer in (no, yes] at which a monotone statement holds; it must hold at `yes`. */
export function smallest(holds: (n: number) => boolean, no: number, yes: number): number {
  let [below, reached] = [no, yes]
  while (reached - below > 1) {
    const middle = Math.floor((below + reached) / 2)
    if (holds(middle)) reached = middle
    else below = middle
  }
  return reached
}

/** Returns the largest n at which a statement holds that is true at 0 and monotone; `most` where it never fails below. */
export const largest = (holds: (n: number) => boolean, most: number): number =>
  // beyond 2^52 integers could not be told apart
  smallest((n) => !holds(n), 0, Math.min(most, 2 ** 52) + 1) - 1
