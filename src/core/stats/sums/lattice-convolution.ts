import { truncatedPower } from './truncated-power.ts'

/** Masses of the sum are kept up to the window's end, counted from the nearer end of the lattice. */
function room(top: number, n: number, sum: number, half: number): number {
  return Math.min(sum + half, n * top + 1, n * top - sum + 1)
}

/** Number of multiplications of `convolvedTail` for masses on 0 .. top. */
export const convolutionWork = (top: number, n: number, sum: number, half: number): number =>
  room(top, n, sum, half) ** 2 * Math.log2(n + 1)

/** The sum of e^(-theta j) P(X = sum + j) over 0 <= j < half, X the sum of n copies: only positive terms. */
export function convolvedTail(
  masses: Float64Array,
  n: number,
  sum: number,
  theta: number,
  half: number,
): number {
  const kept = room(masses.length - 1, n, sum, half)
  const rest = n * (masses.length - 1) - sum
  const fromTop = kept === rest + 1
  const power = truncatedPower(fromTop ? masses.toReversed() : masses, n, kept)
  let tail = 0
  for (let s = 0; s < kept; s++) {
    const beyond = fromTop ? rest - s : s - sum
    if (beyond >= 0 && beyond < half) tail += Math.exp(-theta * beyond) * power[s]!
  }
  return tail
}
