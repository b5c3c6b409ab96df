import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { figure } from '../throughput/measure.ts'
import { type Section, writeThroughput } from '../throughput/report.ts'

const samples = (above: number, rounds: number): number[] =>
  Array.from({ length: rounds }, (_, i) => (i < above ? 2.1 : 1.9))

test('a bound is broken when more rounds exceed it than chance explains', () => {
  // P(Bin(101, 1/2) >= k) <= 1e-9 / 200 first at k = 84
  expect(figure('half', samples(50, 101), 2).broken).toBe(false)
  expect(figure('most', samples(83, 101), 2).broken).toBe(false)
  expect(figure('nearly all', samples(84, 101), 2).broken).toBe(true)
  expect(figure('all of 41', samples(41, 41), 2).broken).toBe(true)
  expect(figure('all, no bound', samples(41, 41)).broken).toBe(false)
})

test('the report names every figure, its time and what became of its bound', async () => {
  const entry = (row: string, above: number) => ({
    row,
    column: 'V = 50257',
    figure: figure(row, samples(above, 101), 2),
    times: [0.25, 0.25],
  })
  const titles = [
    'One step',
    'Detection of 500 tokens',
    'A corpus',
    'Per text',
    'Edit tests',
    'Metrics',
    'Growth',
  ]
  const sections: Section[] = titles.map((title) => ({
    title,
    unit: 'softmaxes',
    entries: [entry('kept()', 3), entry('noisy()', 60), entry('slow()', 101)],
  }))
  const folder = mkdtempSync(join(tmpdir(), 'throughput-'))
  try {
    await writeThroughput(sections, new Map([[50_257, { run: () => void Math.sqrt(2) }]]), folder)
    const text = readFileSync(join(folder, 'throughput.md'), 'utf8')
    expect(text).toContain('250 us; bound 2: kept')
    expect(text).toContain('250 us; bound 2: above, within noise')
    expect(text).toContain('250 us; bound 2: BROKEN')
    expect(text).toContain('21 figures, 21 with a bound: 7 break it, 14 have a median above it.')
    expect(JSON.parse(readFileSync(join(folder, 'throughput.json'), 'utf8')).tables).toHaveLength(7)
    expect(readFileSync(join(folder, 'throughput.svg'), 'utf8')).toContain('<svg')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
