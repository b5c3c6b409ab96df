import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readable, scaleOf } from '../../src/bench/report/chart/scale.ts'
import { toSvg } from '../../src/bench/report/chart/svg.ts'
import type { Axis, Chart } from '../../src/bench/report/report.ts'
import { sample } from './sample.ts'

/** Ends of an axis, either way round. */
const domain = (low: number, high: number) =>
  fc
    .tuple(fc.double({ min: low, max: high, noNaN: true }), fc.double({ min: low, max: high, noNaN: true }))
    .filter(([a, b]) => Math.abs(a - b) > 1e-3 * Math.max(Math.abs(a), Math.abs(b)))
    .filter(([a, b]) => low > 0 || Math.abs(a - b) > 1e-9)
const range = fc.constantFrom<[number, number]>([0, 500], [500, 0], [64, 900])

describe('scales', () => {
  test.each(['linear', 'log'] as const)('%s: ends go to ends and order is kept, downward too', (scale) => {
    const ends = scale === 'log' ? domain(1e-12, 1e6) : domain(-1e3, 1e3)
    fc.assert(
      fc.property(ends, range, fc.double({ min: 0, max: 1, noNaN: true }), (domain, range, t) => {
        const at = scaleOf([], { label: '', scale, domain }, range)
        expect(at(domain[0])).toBeCloseTo(range[0], 6)
        expect(at(domain[1])).toBeCloseTo(range[1], 6)
        const between = domain[0] + t * (domain[1] - domain[0])
        const [low, high] = [Math.min(...range), Math.max(...range)]
        expect(at(between)).toBeGreaterThanOrEqual(low - 1e-9)
        expect(at(between)).toBeLessThanOrEqual(high + 1e-9)
        // further along the domain is further along the range
        const further = domain[0] + Math.min(1, t + 0.1) * (domain[1] - domain[0])
        expect(Math.sign(range[1] - range[0]) * (at(further) - at(between))).toBeGreaterThanOrEqual(-1e-9)
      }),
    )
  })

  test('values outside stop at the nearest end, whichever way the axis runs', () => {
    const down = scaleOf([], { label: '', domain: [20, 0] }, [0, 100])
    expect([25, 20, 15, 1, 0, -3].map(down)).toEqual([0, 0, 25, 95, 100, 100])
  })

  test.each(['linear', 'log'] as const)('%s: one to twenty ticks, all inside', (scale) => {
    const ends = scale === 'log' ? domain(1e-12, 1e6) : domain(-1e3, 1e3)
    fc.assert(
      fc.property(ends, (domain) => {
        const { ticks } = scaleOf([], { label: '', scale, domain }, [0, 1])
        const [low, high] = [Math.min(...domain), Math.max(...domain)]
        const slack = 1e-6 * (high - low)
        expect(ticks.length).toBeLessThanOrEqual(20)
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(low - slack)
          expect(tick).toBeLessThanOrEqual(high + slack)
        }
        // a log axis within a single step of 1, 2, 5 may have none
        if (scale === 'linear' || high / low > 2.5) expect(ticks.length).toBeGreaterThan(0)
      }),
    )
  })

  test('numbers as people read them', () => {
    const percent: Axis = { label: '', percent: true }
    expect([0.123, 1].map((x) => readable(x, percent))).toEqual(['12.3%', '100%'])
    expect([0, 0.5, 12345, 38960, 1e-12, 2.5e7].map((x) => readable(x))).toEqual([
      '0',
      '0.5',
      '12345',
      '38960',
      '1e-12',
      '2.5e7',
    ])
  })
})

const charts = sample.charts.map((chart) => [chart.kind, chart] as const)

describe('charts as SVG', () => {
  test.each(charts)('%s: drawn, reproducible, with what it shows in words', (_, chart: Chart) => {
    const svg = toSvg(chart)
    expect(svg).toMatch(/^<svg [\s\S]*<\/svg>$/)
    expect(svg).toContain(`>${chart.title}</title>`)
    expect(svg).toMatch(/<desc id="[\w-]+">[^<]{40,}<\/desc>/)
    expect(svg).not.toMatch(/NaN|undefined|Infinity/)
    for (const name of ['KGW(δ=0.5)', 'KGW(δ=2.0)', 'SynthID'])
      expect(svg.split(name).length).toBeGreaterThan(2)
    expect(toSvg(chart)).toBe(svg)
  })

  test.each(charts)('%s: a page and a file differ in colours and focus, not in shapes', (_, chart) => {
    const look = {
      ink: 'var(--ink)',
      soft: 'var(--soft)',
      faint: 'var(--faint)',
      grid: 'var(--grid)',
      ground: 'var(--card)',
      colour: () => 'var(--family)',
      shape: () => 'circle' as const,
      className: () => 'f-0',
    }
    const page = toSvg(chart, { look, page: 'p' })
    expect(page).not.toMatch(/#[0-9a-f]{6}/)
    expect(page).toContain('class="mark f-0" aria-label=')
    expect(page).not.toContain('style=')
    const file = toSvg(chart)
    expect(file).not.toContain('var(')
    expect(file).not.toContain('tabindex')
  })

  test('an axis that runs downward has its first place on top', () => {
    const axis = { label: 'place', domain: [3.5, 0.5] as const, ticks: [1, 2, 3] }
    const points = [1, 2, 3].map((place) => ({ label: `m${place}`, family: 'kgw', x: place, y: place }))
    const svg = toSvg({ id: 'c', kind: 'scatter', title: 'T', x: axis, y: axis, points })
    const at = [...svg.matchAll(/translate\(([\d.]+) ([\d.]+)\)"/g)].map(([, x, y]) => [Number(x), Number(y)])
    const [first, second, third] = at.filter(([x]) => x! > 20) as [number, number][]
    expect(first![1]).toBeLessThan(second![1]!)
    expect(second![1]).toBeLessThan(third![1]!)
    expect(first![0]).toBeGreaterThan(third![0]!)
  })

  test('charts without data are drawn all the same', () => {
    const base = { id: 'c', title: 'T', x: { label: 'x' }, y: { label: 'y', scale: 'log' as const } }
    const empty: Chart[] = [
      { ...base, kind: 'scatter', points: [] },
      { ...base, kind: 'lines', series: [] },
      { ...base, kind: 'boxes', boxes: [] },
      { ...base, kind: 'bars', bars: [] },
    ]
    for (const chart of empty) expect(toSvg(chart)).not.toMatch(/NaN|Infinity|undefined/)
  })
})
