import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { cell } from '../../src/bench/cells/cell.ts'
import { Costs, kindOf } from '../../src/bench/cells/estimate.ts'
import { progress } from '../../src/bench/cells/progress.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-estimate-'))
afterAll(() => rmSync(root, { recursive: true }))

describe('what cells cost', () => {
  test('is measured by kind, and kept for the next run', () => {
    const costs = new Costs(root)
    costs.add('generate', 1000, 5)
    costs.add('generate', 1000, 7)
    expect(costs.seconds('generate', 100)).toBeCloseTo(0.6)
    costs.save()
    expect(new Costs(root).seconds('generate', 100)).toBeCloseTo(0.6)
  })

  test('a kind that was never measured is as much slower as the others are', () => {
    const [fast, slow] = [new Costs(join(root, 'none')), new Costs(join(root, 'none'))]
    const usual = fast.seconds('generate', 1)
    slow.add('generate', 1000, 1000 * usual * 7)
    expect(slow.seconds('measure', 10) / fast.seconds('measure', 10)).toBeCloseTo(7)
  })

  test('a file that is no such file is ignored', () => {
    writeFileSync(join(root, 'costs.json'), '{ "generate": { "units": "x" } }')
    expect(new Costs(root).seconds('generate', 1)).toBe(new Costs(join(root, 'none')).seconds('generate', 1))
  })

  test('alignment tests and rewriting are kinds of their own', () => {
    expect(kindOf(cell('detect', { runs: 19 }))).toBe('detect by alignment')
    expect(kindOf(cell('detect', {}))).toBe('detect')
    expect(kindOf(cell('attack', { attack: 'rewrite(strength=0.6)' }))).toBe('attack rewrite')
    expect(kindOf(cell('attack', { attack: 'replace(rate=0.1)' }))).toBe('attack')
  })
})

test('after the first minute of half an hour the estimate is within a factor of 1.5', () => {
  // kinds come one after the other; this machine is four times slower, each kind by a factor of its own
  const random = seededRandom('estimate')
  const kinds = ['generate', 'measure', 'detect', 'attack rewrite', 'detect by alignment', 'repeat']
  const costs = new Costs(join(root, 'none'))
  const cells = kinds.flatMap((kind) => {
    const factor = 4 * (0.8 + 0.4 * random.uniform())
    return Array.from({ length: 60 }, () => {
      const units = (5 * (0.5 + random.uniform())) / (4 * new Costs(join(root, 'none')).seconds(kind, 1))
      return { kind, units, seconds: factor * new Costs(join(root, 'none')).seconds(kind, units) }
    })
  })
  let [time, left] = [0, cells.reduce((sum, { seconds }) => sum + seconds, 0)]
  expect(left).toBeGreaterThan(1500)
  for (const [i, { kind, units, seconds }] of cells.entries()) {
    time += seconds
    left -= seconds
    costs.add(kind, units, seconds)
    const rest = cells.slice(i + 1)
    const estimate = rest.reduce((sum, one) => sum + costs.seconds(one.kind, one.units), 0)
    if (time < 60 || rest.length === 0) continue
    expect(estimate / left).toBeLessThan(1.5)
    expect(estimate / left).toBeGreaterThan(1 / 1.5)
  }
})

test('a line says what is left of this report and of all', () => {
  const written: string[] = []
  let clock = 0
  const line = progress({
    title: 'table3',
    cells: 2,
    cost: 100,
    stream: { write: (text) => written.push(text) },
    now: () => clock,
    every: 0,
    others: () => 600,
  })
  clock = 10_000
  line.done('kgw', 50, 30)
  expect(written.at(-1)).toBe('table3: 1/2 cells, 25%, 0.1 cells/s, 30 s left, 11 min for all reports\n')
})
