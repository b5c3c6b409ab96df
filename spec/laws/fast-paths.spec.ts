/** Fast paths that give other results than the plain functions are rejected, by the law that the same key gives the same result. */
import { expect, test } from 'vitest'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { defineWatermark, dipmark, gumbel } from '../../src/index.ts'
import type { FastPaths, Watermark } from '../../src/watermark.ts'

/** A copy with fast paths of its own. */
function withFast<Code>(
  { choose, reweight, ...rest }: Watermark<Code>,
  fast: Omit<FastPaths<Code>, 'of'>,
): Watermark<Code> {
  const acting = choose === undefined ? { reweight } : { choose }
  return defineWatermark<Code>({ ...rest, ...acting, fast, id: 'fast' } as never)
}

const verdictOn = async <Code>(watermark: Watermark<Code>) => {
  const [result] = await checkWatermark(watermark, { laws: ['same key, same result'], effort: 'quick' })
  return result!
}

const dip = dipmark({ alpha: 0.4 })
const race = gumbel()
type Race = typeof race extends Watermark<infer Code> ? Code : never
type Dip = typeof dip extends Watermark<infer Code> ? Code : never

const rows: NonNullable<FastPaths<Dip>['reweightMany']> = (p, codes, out) => {
  for (const [i, code] of codes.entries())
    dip.reweight(p, code, out.subarray(i * p.length, (i + 1) * p.length))
}
const scores: NonNullable<FastPaths<Race>['scoreMany']> = (tokens, code, out) => {
  for (let i = 0; i < tokens.length; i++) out[i] = race.score(tokens[i]!, code)
}
const each: NonNullable<FastPaths<Race>['scoreEach']> = (tokens, codeOf, out) => {
  for (let i = 0; i < tokens.length; i++) out[i] = race.score(tokens[i]!, codeOf(i))
}

test.each([
  ['rows one by one', () => withFast(dip, { reweightMany: rows })],
  [
    'scores that are off by rounding',
    () =>
      withFast(race, {
        scoreMany(tokens, code, out) {
          scores(tokens, code, out)
          for (let i = 0; i < out.length; i++) out[i]! *= 1 + 1e-15
        },
      }),
  ],
  ['each score under a code of its own', () => withFast(race, { scoreEach: each })],
  ['the fast paths that ship', () => race],
] as const)('accepts %s', async (_, watermark) => {
  const { verdict, detail } = await verdictOn<never>(watermark() as never)
  expect(verdict, detail).toBe('holds')
})

test.each([
  [
    'rows of another code',
    () =>
      withFast(dip, {
        reweightMany: (p, codes, out) =>
          rows(
            p,
            codes.map(() => codes[0]!),
            out,
          ),
      }),
  ],
  [
    'a row that is not written',
    () => withFast(dip, { reweightMany: (p, codes, out) => rows(p, codes.slice(1), out) }),
  ],
  [
    'p itself changed',
    () =>
      withFast(dip, {
        reweightMany(p, codes, out) {
          rows(p, codes, out)
          p[0]! += 1e-3
        },
      }),
  ],
  [
    'scores of all tokens but the last',
    () =>
      withFast(race, {
        scoreMany: (tokens, code, out) => scores(Array.from(tokens).slice(0, -1), code, out),
      }),
  ],
  [
    'scores in float32',
    () =>
      withFast(race, {
        scoreMany(tokens, code, out) {
          scores(tokens, code, out)
          for (let i = 0; i < out.length; i++) out[i] = Math.fround(out[i]!)
        },
      }),
  ],
  [
    'each score under the code of the first',
    () => withFast(race, { scoreEach: (tokens, codeOf, out) => each(tokens, () => codeOf(0), out) }),
  ],
  [
    'a word of the next token',
    () => {
      const { words } = race.fast!
      const [and, xor, ...others] = words!.indices
      return withFast(race, { words: { ...words!, indices: [and!, xor! ^ 1, ...others] } })
    },
  ],
] as const)('rejects %s', async (_, watermark) => {
  const { verdict, detail, counterexample } = await verdictOn<never>(watermark() as never)
  expect(verdict, detail).toBe('fails')
  expect(counterexample?.replay).toContain('same key, same result')
})
