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
