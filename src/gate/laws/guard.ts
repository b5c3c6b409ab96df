/** No law can be poisoned: a watermark sees copies of the laws' distributions, and one that writes into them is found out. */
import { fastScores, reweightMany, type Watermark, wordScore } from '../../watermark.ts'
import { Violation } from './for-all.ts'

function mustBeUntouched(given: Float64Array, p: Float64Array): void {
  for (let i = 0; i < p.length; i++)
    if (!Object.is(given[i], p[i]))
      throw new Violation(
        `p: not to be touched, but the watermark changed p[${i}] from ${p[i]} to ${given[i]}`,
      )
}

/**
 * The same watermark, given copies. One buffer serves all calls: as in a decode loop, the array is the same and its content is not,
 * so a watermark that takes the array for its content is found out too.
 */
export function guarded<Code>(watermark: Watermark<Code>): Watermark<Code> {
  let buffer = new Float64Array(0)
  const copyOf = (p: Float64Array): Float64Array => {
    if (buffer.length !== p.length) buffer = new Float64Array(p.length)
    buffer.set(p)
    return buffer
  }
  const { choose, orbit } = watermark
  const reweight: Watermark<Code>['reweight'] = (p, code, q) => {
    const given = copyOf(p)
    watermark.reweight(given, code, q)
    mustBeUntouched(given, p)
  }
  const { scoreMany, scoreEach } = fastScores(watermark)
  const many = reweightMany(watermark)
  const guardedMany: typeof many = (p, codes, out) => {
    const given = copyOf(p)
    many!(given, codes, out)
    mustBeUntouched(given, p)
  }
  return {
    ...watermark,
    reweight,
    fast: {
      ...(scoreMany && { scoreMany }),
      ...(scoreEach && { scoreEach }),
      ...(many && { reweightMany: guardedMany }),
      words: wordScore(watermark),
      of: { ...watermark, reweight },
    },
    ...(choose !== undefined && {
      choose(p: Float64Array, code: Code): number {
        const given = copyOf(p)
        const token = watermark.choose!(given, code)
        mustBeUntouched(given, p)
        return token
      },
    }),
    // may be read lazily, between other calls: a copy of its own
    ...(orbit !== undefined && { orbit: (code: Code, p: Float64Array) => watermark.orbit!(code, p.slice()) }),
  }
}
