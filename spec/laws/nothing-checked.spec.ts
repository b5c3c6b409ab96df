/** A check that tried nothing is an error, never a pass; and no watermark can spoil the check of another. */
import { expect, test } from 'vitest'
import { settingsOf, trialOf } from '../../src/gate/laws/check.ts'
import { allLaws, checkWatermark } from '../../src/gate/laws/entry.ts'
import { shownBiasedLaw } from '../../src/gate/laws/shown-biased.ts'
import { dipmark, gumbel, ngram } from '../../src/index.ts'
import { dip, sta } from '../mutants/bases.ts'
import { changed, law } from '../mutants/mutant.ts'

test('an empty selection of laws is an error', async () => {
  await expect(checkWatermark(gumbel(), { laws: [] })).rejects.toThrow('laws: expected at least one')
})

test.each(['999999999999', 'nowhere/3', 'few', 'few/', 'few/0:9999', '-1', '0:1:2:3:4:5:6', 'exact/0'])(
  'the path %s leads nowhere: an error',
  async (path) => {
    const options = { seed: 1, path }
    await expect(checkWatermark(gumbel(), { ...options, laws: [law.orbit] })).rejects.toThrow(
      `path: expected a path that leads to a case of '${law.orbit}', got`,
    )
    if (path.startsWith('few') || path.startsWith('nowhere'))
      await expect(
        checkWatermark(gumbel(), { ...options, laws: [law.orbit, law.distribution] }),
      ).rejects.toThrow('path: expected a path that leads to a case of a law')
  },
)

test('a path that leads into one law of several: the others did not apply', async () => {
  const reuse = {
    ...dipmark({ alpha: 0.5, context: ngram(2, { repeated: 'reuse' }) }),
    unbiasedUpTo: undefined,
  }
  const laws = [law.orbit, law.texts]
  const [, texts] = await checkWatermark(reuse, { laws, seed: 1 })
  const { path } = texts!.counterexample!
  const [orbit, again] = await checkWatermark(reuse, { laws, seed: 1, path })
  expect(orbit).toMatchObject({
    verdict: 'not applicable',
    detail: expect.stringContaining('no case of this law'),
  })
  expect(again).toMatchObject({ verdict: 'fails', detail: texts!.detail })
})

test('a path replays one value, also where it passes', async () => {
  const [result] = await checkWatermark(dip(), { laws: [law.orbit], seed: 1, path: 'few/3' })
  expect(result).toMatchObject({ verdict: 'holds', evidence: { cases: 1 } })
})

test('a law that names no path replays as a whole', async () => {
  const [result] = await checkWatermark(gumbel(), { laws: [law.detectable], seed: 1, path: '' })
  expect(result!.verdict).toBe('holds')
})

const poisonous = (isPoisoned: (p: Float64Array) => boolean) =>
  changed(sta(), {
    reweight: (p, code, q) => {
      sta().reweight(p, code, q)
      if (isPoisoned(p)) p[0] = p[0]! / 2
    },
  })

test('a watermark that writes into p is reported, and the next one is judged rightly', async () => {
  const results = await checkWatermark(
    poisonous(() => true),
    { effort: 'quick' },
  )
  const of = (name: string) => results.find((result) => result.law === name)!
  for (const name of [law.distribution, law.deterministic, law.orbit, law.honest, law.keys]) {
    expect(of(name).verdict, name).toBe('fails')
    expect(of(name).detail).toContain('p: not to be touched, but the watermark changed p[0] from')
  }
  for (const { law: name, verdict } of await checkWatermark(sta(), { effort: 'quick' }))
    expect(verdict, name).not.toBe('fails')
})

test('so is one that writes into p where the vocabulary is large', async () => {
  const [result] = await checkWatermark(
    poisonous((p) => p.length > 32_768),
    { laws: [law.distribution] },
  )
  expect(result!.detail).toContain('p: not to be touched')
  expect(result!.counterexample!.also).toMatch(/^p = distributionOf\(\{ shape: '[a-z-]+', vocabSize: 50257/)
})

test('an orbit cannot spoil p either', async () => {
  const spoils = changed(dip(), {
    orbit: (code, p) => {
      p.fill(0)
      return dip().orbit!(code, p)
    },
  })
  const [result] = await checkWatermark(spoils, { laws: [law.orbit] })
  expect(result!.verdict).toBe('holds')
})

test.each([
  ['everywhere', () => true],
  ['for one word in a thousand', (_: number, word: number) => word % 1024 === 0],
  ['on large vocabularies', (size: number) => size > 1000],
] as const)('NaN in q %s fails', async (_, isWrong) => {
  const wrong = changed(sta(), {
    reweight: (p, code, q) => {
      sta().reweight(p, code, q)
      if (isWrong(p.length, code.word(7))) q[p.length - 1] = Number.NaN
    },
    orbit: undefined,
  })
  const [result] = await checkWatermark(wrong, { laws: [law.keys] })
  expect(result!.verdict).toBe('fails')
  expect(result!.detail).toMatch(/q\[\d+\] is NaN, no probability/)
})

test('a score that is NaN fails', async () => {
  const wrong = changed(dip(), { score: (token, code) => (code.word(token) % 64 === 0 ? Number.NaN : 1) })
  const [result] = await checkWatermark(wrong, { laws: [law.honest] })
  expect(result).toMatchObject({ verdict: 'fails', detail: expect.stringContaining('NaN') })
})

test('a mean that is NaN shows no bias', async () => {
  const nothing = changed(dip(), {
    unbiased: false,
    reweight: (_, __, q) => q.fill(Number.NaN),
    orbit: undefined,
  })
  const trial = trialOf(allLaws.find(({ name }) => name === law.biased)!, settingsOf({ effort: 'quick' }))
  expect(await shownBiasedLaw.check(nothing, trial)).toMatchObject({
    verdict: 'fails',
    detail: expect.stringContaining('NaN'),
  })
})

test('unknown efforts are named', async () => {
  await expect(checkWatermark(gumbel(), { effort: 'little' as never })).rejects.toThrow('effort')
})
