/**
 * The first `room` coefficients of the n-th power of a polynomial with non-negative coefficients, by squaring. Only
 * additions and multiplications of non-negative numbers: every coefficient keeps its relative precision.
 *
 * @example truncatedPower(new Float64Array([0.5, 0.5]), 3, 2) // [1/8, 3/8]
 */
export function truncatedPower(base: Float64Array, n: number, room: number): Float64Array {
  let result = new Float64Array([1])
  let square = base.slice(0, room)
  for (let left = n; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = multiply(result, square, room)
    if (left > 1) square = multiply(square, square, room)
  }
  const out = new Float64Array(room)
  out.set(result)
  return out
}

/** The first `room` coefficients of a product: the law of a sum of two variables. */
export function multiply(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  room = Number.POSITIVE_INFINITY,
): Float64Array<ArrayBuffer> {
  const out = new Float64Array(Math.min(room, a.length + b.length - 1))
  for (let i = 0; i < a.length; i++) {
    const factor = a[i]!
    if (factor === 0) continue
    const end = Math.min(b.length, out.length - i)
    for (let j = 0; j < end; j++) out[i + j]! += factor * b[j]!
  }
  return out
}
