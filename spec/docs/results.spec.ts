/** The README's results are right for any set of reports. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeMarkdown } from '../../src/report/markdown.ts'
import type { Report } from '../../src/report/report.ts'
import { hostileReport } from '../report/hostile.ts'
import { sample } from '../report/sample.ts'
import { results } from './results.ts'

test('without reports, or without a chart that heads them, it says so', () => {
  const none = 'The main picture and table will appear here after a full run of the benchmark.'
  const { headline: _, ...quiet } = sample
  expect(results([])).toBe(none)
  expect(results([quiet])).toBe(none)
  expect(results([{ ...sample, tables: [] }])).toBe(none)
})

test('every headline is there once, in order, and nothing of a report is markup', () => {
  const first: Report = { ...sample, order: 0 }
  fc.assert(
    fc.property(fc.array(hostileReport, { maxLength: 3 }), (others) => {
      const reports = [first, ...others.map((report) => ({ ...report, tables: [], charts: [] }))]
      const text = results(reports)
      const sentences = reports.map(({ headline }) => `- ${escapeMarkdown(headline!.sentence)}`)
      expect(text).toContain(sentences.join('\n'))
      expect(text).toContain('- KJV to modern English in place of WMT16 ro-en')
      expect(text).not.toMatch(/stands? in for|undefined|NaN/)
      expect(text.replace(/\\./gu, '')).not.toMatch(/<[a-z/!?]/i)
    }),
  )
})
