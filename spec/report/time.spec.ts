/** Reports by other people: drawing and printing take time in proportion to their size. */
import { expect, test } from 'vitest'
import { fitted, textWidth } from '../../src/bench/report/chart/draw.ts'
import { toSvg } from '../../src/bench/report/chart/svg.ts'
import { documentToHtml } from '../../src/bench/report/documents.ts'

/** Seconds of computation, which a busy machine does not stretch. */
function seconds(work: () => unknown): number {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1e6
}

test.each([
  ['brackets', '['.repeat(200_000)],
  ['blanks in a list', `- a${' '.repeat(199_000)}b\n- c`],
  ['stars', '*'.repeat(200_000)],
  ['backticks', '`'.repeat(199_999)],
])('a document of 200 kB of %s', (_, text) => {
  expect(seconds(() => documentToHtml({ name: 'hardening', text }, true))).toBeLessThan(2)
})

test('a label of a million characters', () => {
  const label = 'm'.repeat(1_000_000)
  const axis = { label }
  const bars = [{ label, family: label, value: 1 }]
  const chart = { id: 'b', kind: 'bars' as const, title: label, x: axis, y: axis, bars }
  expect(seconds(() => toSvg(chart))).toBeLessThan(5)
})

test('a cut label is the longest that fits', () => {
  for (const content of ['a label', 'wide WWW', '\u{1f600}\u{1f600}\u{1f600}', ''])
    for (let width = 1; width < 120; width += 3) {
      const shown = fitted(content, 12, width)
      if (shown === content) expect(textWidth(content, 12)).toBeLessThanOrEqual(width)
      else {
        const characters = [...content]
        while (characters.length > 1 && textWidth(`${characters.join('')}\u2026`, 12) > width)
          characters.pop()
        expect(shown).toBe(`${characters.join('').trimEnd()}\u2026`)
      }
    }
})
