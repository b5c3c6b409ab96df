/** How often a marked stretch of a text is found, by way of search: reports/stretches.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import type { WindowDetectorOptions } from '../../src/index.ts'
import { ofBits } from '../detect/of-bits.ts'

const [LENGTH, TEXTS, ALPHA] = [1000, 2000, 0.01]
const DRIFTS = [9 / 16, 5 / 8, 3 / 4]
const stretches = [
  { length: 24, rate: 0.95 },
  { length: 50, rate: 0.8 },
  { length: 100, rate: 0.7 },
  { length: 300, rate: 0.6 },
]

/** Fair bits, but for a stretch that begins anywhere. */
function bitsOf({ length, rate }: (typeof stretches)[number], random: { uniform(): number }): number[] {
  const from = Math.floor(random.uniform() * (LENGTH - length + 1))
  return Array.from({ length: LENGTH }, (_, t) =>
    random.uniform() < (t >= from && t < from + length ? rate : 1 / 2) ? 1 : 0,
  )
}

const percent = (share: number): string => `${Math.round(100 * share)}%`

test('reports/stretches.md', async () => {
  const rows = stretches.map((stretch) => {
    const random = seededRandom(1, `${stretch.length}`)
    const texts = Array.from({ length: TEXTS }, () => bitsOf(stretch, random))
    const found = (logP: (bits: number[]) => number): number =>
      texts.filter((bits) => logP(bits) <= Math.log(ALPHA)).length / TEXTS
    const by = (options: Partial<WindowDetectorOptions>): number =>
      found((bits) => ofBits(bits, options).logPValue)
    const one = DRIFTS.map((drift) => ({ drift, share: by({ drift }) })).sort((a, b) => b.share - a.share)[0]!
    const [sum, windows, three] = [
      found((bits) => logBinomialTail(bits.filter((bit) => bit === 1).length, LENGTH, 1 / 2)),
      by({ shortest: 16 }),
      by({}),
    ]
    // searching all stretches beats windows, and knowing the strength beats trying three
    expect(three).toBeGreaterThan(windows)
    expect(one.share).toBeGreaterThan(three)
    const cells = [stretch.length, stretch.rate, ...[sum, windows, three].map(percent)]
    return `| ${[...cells, `${percent(one.share)} (${one.drift})`].join(' | ')} |`
  })
  const head = ['stretch', 'rate of ones', 'the sum', 'windows', 'three drifts', 'one drift']
  const filled: Record<string, string | number> = {
    alpha: 100 * ALPHA,
    length: LENGTH.toLocaleString('en'),
    texts: TEXTS.toLocaleString('en'),
    error: ((100 * 0.5) / Math.sqrt(TEXTS)).toFixed(1),
    table: [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows].join('\n'),
  }
  const intro = readFileSync(new URL('./stretches-intro.md', import.meta.url), 'utf8')
  await expect(intro.replace(/\{(\w+)\}/g, (_, name: string) => String(filled[name]))).toMatchFileSnapshot(
    '../../reports/stretches.md',
  )
})
