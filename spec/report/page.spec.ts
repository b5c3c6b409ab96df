import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeIndex, writeReport } from '../../src/report/write.ts'
import { useChromium } from '../chromium.ts'
import { sample } from './sample.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-page-'))
const complaints: string[] = []
let page: Page

const chromium = useChromium()

beforeAll(async () => {
  await writeReport(sample, folder)
  writeIndex(folder)
  if (chromium.browser === undefined) return
  page = await chromium.newPage({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' })
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') && !request.url().startsWith('data:'))
      complaints.push(request.url())
  })
  await page.goto(pathToFileURL(join(folder, 'index.html')).href)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const column = (n: number) =>
  page.$$eval(
    `#sample-sample-table-table tbody tr:not([hidden])`,
    (rows, at) => rows.map((row) => row.children[at]!.textContent),
    n,
  )

describe('the page in Chromium', () => {
  test('shows every chart, with a mark for every method', async () => {
    const marks = await page.$$eval('[data-chart]', (plots) =>
      plots.map((plot) => plot.querySelectorAll('.mark').length),
    )
    expect(marks).toEqual([6, 6, 18, 6])
    const sizes = await page.$$eval('[data-chart] > svg', (all) =>
      all.map((one) => one.getBoundingClientRect().height),
    )
    for (const height of sizes) expect(height).toBeGreaterThan(150)
  })

  test('sorts by a column: best first, then the other way round', async () => {
    const head = page.locator('#sample-sample-table-table thead button', { hasText: 'TPR@1%' })
    await head.click()
    const down = await column(1)
    expect(down[0]).toContain('98.0')
    expect(down.at(-1)).toContain('5.0')
    await head.click()
    expect(await column(1)).toEqual([...down].reverse())
    await page.locator('#sample-sample-table-table thead button', { hasText: 'median p' }).click()
    expect((await column(0))[0]).toBe('Unigram(δ=2.0)')
    await page.locator('#sample-sample-table-table thead button', { hasText: 'query budget' }).click()
    expect((await column(0)).at(-1)).toBe('No watermark')
  })

  test('filters charts and tables by family', async () => {
    const chip = page.locator('.chip[data-family="kgw"]')
    await chip.click()
    expect(await chip.getAttribute('aria-pressed')).toBe('false')
    expect((await column(0)).some((name) => name?.includes('KGW'))).toBe(false)
    expect(await page.$$eval('.mark.f-kgw', (marks) => marks.length)).toBe(0)
    await chip.click()
    expect(await page.$$eval('.mark.f-kgw', (marks) => marks.length)).toBe(12)
  })

  test('shows what a mark says on hover and on focus', async () => {
    await page.locator('[data-chart="sample-axes"] .mark.f-synthid').focus()
    expect(await page.textContent('#tip.shown')).toContain('SynthID\nunbiasedness: 0.99')
    await page.locator('[data-chart="sample-spread"] .mark.f-mcmark .body').first().hover()
    expect(await page.textContent('#tip.shown')).toContain('MCmark(n=20), Random 10%\nlargest')
  })

  test('names every line, and a name that is pointed at brings out its line', async () => {
    const names = page.locator('.legend li')
    expect(await names.allTextContents()).toEqual(
      sample.charts.flatMap((chart) => (chart.kind === 'lines' ? chart.series.map((s) => s.label) : [])),
    )
    await names.nth(1).hover()
    expect(await page.$$eval('.pointing .mark.near', (all) => all.map((m) => m.ariaLabel))).toEqual([
      await names.nth(1).textContent(),
    ])
    await page.mouse.move(0, 0)
    expect(await page.$$eval('.mark.near', (all) => all.length)).toBe(0)
  })

  test("adds the paper's points when asked", async () => {
    await page.locator('.chip[data-layer="paper"]').click()
    expect(await page.$$eval('[data-chart="sample-axes"] .published', (marks) => marks.length)).toBe(6)
    await page.locator('.chip[data-layer="paper"]').click()
  })

  test('text from reports is text, never markup', async () => {
    expect(await page.$$eval('#sample-sample-table-table td.text b', (all) => all.length)).toBe(0)
    expect(await page.textContent('#sample-sample-table-table tr[data-family="kgw"] td.text')).toBe(
      'biased, 100% & "loud" | <b>',
    )
  })

  test.each([360, 768, 1600])('fits a window of %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 900 })
    await page.waitForTimeout(100)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1200, height: 900 })
  })

  test('asks no network and raises no error', () => {
    expect(complaints).toEqual([])
  })
})
