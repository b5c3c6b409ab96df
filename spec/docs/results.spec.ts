/** What the README shows of reports is right for any set of them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeMarkdown } from '../../src/bench/report/markdown.ts'
import type { Report } from '../../src/bench/report/report.ts'
import { hostileReport } from '../report/hostile.ts'
import { sample } from '../report/sample.ts'
import { facts, picture, results, scores } from './results.ts'

test('without reports, or without what they would show, it says so', () => {
  const none = 'This part will be written after a full run of the benchmark.'
  const { headline: _, ...quiet } = sample
  for (const part of [picture, results, scores]) expect(part([])).toBe(none)
  expect(picture([quiet])).toBe(none)
  expect(results([quiet])).toBe(none)
  expect(scores([{ ...sample, tables: [] }])).toBe(none)
  expect(facts([])).toContain(none)
})

test('every headline is there once, in order, and nothing of a report is markup', () => {
  const first: Report = { ...sample, order: 0 }
  fc.assert(
    fc.property(fc.array(hostileReport, { maxLength: 3 }), (others) => {
      const reports = [first, ...others.map((report) => ({ ...report, tables: [], charts: [] }))]
      const sentences = reports.map(({ headline }) => `- ${escapeMarkdown(headline!.sentence)}`)
      expect(results(reports)).toContain(sentences.join('\n'))
      expect(scores(reports)).toContain('- KJV to modern English in place of WMT16 ro-en')
      const text = [picture(reports), facts(reports), results(reports), scores(reports)].join('\n')
      expect(text).not.toMatch(/stands? in for|undefined|NaN/)
      expect(text.replace(/\\./gu, '')).not.toMatch(/<[a-z/!?]/i)
    }),
  )
})
