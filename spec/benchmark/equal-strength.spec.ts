/** Beside the paper's experiments: methods compared at one strength. Nothing is generated, and everything follows from recorded distributions. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { digestOf, type Json } from '../../src/bench/cell.ts'
import { codeOf } from '../../src/bench/code.ts'
import { cell, openStore, type Report, writeReport } from '../../src/bench/index.ts'
import { stepLaw } from '../../src/theory/step-law.ts'
import { toMatchReport } from '../../src/vitest/to-match-report.ts'
import { kgw } from '../../src/watermarks/index.ts'
import { equalStrength, models } from './equal-strength.ts'
import { tiltedMean } from './tilted-mean.ts'

expect.extend({ toMatchReport })

test.each([0, 0.5, 2, 6])(
  'the mean over green sets in closed form is that of all sets: delta %d',
  (delta) => {
    const p = Float64Array.of(0.7, 0.2, 0.06, 0.04, 0)
    const { mean, green } = tiltedMean(p, delta, 1 / 2)
    const { members } = stepLaw(kgw({ delta }), p)
    for (const [x, mass] of mean.entries())
      expect(mass).toBeCloseTo(
        members.reduce((sum, { q, weight }) => sum + weight * q[x]!, 0),
        10,
      )
    const boost = Math.exp(delta)
    let chance = 0
    for (let set = 0; set < 16; set++) {
      const mass = p.slice(0, 4).reduce((sum, share, i) => sum + ((set >> i) & 1) * share, 0)
      chance += (boost * mass) / (1 + (boost - 1) * mass) / 16
    }
    expect(green).toBeCloseTo(chance, 10)
  },
)

/** From the store, as the cells of other reports, unless code or data have changed. */
function stored(): Report {
  const data = models.map((name) =>
    digestOf(readFileSync(new URL(`../../fixtures/steps/${name}.json`, import.meta.url), 'utf8')),
  )
  const code = codeOf(new URL('./equal-strength.ts', import.meta.url).href)
  const address = cell('equal strength', { data }, { code })
  const store = openStore()
  if (!store.has(address)) store.write(address, equalStrength() as unknown as Json)
  return store.read(address) as unknown as Report
}

test('Equal strength', { tags: ['equalStrength'] }, async () => {
  const report = stored()
  for (const { rows } of report.tables) {
    const perplexity = rows.map(({ cells }) => (cells.perplexity as { value: number } | undefined)?.value)
    // the biased methods are the first two
    for (const [i, value] of perplexity.entries()) if (value !== undefined) expect(value > 0).toBe(i < 2)
  }
  await writeReport(report, process.env.UWBENCH_REPORTS || 'reports')
  await expect(report).toMatchReport({ falseAlarm: 1e-4 })
})
