/** Sentences of reports are right for any tables: grammar, and no claim that the numbers do not carry. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  agreementSentences,
  auditSentences,
  axesSentences,
  detectabilitySentences,
  falsePositivesSentences,
  leaders,
  limitedClaims,
  oneShotSentences,
  repeatedSentences,
  robustnessSentences,
  type Said,
  scoresSentences,
  spreadSentences,
  type Told,
} from '../../src/bench/protocols/sentences.ts'
import type { Row, Table, Value } from '../../src/bench/report/report.ts'
import { derived, exact, proportion, text } from '../../src/bench/report/values.ts'

const axes = ['unbiasedness', 'detectability', 'robustness'] as const

/** What no sentence may be: a wrong number of something, an empty place, a number that is none. */
function wellFormed({ summary, headline }: Said): string[] {
  for (const sentence of [...summary, ...(headline ? [headline.sentence] : [])]) {
    expect(sentence).toMatch(/^[A-Z\d<].*\.$/)
    expect(sentence).not.toMatch(/NaN|undefined|null|Infinity|\[object/)
    expect(sentence).not.toMatch(/ {2}|\(\)|,,|;;|\.\.| [,.;:)]|: *\.|, *\./)
    expect(sentence).not.toMatch(/(?<![\d.]|of )1 (\w+ )?(methods|prompts|texts|pairs)/)
    expect(sentence).not.toMatch(/\bno (\w+ )?(method|prompt|text|pair)(?!s)\b/)
    expect(sentence).not.toMatch(/(both|all \d+) \w+ methods (differs|drifts|is)\b/)
    expect(sentence).not.toMatch(/(?<!\d)([2-9]|\d{2,}) of the \d+ \w+ methods (differs|drifts)\b/)
    expect(sentence).not.toMatch(/(?<!\d)(1|none) of the \d+ \w+ methods (differ|drift)\b/)
    expect(sentence).not.toMatch(/\b(impossible|never|cannot)\b/)
  }
  return [...summary]
}

/** Names that occur in no sentence otherwise, no one part of another: `<a>`, `<b>`, ... */
const namesIn = (sentence: string): string[] => sentence.match(/<\w>/g) ?? []

const rowOf = (i: number, biased: boolean, cells: Row['cells'], nominal = false): Row => ({
  id: `m${i}`,
  label: `<${String.fromCharCode(97 + i)}>`,
  family: 'm',
  ...(biased ? { biased: true } : {}),
  ...(nominal ? { nominal: true } : {}),
  cells,
})
const tableWith = (id: string, rows: readonly Row[], columns: Table['columns'] = []): Table => ({
  id,
  title: id,
  columns,
  rows,
})
const told = (...tables: Table[]): Told => ({ tables, charts: [] })

const rate: fc.Arbitrary<Value> = fc
  .integer({ min: 1, max: 60 })
  .chain((n) => fc.integer({ min: 0, max: n }).map((hits) => proportion(hits, n)))
const rows = (cells: fc.Arbitrary<Row['cells']>) =>
  fc
    .array(fc.record({ biased: fc.boolean(), nominal: fc.boolean(), cells }), { maxLength: 20 })
    .map((list) => list.map((one, i) => rowOf(i, one.biased, one.cells, one.nominal)))

describe('a winner', () => {
  test('is named only where its joint interval is above every other', () => {
    fc.assert(
      fc.property(rows(rate.map((tpr01) => ({ tpr01 }))), (list) => {
        const [first] = wellFormed(detectabilitySentences(told(tableWith('table3', list))))
        const own = list.filter((row) => !row.nominal)
        const best = leaders(own, 'tpr01')
        if (own.length === 0) expect(first).toContain('no methods were tested')
        else if (best.length === 1) expect(namesIn(first!)).toEqual([best[0]!.label])
        else expect(first).toContain(`the ${best.length} methods with the highest rates`)
        const top = best[0]?.cells.tpr01 as (Value & { low: number }) | undefined
        for (const row of own)
          if (best.length === 1 && row !== best[0])
            expect((row.cells.tpr01 as { value: number }).value).toBeLessThan(top!.low)
      }),
    )
  })

  test('equal methods are not distinguishable, and a clear one is', () => {
    const list = [0, 1, 2].map((i) => rowOf(i, false, { a: proportion(i === 0 ? 99 : 50, 100) }))
    expect(leaders(list, 'a').map(({ label }) => label)).toEqual(['<a>'])
    expect(leaders(list.slice(1), 'a')).toHaveLength(2)
  })

  test.each(['Random 30%', 'Reword'])('after %s', (label) => {
    const column = { id: 'x', label, group: "the paper's attacks", unit: 'percent' as const }
    fc.assert(
      fc.property(rows(rate.map((x) => ({ x }))), (list) => {
        const tables = told(tableWith('robustness-1', list, [column]))
        wellFormed(robustnessSentences(tables, { id: '1', label: '1%' }, true))
      }),
    )
  })

  test('of scores', () => {
    const cells = fc.record({ unbiasedness: rate, detectability: rate, robustness: rate })
    fc.assert(
      fc.property(rows(cells), (list) => {
        wellFormed(scoresSentences(told(tableWith('table7', list)), axes))
      }),
    )
  })
})

describe('one-shot quality and drift', () => {
  const p = fc.constantFrom(1e-9, 0.001, 0.02, 1)

  test('count the methods below the level, and name no others', () => {
    fc.assert(
      fc.property(rows(p.map((adjusted) => ({ adjusted: derived(adjusted) }))), (list) => {
        const [sentence] = wellFormed(oneShotSentences(told(tableWith('table1', list))))
        const seen = list.filter((row) => (row.cells.adjusted?.value as number) <= 0.01)
        const single = [true, undefined].flatMap((biased) => {
          const own = list.filter((row) => row.biased === biased)
          return own.length === 1 ? [own[0]!.label] : []
        })
        for (const label of namesIn(sentence!))
          expect(single.includes(label) || seen.some((row) => row.label === label)).toBe(true)
        if (list.length === 0) expect(sentence).toContain('no methods were compared')
      }),
    )
  })

  test('a theorem is claimed only for unbiased methods that drift', () => {
    fc.assert(
      fc.property(rows(p.map((value) => ({ m: exact(1), 'm p': derived(value) }))), (list) => {
        const column = { id: 'm p', label: 'p', unit: 'p-value' as const }
        const tables = told(tableWith('table2', list), tableWith('detwmk', list, [column]))
        const [sentence] = wellFormed(repeatedSentences(tables))
        const supports = list.some((row) => !row.biased && (row.cells['m p']?.value as number) <= 0.01)
        expect(sentence!.includes('Theorem')).toBe(supports)
      }),
    )
  })
})

test('false positives: a guaranteed test is said to be above its rate exactly where its interval is', () => {
  const column = { id: 'x5', label: 'at 5%', group: 'human-written text', unit: 'percent' as const }
  fc.assert(
    fc.property(rows(rate.map((x5) => ({ x5 }))), (list) => {
      const summary = wellFormed(falsePositivesSentences(told(tableWith('false-positives', list, [column]))))
      const own = list.filter((row) => !row.nominal)
      const above = own.filter((row) => (row.cells.x5 as Value & { low: number }).low > 0.05)
      if (own.length > 0) expect(summary[1]!.startsWith('No guaranteed test')).toBe(above.length === 0)
    }),
  )
})

test('axes, spread, agreement and audit say what they know', () => {
  for (const say of [axesSentences, spreadSentences, agreementSentences]) wellFormed(say(told()))
  wellFormed(auditSentences(told(), axes))
  const apart = (count: number) =>
    told(
      tableWith('told-apart', [
        { id: 'one-shot', label: '', family: '', cells: { apart: derived(count), all: exact(3) } },
        { id: 'robustness', label: '', family: '', cells: { apart: derived(1), all: exact(3) } },
      ]),
    )
  expect(wellFormed(axesSentences(apart(0)))[0]).toMatch(/^No unbiased method can be told/)
  expect(wellFormed(axesSentences(apart(2)))[0]).toMatch(/^2 of 3 unbiased methods/)
  const verdict = (value: string): Row => ({
    id: value,
    label: value,
    family: '',
    cells: { verdict: text(value) },
  })
  const claims = ['holds', 'fails', 'not checkable', 'fails as printed, holds recomputed'].map(verdict)
  const said = wellFormed(auditSentences(told(tableWith('audit-claims', claims)), axes))
  expect(said.at(-1)).toContain('decide 3: 1 fails as printed and recomputed, 1 in one reading only')
})

test('claims that end at a length are said, and nothing where there are none', () => {
  const all = { label: 'A', unbiased: true }
  const biased = { label: 'B', unbiased: false, unbiasedUpTo: 3 }
  expect(limitedClaims([all, biased])).toEqual([])
  expect(limitedClaims([{ label: 'C', unbiased: true, unbiasedUpTo: 256 }, all])).toEqual([
    'C claims to be unbiased on texts of at most 256 tokens: beyond that codes are used again.',
  ])
})
