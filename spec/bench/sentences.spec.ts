/** Sentences of reports are right for any number of methods: grammar, and no claim that the numbers do not carry. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  agreementSentence,
  auditSentences,
  axesSentence,
  detectabilitySentence,
  type Finding,
  limitedClaims,
  oneShotSentence,
  type Rate,
  repeatedSentence,
  robustnessSentence,
  type Scored,
  scoresSentence,
  spreadSentence,
} from '../../src/bench/sentences.ts'

/** Names that occur in no sentence otherwise, no one part of another: `<a>`, `<b>`, ... */
const named = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<(T & { label: string })[]> =>
  fc
    .array(item, { maxLength: 25 })
    .map((list) => list.map((one, i) => ({ ...one, label: `<${String.fromCharCode(97 + i)}>` })))

const findings = named(fc.record({ unbiased: fc.boolean(), seen: fc.boolean() }))
/** Few values, so that methods share theirs. */
const share = fc.oneof(
  fc.integer({ min: 0, max: 4 }).map((k) => k / 4),
  fc.double({ min: 0, max: 1, noNaN: true }),
)
const rates = named(fc.record({ rate: share }))
const axes = ['unbiasedness', 'detectability', 'robustness'] as const
const scored = named(
  fc.record({ scores: fc.record({ unbiasedness: share, detectability: share, robustness: share }) }),
)

/** What no sentence may be: a wrong number of something, an empty place, a number that is none. */
function wellFormed(sentence: string): void {
  expect(sentence).toMatch(/^[A-Z\d<].*\.$/)
  expect(sentence).not.toMatch(/NaN|undefined|null|Infinity|\[object/)
  expect(sentence).not.toMatch(/ {2}|\(\)|,,|;;|\.\.| [,.;:)]|: *\.|, *\./)
  // one of something has no plural, and others have no singular
  expect(sentence).not.toMatch(/(?<![\d.]|of )1 (\w+ )?(methods|prompts|texts|sentences|pairs)/)
  expect(sentence).not.toMatch(/(?<![\d.])(0|[2-9]|\d{2,}) (\w+ )?(method|prompt|text|sentence|pair)(?!s)\b/)
  expect(sentence).not.toMatch(/\bno (\w+ )?(method|prompt|text|sentence|pair)(?!s)\b/)
  expect(sentence).not.toMatch(/(both|all \d+) \w+ methods (differs|drifts|is)\b/)
  expect(sentence).not.toMatch(/(?<!\d)([2-9]|\d{2,}) of the \d+ \w+ methods (differs|drifts)\b/)
  expect(sentence).not.toMatch(/(?<!\d)(1|none) of the \d+ \w+ methods (differ|drift)\b/)
  expect(sentence).not.toMatch(/ and <\w> (is|has|leads) /)
  expect(sentence).not.toMatch(/(?<!and )<\w> (are|have|lead) /)
}

const namesIn = (text: string): string[] => text.match(/<\w>/g) ?? []

describe('one-shot quality', () => {
  test('is well formed and names exactly the methods that differ, where it names any', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const sentence = oneShotSentence(found, 1e-6)
        wellFormed(sentence)
        const quiet = new Set(found.filter(({ seen }) => !seen).map(({ label }) => label))
        const single = [true, false].filter((kind) => found.filter((f) => f.unbiased === kind).length === 1)
        for (const label of namesIn(sentence))
          expect(!quiet.has(label) || single.includes(found.find((f) => f.label === label)!.unbiased)).toBe(
            true,
          )
        if (found.length === 0) expect(sentence).toContain('no methods were compared')
        if (!found.some(({ seen }) => seen)) expect(sentence).not.toMatch(/\d of the|methods differ\b/)
      }),
    )
  })

  test.each<[string, Finding[], string]>([
    ['none', [], 'no methods were compared'],
    ['one', [{ label: 'mine', unbiased: true, seen: false }], 'the unbiased method mine does not differ'],
    ['one', [{ label: 'mine', unbiased: false, seen: true }], 'the biased method mine differs'],
    [
      'two',
      ['a', 'b'].map((label) => ({ label, unbiased: true, seen: true })),
      'both unbiased methods differ',
    ],
  ])('%s', (_, found, said) => {
    expect(oneShotSentence(found, 1e-6)).toBe(
      `One-shot quality, against no watermark at a family-wise rate of 1e-6: ${said}.`,
    )
  })
})

describe('repeated prompts', () => {
  const design = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 99 }))

  test('is well formed, and claims the theorem only for unbiased methods that drift', () => {
    fc.assert(
      fc.property(findings, design, (found, [prompts, texts]) => {
        const sentence = repeatedSentence(found, prompts, texts)
        wellFormed(sentence)
        const supports = found.some(({ unbiased, seen }) => unbiased && seen)
        expect(sentence.includes('Theorem')).toBe(supports)
        if (found.length === 0) expect(sentence).toContain('no methods were measured')
      }),
    )
  })

  test('eleven unbiased methods without a drift say nothing for Theorem 1', () => {
    const found = Array.from({ length: 11 }, (_, i) => ({ label: `m${i}`, unbiased: true, seen: false }))
    expect(repeatedSentence(found, 1, 32)).toBe(
      'Repeated prompts (1 prompt, 32 texts each, one key, 1% per method): none of the 11 unbiased methods drifts visibly.',
    )
  })
})

describe('detectability', () => {
  test('nobody is both first and last, and nobody who is named has an equal who is not', () => {
    fc.assert(
      fc.property(rates, (list) => {
        const sentence = detectabilitySentence(list, '0.1%')
        wellFormed(sentence)
        if (list.length === 0) expect(sentence).toContain('no methods were tested')
        const [most, least] = sentence.split(' least often')[0]!.split(' most often')
        const [first, last] = [namesIn(most!), namesIn(least ?? '')]
        expect(first.filter((label) => last.includes(label))).toEqual([])
        const rate = (label: string) => list.find((one) => one.label === label)!.rate
        for (const a of first) for (const b of last) expect(rate(a)).toBeGreaterThan(rate(b))
        if (first.length > 0 && last.length > 0)
          for (const { label, rate: own } of list)
            if (!first.includes(label)) for (const a of first) expect(own).toBeLessThan(rate(a))
      }),
    )
  })

  test.each<[number, string]>([
    [0, 'no methods were tested'],
    [1, 'm0 is detected in 100% of texts'],
    [2, 'm0 is detected most often (in 100% of texts), m1 least often (in 50%)'],
    [4, 'm0 and m1 are detected most often (in 100% to 50% of texts), m2 and m3 least often (in 33% to 25%)'],
  ])('%i methods', (count, said) => {
    const list: Rate[] = Array.from({ length: count }, (_, i) => ({ label: `m${i}`, rate: 1 / (i + 1) }))
    expect(detectabilitySentence(list, '1%')).toBe(`Detectability at FPR 1%: ${said}.`)
  })

  test('a crowd at the top is counted, not listed', () => {
    const list: Rate[] = Array.from({ length: 9 }, (_, i) => ({ label: `m${i}`, rate: i < 7 ? 1 : 0 }))
    expect(detectabilitySentence(list, '1%')).toBe(
      'Detectability at FPR 1%: 7 methods are detected most often (in 100% of texts), m7 and m8 least often (in 0%).',
    )
  })
})

describe('robustness, scores, axes', () => {
  test('robustness names the best, all of them', () => {
    fc.assert(
      fc.property(rates, (list) => {
        const sentence = robustnessSentence(list, '1%', 'Random 30%')
        wellFormed(sentence)
        const top = Math.max(...list.map(({ rate }) => rate))
        for (const label of namesIn(sentence)) expect(list.find((one) => one.label === label)!.rate).toBe(top)
        if (list.length === 0) expect(sentence).toContain('no methods were tested')
      }),
    )
  })

  test('scores name who has the highest', () => {
    fc.assert(
      fc.property(scored, (list) => {
        const sentence = scoresSentence(list, axes)
        wellFormed(sentence)
        expect(list.length > 0 || sentence.includes('no methods were measured')).toBe(true)
      }),
    )
  })

  test('"no method leads on all axes" is said exactly where that is so', () => {
    const leadsAll = (one: Scored, list: readonly Scored[]) =>
      axes.every((axis) => list.every((other) => other.scores[axis]! <= one.scores[axis]!))
    fc.assert(
      fc.property(scored, (list) => {
        const sentence = axesSentence(list, axes)
        wellFormed(sentence)
        const leader = list.some((one) => leadsAll(one, list))
        expect(sentence.startsWith('No method leads')).toBe(list.length > 1 && !leader)
        expect(/ leads? on all axes/.test(sentence.replace(/^No method leads.*/, ''))).toBe(
          list.length > 1 && leader,
        )
      }),
    )
  })
})

describe('spread, agreement, audit', () => {
  const deviation = fc.option(
    fc.record({ label: fc.constant('X'), value: fc.oneof(fc.constant(0), fc.constant(Number.NaN), share) }),
    { nil: undefined },
  )

  test('spread says what it knows', () => {
    fc.assert(
      fc.property(deviation, deviation, (a, b) => {
        const sentence = spreadSentence(a, b)
        wellFormed(sentence)
        const known = [a, b].filter((one) => Number.isFinite(one?.value)).length
        expect(sentence.includes('nothing was measured')).toBe(known === 0)
        expect(sentence.includes('the paper says')).toBe(known === 2 && b!.value >= 5e-4)
      }),
    )
  })

  test('agreement without a single correlation says that there is none', () => {
    const rho = fc.record({ rho: share, low: share, high: share })
    const list = fc.tuple(...axes.map(() => fc.option(rho, { nil: undefined })))
    fc.assert(
      fc.property(list, (rhos) => {
        const said = axes.map((label, i) => ({ label, ...(rhos[i] ? { rho: rhos[i] } : {}) }))
        const sentence = agreementSentence(said)
        wellFormed(sentence)
        expect(sentence.includes('ρ')).toBe(rhos.some((one) => one !== undefined))
      }),
    )
  })

  test('the audit counts', () => {
    const count = fc.integer({ min: 0, max: 30 })
    fc.assert(
      fc.property(count, count, count, (broken, fail, more) => {
        const scores = axes.map((axis) => ({ axis, agree: fail, all: fail + more }))
        for (const sentence of auditSentences(scores, broken, { fail, all: fail + more }))
          wellFormed(sentence)
      }),
    )
  })
})

test('claims that end at a length are said, and nothing where there are none', () => {
  const all = { label: 'A', unbiased: true }
  const biased = { label: 'B', unbiased: false, unbiasedUpTo: 3 }
  expect(limitedClaims([all, biased])).toEqual([])
  expect(
    limitedClaims([
      { label: 'C', unbiased: true, unbiasedUpTo: 256 },
      all,
      { label: 'D', unbiased: true, unbiasedUpTo: 1 },
      { label: 'E', unbiased: true, unbiasedUpTo: 256 },
    ]),
  ).toEqual([
    'D claims to be unbiased on texts of at most 1 token: beyond that codes are used again.',
    'C and E claim to be unbiased on texts of at most 256 tokens: beyond that codes are used again.',
  ])
})
