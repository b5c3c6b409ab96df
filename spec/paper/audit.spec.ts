import { describe, expect, test } from 'vitest'
import { canBe } from '../../src/bench/paper/audit/counts.ts'
import { audit } from '../../src/bench/paper/audit/index.ts'
import { figure } from '../../src/bench/paper/figure.ts'
import type { Row } from '../../src/bench/paper/methods.ts'
import { auditJson, auditMarkdown } from '../../src/bench/paper/render.ts'
import type { PublishedTable } from '../../src/bench/paper/table.ts'
import { publishedTables } from '../../src/bench/paper/tables/index.ts'

/** A table with one figure printed otherwise. */
function withFigure<C extends string>(
  table: PublishedTable<C>,
  method: Row,
  column: NoInfer<C>,
  printed: string,
) {
  const unit = table.columns[column]
  const rows = table.rows.map((row) =>
    row.method === method ? { ...row, figures: { ...row.figures, [column]: figure(printed, unit) } } : row,
  )
  return { ...table, rows } as PublishedTable<C>
}

describe('the audit of the published tables', () => {
  const published = audit()

  test('reproduces every unbiasedness and robustness score, and one of 19 detectability scores', () => {
    expect(published.summary).toEqual({
      unbiasedness: { agrees: 19, rounding: 0, disagrees: 0 },
      detectability: { agrees: 1, rounding: 0, disagrees: 18 },
      robustness: { agrees: 19, rounding: 0, disagrees: 0 },
    })
    const agreeing = published.scores.filter((c) => c.axis === 'detectability' && c.agreement === 'agrees')
    expect(agreeing.map((c) => c.method)).toEqual(['kgw(delta=1.5)'])
  })

  test('notices one changed digit in any input of a score', () => {
    const { attackedAt5, oneShot } = publishedTables
    const robust = withFigure(attackedAt5, 'synthid', 'Random 30%', '33.13%') // 23.13%
    expect(audit({ ...publishedTables, attackedAt5: robust }).summary.robustness.disagrees).toBe(1)
    const baseline = withFigure(oneShot, 'none', 'translation BLEU', '21.1681') // every row leans on this one
    expect(audit({ ...publishedTables, oneShot: baseline }).summary.unbiasedness.disagrees).toBeGreaterThan(
      15,
    )
  })

  test('tells a rounded input from a wrong one', () => {
    // 0.051 recomputes to 0.05053; 0.050 is printed when the inputs happened to be rounded up
    const scores = withFigure(publishedTables.scores, 'dipmark(alpha=0.3)', 'robustness', '0.050')
    const tally = audit({ ...publishedTables, scores }).summary.robustness
    expect(tally).toEqual({ agrees: 18, rounding: 1, disagrees: 0 })
  })

  test('asks for a median p-value that makes the score agree', () => {
    const cell = published.scores.find((c) => c.method === 'synthid' && c.axis === 'detectability')!
    const p = cell.medianP!.implied.toExponential(2)
    const detection = withFigure(publishedTables.detection, 'synthid', 'median p-value', p)
    expect(audit({ ...publishedTables, detection }).summary.detectability.agrees).toBe(2)
  })

  test('finds a TPR that falls with the false-positive rate', () => {
    expect(published.orders[1]!.violations).toEqual([])
    const attackedAt1 = withFigure(publishedTables.attackedAt1, 'sta1', 'DIPPER', '9.29%')
    const found = audit({ ...publishedTables, attackedAt1 }).orders[1]!.violations
    expect(found.map((v) => [v.method, v.small.what])).toEqual([['sta1', 'DIPPER at 1%']])
  })

  test('finds the rates that rise under attack', () => {
    const { violations } = published.orders[3]!
    expect(violations).toHaveLength(17)
    expect(violations.filter((v) => v.chance < 1e-3).map((v) => v.method)).toEqual(
      Array(3).fill('unigram(delta=0.5)'),
    )
  })

  test('finds that the printed medians contradict the printed TPRs', () => {
    expect(published.medians.filter((m) => !m.printedFits)).toHaveLength(10)
    expect(published.medians.filter((m) => !m.impliedFits).map((m) => m.method)).toEqual(['itsEdit'])
  })

  test('finds how many texts the attacked rates come from', () => {
    expect(published.counts.with1000).toBe(0)
    expect(published.counts.best).toEqual({ texts: 960, cells: 55 })
    expect(published.counts.cells.every((c) => c.possible.length > 0)).toBe(true)
    expect(canBe(figure('0.10%', 'percent'), 960)).toBe(true) // 1/960 = 0.104%
    expect(canBe(figure('0.15%', 'percent'), 960)).toBe(false) // between 1/960 and 2/960
  })

  test('lists what the text says and the tables do not', () => {
    const verdict = (start: string) => published.claims.find((c) => c.claim.startsWith(start))!.verdict
    expect(verdict('Unigram (δ=2) attains')).toBe('holds')
    expect(verdict('MCmark variants and SynthID have detectability')).toBe('fails')
    expect(verdict('... despite relatively low detectability')).toBe('holds as printed, fails recomputed')
    expect(verdict('The standard deviation of p-values under DIPPER')).toBe('not checkable')
  })

  test('is what reports/ holds', async () => {
    await expect(auditMarkdown(published)).toMatchFileSnapshot('../../reports/audit.md')
    await expect(auditJson(published)).toMatchFileSnapshot('../../reports/audit.json')
  })
})
