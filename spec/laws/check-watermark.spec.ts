import { expect, test } from 'vitest'
import {
  allLaws,
  checkWatermark,
  type LawResult,
  ledger,
  renderFailure,
  renderVerdicts,
} from '../../src/gate/laws/entry.ts'
import { dipmark, gumbel, kgw, ngram, synthid, unwatermarked } from '../../src/index.ts'
import { dip } from '../mutants/bases.ts'
import { claims } from '../mutants/claims.ts'
import { changed, law } from '../mutants/mutant.ts'

/** A watermark that breaks an exact and a sampled law: the mass of half of the tokens times eight, renormalised. */
const wrong = changed(dip(), {
  reweight: (p, { word }, q) => {
    let sum = 0
    for (let i = 0; i < p.length; i++) sum += q[i] = p[i]! * (word(i) >= 2 ** 31 ? 8 : 1)
    for (let i = 0; i < p.length; i++) q[i]! /= sum
  },
})
const by = (results: readonly LawResult[]) => new Map(results.map((result) => [result.law, result]))

test('every law is reported once, in order, also those that do not apply', async () => {
  const seen: string[] = []
  const results = await checkWatermark(kgw({ delta: 0.5 }), {
    effort: 'quick',
    onProgress: (result, done, of) => seen.push(`${done}/${of} ${result.law}`),
  })
  expect(results.map((result) => result.law)).toEqual(allLaws.map(({ name }) => name))
  expect(seen).toEqual(allLaws.map(({ name }, i) => `${i + 1}/${allLaws.length} ${name}`))
})

test('kgw at delta 0.5 is shown biased exactly, on a distribution that a person can read', async () => {
  const laws = [law.orbit, law.keys, law.texts, law.warping, law.biased]
  const results = by(await checkWatermark(kgw({ delta: 0.5 }), { laws }))
  const shown = results.get(law.biased)!
  expect(shown).toMatchObject({ verdict: 'holds', evidence: { kind: 'exact' } })
  expect(shown.counterexample!.p).toEqual(['1/3', '2/3'])
  for (const name of [law.orbit, law.keys, law.texts, law.warping])
    expect(results.get(name)!.verdict).toBe('not applicable')
})

test('three leaves are shown biased by sampling, two leaves are not', async () => {
  const [three] = await checkWatermark(synthid({ leaves: 3 }), { laws: [law.biased] })
  expect(three).toMatchObject({ verdict: 'holds', evidence: { kind: 'sampled' } })
  const [two] = await checkWatermark(changed(synthid(), { unbiased: false }), {
    laws: [law.biased],
    bias: 0.05,
  })
  expect(two).toMatchObject({ verdict: 'fails' })
  expect(two!.detail).toContain('0.05')
})

test('no watermark: nothing to detect; the identity with a detector: a failure', async () => {
  const laws = [law.nullLaw, law.detectable]
  for (const result of await checkWatermark(unwatermarked(), { laws }))
    expect(result.verdict).toBe('not applicable')
  const identity = claims.find(({ name }) => name.startsWith('the identity'))!.watermark
  const [nullLaw, detectable] = await checkWatermark(identity, { laws, miss: 1e-9 })
  expect(nullLaw!.verdict).toBe('holds')
  expect(detectable!.verdict).toBe('fails')
})

test.each([law.orbit, law.keys])('%s: seed and path give the same counterexample again', async (name) => {
  const [first] = await checkWatermark(wrong, { laws: [name] })
  expect(first!.verdict).toBe('fails')
  const { seed, path, p } = first!.counterexample!
  const [again] = await checkWatermark(wrong, { laws: [name], seed, path })
  expect(again).toMatchObject({ verdict: 'fails', detail: first!.detail })
  expect(again!.counterexample!.p).toEqual(p)
  const [whole] = await checkWatermark(wrong, { laws: [name], seed })
  expect(whole!.counterexample).toEqual(first!.counterexample)
})

test('a path leads into the part of a law that it names', async () => {
  const reuse = {
    ...dipmark({ alpha: 0.5, context: ngram(2, { repeated: 'reuse' }) }),
    unbiasedUpTo: undefined,
  }
  const [exact] = await checkWatermark(reuse, { laws: [law.texts] })
  expect(exact!.counterexample!.path).toMatch(/^exact\//)
  const { seed, path } = exact!.counterexample!
  const [again] = await checkWatermark(reuse, { laws: [law.texts], seed, path })
  expect(again!.detail).toBe(exact!.detail)
})

test('a failing law says what, how sure, on which distribution, and how to see it again', async () => {
  const [result] = await checkWatermark(wrong, { laws: [law.keys] })
  const message = renderFailure(wrong, result!)
  const { seed, path, p } = result!.counterexample!
  const share = ledger(allLaws, 1e-9).find((entry) => entry.law === law.keys)!.falseAlarm
  for (const part of [
    wrong.id,
    'over random secret keys the mean of q equals p',
    `fails this law with probability at most ${+share.toPrecision(3)}`,
    'a bias of at least 0.02 passes it with probability at most 0.001',
    'observed bias',
    `[${p!.join(', ')}]`,
    `${seed}, path ${path}`,
    `{ laws: ['${law.keys}'], seed: ${seed}, path: '${path}' }`,
  ])
    expect(message).toContain(part)
})

test('the observed bias is that of the counterexample, not of what it was shrunk from', async () => {
  const [result] = await checkWatermark(wrong, { laws: [law.keys] })
  const { observedBias } = result!.evidence as { observedBias: number }
  expect(result!.detail).toContain(`the mean of q is ${observedBias.toPrecision(3)} away`)
})

test('a mistake that shows on long distributions only is printed short', async () => {
  const long = changed(dip(), {
    reweight: (p, code, q) => {
      dip().reweight(p, code, q)
      if (p.length > 100) q[0]! += 1e-3
    },
  })
  const results = await checkWatermark(long, { laws: [law.distribution, law.orbit] })
  const [distribution, orbit] = results.map((result) => renderFailure(long, result))
  expect(distribution).toMatch(/p: +\[(\d+ times )?[^,]+(, [^,]+){0,11}\] \(101 tokens\)\n/)
  expect(distribution).toContain('q sums to 1 + 1.0e-3')
  expect(orbit).toMatch(
    /the average of q over the orbit is [\d.]+ at token 0, where p is [\d.]+: 0.000500 away/,
  )
})

test('a watermark that throws fails, in its own words', async () => {
  const throwing = changed(gumbel(), {
    choose: () => {
      throw new RangeError('out of tokens')
    },
  })
  for (const result of await checkWatermark(throwing)) {
    if (result.verdict === 'not applicable' || result.law === law.nullLaw || result.law === law.reach)
      continue
    expect(result.verdict, result.law).toBe('fails')
    expect(result.detail).toContain('out of tokens')
  }
})

test('a check can be aborted, and others run meanwhile', async () => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('enough')), 150)
  await expect(checkWatermark(gumbel(), { signal: controller.signal })).rejects.toThrow('enough')
})

test('wrong options are named', async () => {
  await expect(checkWatermark(gumbel(), { bias: 0 })).rejects.toThrow(
    'bias: expected a number in (0, 0.2), got 0',
  )
  await expect(checkWatermark(gumbel(), { falseAlarm: 2 })).rejects.toThrow('falseAlarm')
  await expect(checkWatermark(gumbel(), { seed: 0.5 })).rejects.toThrow('seed')
  await expect(checkWatermark(gumbel(), { laws: ['unbiased'] })).rejects.toThrow("'unbiased, exactly'")
})

test('results print as a table, with counterexamples below', async () => {
  const results = await checkWatermark(wrong, { laws: [law.distribution, law.orbit, law.biased] })
  const table = renderVerdicts(wrong, results)
  expect(table).toMatch(/^plain dip\(0\.4\) mutant\n {2}holds {2}reweight gives a distribution/)
  expect(table).toMatch(/\n {2}FAILS {2}unbiased, exactly\n/)
  expect(table).toMatch(/\n {2}n\/a {4}shown biased +declared unbiased\n/)
  expect(table).toContain('breaks the law "unbiased, exactly"')
})
