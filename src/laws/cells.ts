/** What a code does, put into one of a few cells: how laws of codes are compared. */
import type { Stream } from '../keys/index.ts'
import type { Watermark } from '../watermark.ts'

export interface Cells<Code> {
  readonly count: number
  /** The cell of a code, by its q and the scores of the tokens that p allows. */
  cell(code: Code): number
  /** Whether two codes do the same, up to rounding. */
  alike(a: Code, b: Code): boolean
}

const COUNT = 8

/** Up to three cuts between values that were seen: no value lies on a cut, so rounding cannot move it across. */
function cutsBetween(values: readonly number[]): number[] {
  const seen = [...new Set(values)].sort((a, b) => a - b)
  const distinct = seen.filter((v, i) => i === 0 || v - seen[i - 1]! > 1e-6)
  const cuts = [1 / 4, 1 / 2, 3 / 4].map((share) => {
    const at = Math.floor(share * (distinct.length - 1))
    return (distinct[at]! + (distinct[at + 1] ?? Number.POSITIVE_INFINITY)) / 2
  })
  return [...new Set(cuts)]
}

/** Murmur3's finaliser over one more number. */
function mixIn(hash: number, value: number): number {
  let h = Math.imul(hash ^ value, 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** q on a grid whose lines lie at no fraction: rounding in the last digit cannot cross one. */
const gridded = (q: number): number => Math.round(q * 1e6 * Math.SQRT1_2 + 0.2345)

/**
 * Cells for codes under p, fixed before the keys of the test are drawn: a random one of 8 for each (q, scores), scores cut
 * into at most four ranges.
 * @param pilot codes to learn the range of scores from, of keys that the test does not use
 */
export function cellsOf<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  pilot: readonly Code[],
  stream: Stream,
): Cells<Code> {
  const tokens = Array.from(p.keys()).filter((i) => p[i]! > 0)
  const cuts = cutsBetween(pilot.flatMap((code) => tokens.map((token) => watermark.score(token, code))))
  const salt = stream.uint32()
  const q = new Float64Array(p.length)
  return {
    count: COUNT,
    cell(code) {
      watermark.reweight(p, code, q)
      let hash = salt
      for (const i of tokens) {
        const score = watermark.score(i, code)
        hash = mixIn(mixIn(hash, gridded(q[i]!)), cuts.filter((cut) => score > cut).length)
      }
      return (hash >>> 0) % COUNT
    },
    alike(a, b) {
      const other = new Float64Array(p.length)
      watermark.reweight(p, a, q)
      watermark.reweight(p, b, other)
      const close = (x: number, y: number): boolean => x === y || Math.abs(x - y) <= 1e-6 * (1 + Math.abs(x))
      return tokens.every(
        (i) => close(q[i]!, other[i]!) && close(watermark.score(i, a), watermark.score(i, b)),
      )
    },
  }
}
