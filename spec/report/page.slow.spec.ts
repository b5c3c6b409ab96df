/** The page of reports, seen in a real Chromium: a report with everything. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report, Table } from '../../src/bench/report/report.ts'
import { writeIndex, writeReport } from '../../src/bench/report/write.ts'
import { useChromium } from '../chromium.ts'
import { sample } from './sample.ts'

/** A table of so many columns and rows. */
const grid = (id: string, columns: number, rows: number): Table => ({
  id,
  title: id,
  columns: Array.from({ length: columns }, (_, i) => ({ id: `c${i}`, label: `column ${i}`, unit: 'number' })),
  rows: Array.from({ length: rows }, (_, i) => ({
    id: `r${i}`,
    label: i === 0 ? 'BLEU' : `row ${i}`,
    family: i === 0 ? 'BLEU' : '',
    cells: Object.fromEntries(
      Array.from({ length: columns }, (_, j) => [`c${j}`, { kind: 'exact' as const, value: i + j / 100 }]),
    ),
  })),
})

/** Rows that are no methods, and a table that no window has room for. */
const more: Report = {
  ...sample,
  name: 'more',
  title: 'More: metrics and a wide table',
  order: 2,
  headline: { sentence: 'Metrics were measured as well.' },
  tables: [grid('wide', 30, 40), grid('narrow', 3, 60)],
  charts: [],
  samples: [],
}

const folder = mkdtempSync(join(tmpdir(), 'uwbench-page-'))
const complaints: string[] = []
let page: Page

const chromium = useChromium()

beforeAll(async () => {
  await writeReport(sample, folder)
  await writeReport(more, folder)
  writeFileSync(
    join(folder, 'mutants.md'),
    '# Mutants\n\nWrong ones.\n\n| law | `n` |\n|---|--:|\n| **one** | 2 |\n',
  )
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

const table = '#sample-sample-table-table'
const column = (n: number) =>
  page.$$eval(
    `${table} tbody tr:not([hidden])`,
    (rows, at) => rows.map((row) => row.children[at]!.textContent),
    n,
  )
const chip = (name: string) => page.locator('.filter .chip', { hasText: name })
/** Marks of a chart that are there to see. */
const visible = (selector: string) =>
  page.$$eval(selector, (all) => all.filter((one) => one.getClientRects().length > 0).length)

describe('charts', () => {
  test('every chart has a mark for every method, and says in words what it shows', async () => {
    for (const [id, count] of [
      ['axes', 6],
      ['length', 6],
      ['spread', 18],
      ['budget', 6],
    ] as const)
      expect(await visible(`#sample-${id} .mark`), id).toBe(count)
    const drawings = await page.$$eval('.plot svg', (all) =>
      all.map((one) => ({
        name: one.getAttribute('aria-label'),
        words: document.getElementById(one.getAttribute('aria-describedby')!)!.textContent!.length,
        height: one.getBoundingClientRect().height,
      })),
    )
    expect(drawings).toHaveLength(8)
    for (const { name, words } of drawings) {
      expect(name).toBeTruthy()
      expect(words).toBeGreaterThan(40)
    }
    expect(drawings.filter(({ height }) => height > 150)).toHaveLength(4)
  })

  test('the chart that a report declares stands at the head, and only there', async () => {
    expect(await page.textContent('.headline')).toBe('SynthID and MCmark are detected best.')
    expect(await page.$$eval('header #sample-axes', (all) => all.length)).toBe(1)
    expect(await page.$$eval('#sample-axes', (all) => all.length)).toBe(1)
    expect(await page.textContent('header .findings')).toContain('Metrics were measured as well. More')
  })

  test('a mark shows its values on hover and on focus', async () => {
    await page.locator('#sample-axes .desk .mark:not(.paper)[aria-label^="SynthID"]').focus()
    expect(await page.textContent('#tip.shown')).toContain('SynthID\nunbiasedness: 0.99')
    await page
      .locator('#sample-spread .desk .mark[aria-label^="MCmark"] rect')
      .first()
      .hover({ position: { x: 1, y: 3 } })
    expect(await page.textContent('#tip.shown')).toContain('MCmark(n=20), Random 10%\nlargest')
  })

  test('a curve answers from nearby, a name in the legend brings out its curve', async () => {
    await page.$eval('#sample-length', (one) => one.scrollIntoView({ block: 'center', behavior: 'instant' }))
    const names = page.locator('#sample-length .desk .key')
    expect(await names.allTextContents()).toEqual(
      sample.charts.flatMap((chart) => (chart.kind === 'lines' ? chart.series.map((s) => s.label) : [])),
    )
    await names.nth(1).hover()
    expect(await page.$$eval('.pointing .mark.near', (all) => all.map((m) => m.ariaLabel))).toEqual([
      'KGW(δ=2.0)',
    ])
    const dots = await page.locator('#sample-length .desk .mark[aria-label="KGW(δ=0.5)"] .dots').boundingBox()
    // the curve rises: its last dot is at the right end, on top
    await page.mouse.move(dots!.x + dots!.width - 1, dots!.y + 12)
    expect(await page.textContent('#tip.shown')).toMatch(
      /^KGW\(δ=0\.5\)\ntokens: 300\nTPR at FPR 1%: [\d.]+% \[/,
    )
    await page.mouse.move(0, 0)
    expect(await page.$$eval('.mark.near', (all) => all.length)).toBe(0)
  })

  test("the paper's points come when asked for", async () => {
    const button = page.locator('.chip[data-paper]')
    expect(await visible('#sample-axes .mark.paper')).toBe(0)
    await button.click()
    expect(await visible('#sample-axes .mark.paper')).toBe(6)
    await button.click()
    expect(await visible('#sample-axes .mark.paper')).toBe(0)
  })
})

describe('filters', () => {
  test('list methods only, by the names of the tables', async () => {
    expect(await page.locator('.filter .chip').allTextContents()).toEqual(
      sample.methods!.map(({ label }) => label),
    )
  })

  test('a click leaves one method, the next adds one, and without any all are back', async () => {
    const shown = async () => ({
      rows: (await column(0)).filter((name) => /KGW|SynthID|DIP/.test(name!)).length,
      kgw: await visible('.mark:not(.paper)[aria-label^="KGW"]'),
      synthid: await visible('.mark:not(.paper)[aria-label^="SynthID"]'),
    })
    const everything = await shown()
    expect(everything).toEqual({ rows: 4, kgw: 12, synthid: 6 })
    await chip('KGW').click()
    expect(await chip('KGW').getAttribute('aria-pressed')).toBe('true')
    expect(await chip('SynthID').getAttribute('aria-pressed')).toBe('false')
    expect(await shown()).toEqual({ rows: 2, kgw: 12, synthid: 0 })
    expect(await column(0)).toContain('No watermark')
    await chip('SynthID').click()
    expect(await shown()).toEqual({ rows: 3, kgw: 12, synthid: 6 })
    await chip('SynthID').click()
    await chip('KGW').click()
    expect(await shown()).toEqual(everything)
  })
})

describe('tables', () => {
  test('sort by a column: best first, then the other way round, nothing last', async () => {
    const head = (name: string) => page.locator(`${table} thead button`, { hasText: name })
    await head('TPR@1%').click()
    const down = await column(2)
    expect(down[0]).toContain('98.0')
    expect(down.at(-1)).toContain('5.0')
    await head('TPR@1%').click()
    expect(await column(2)).toEqual([...down].reverse())
    await head('median p').click()
    expect((await column(0))[0]).toBe('Unigram(δ=2.0)')
    await head('query budget').click()
    expect((await column(0)).at(-1)).toBe('No watermark')
  })

  test('what a report calls first stands first', async () => {
    expect(await page.$$eval(`${table} thead tr:last-child th`, (all) => all[1]!.textContent)).toBe('remark')
  })

  test('text is text, never markup', async () => {
    expect(await page.$$eval(`${table} td.text b`, (all) => all.length)).toBe(0)
    expect(
      await page.locator(`${table} tr`, { hasText: 'KGW(δ=0.5)' }).locator('td.text').textContent(),
    ).toBe('biased, 100% & "loud" | <b>')
  })

  test('a table that fits keeps its head below the bar while the window scrolls', async () => {
    const narrow = '#more-narrow-table'
    expect(await page.getAttribute(`${narrow} .frame`, 'class')).toBe('frame')
    const [bar, head] = await page.evaluate((id) => {
      const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect()
      scrollBy({ top: box(`${id} tbody`).bottom - 500, behavior: 'instant' })
      return [box('.bar').bottom, box(`${id} thead`).top]
    }, narrow)
    expect(Math.abs(head! - bar!)).toBeLessThanOrEqual(1)
  })

  test('a wide one says there is more; head and first column stick together', async () => {
    const wide = '#more-wide-table'
    const frame = page.locator(`${wide} .frame`)
    await frame.scrollIntoViewIfNeeded()
    expect(await frame.getAttribute('class')).toBe('frame wide more-right')
    const sees = await frame.evaluate((one) => getComputedStyle(one, '::after').opacity !== '0')
    expect(sees).toBe(true)
    for (const [left, top] of [
      [300, 0],
      [700, 400],
      [99_999, 99_999],
    ] as const) {
      const at = await page.$eval(
        `${wide} .scroll`,
        (scroll, [left, top]) => {
          scroll.scrollTo({ left, top, behavior: 'instant' })
          const box = scroll.getBoundingClientRect()
          const head = scroll.querySelectorAll('thead tr:last-child th')
          const rows = [...scroll.querySelectorAll('tbody tr')]
          return {
            scrolled: scroll.scrollTop,
            headTop: head[0]!.getBoundingClientRect().top - box.top,
            nameLeft: rows[7]!.children[0]!.getBoundingClientRect().left - box.left,
            cornerLeft: head[0]!.getBoundingClientRect().left - box.left,
            apart: [...head].map(
              (cell, i) =>
                cell.getBoundingClientRect().left - rows[7]!.children[i]!.getBoundingClientRect().left,
            ),
          }
        },
        [left, top] as const,
      )
      if (top > 0) expect(at.scrolled).toBeGreaterThan(0)
      expect(Math.abs(at.headTop)).toBeLessThanOrEqual(1)
      expect(Math.abs(at.nameLeft)).toBeLessThanOrEqual(1)
      expect(Math.abs(at.cornerLeft)).toBeLessThanOrEqual(1)
      for (const gap of at.apart) expect(Math.abs(gap)).toBeLessThanOrEqual(1)
    }
    await expect.poll(() => frame.getAttribute('class')).toBe('frame wide more-left')
  })
})

describe('tools', () => {
  test('two methods side by side, with the better one where intervals are apart', async () => {
    await page.selectOption('#_compare select >> nth=0', 'synthid(layers=20)')
    await page.selectOption('#_compare select >> nth=1', 'kgw(delta=0.5,gamma=0.5)')
    const rows = await page.$$eval('#_compare tbody tr', (all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent!)),
    )
    expect(rows.map(([name]) => name!.split(': ')[1])).toEqual([
      'Detection, TPR@1%',
      'Detection, median p',
      'Detection, AUROC',
      'Quality, BLEU',
    ])
    expect(rows.map((row) => row[3])).toEqual(['SynthID', 'SynthID', 'SynthID', ''])
    expect(rows[0]![1]).toContain('97.0')
  })

  test('values of all curves at one place, highest first', async () => {
    await page.selectOption('#sample-length select', '300')
    const rows = await page.$$eval('#sample-length .read tr', (all) => all.map((row) => row.textContent!))
    expect(rows).toHaveLength(7)
    const values = rows.slice(1).map((row) => Number(/([\d.]+)%/.exec(row.replace(/^.*\)|^SynthID/, ''))![1]))
    expect(values).toEqual([...values].sort((a, b) => b - a))
  })

  test('a cell shows the texts that it counts, before and after', async () => {
    await page.locator(`${table} tr`, { hasText: 'SynthID' }).locator('td.has-texts').first().click()
    const dialog = page.locator('#_texts')
    expect(await dialog.isVisible()).toBe(true)
    expect(await dialog.locator('.pair h3').allTextContents()).toEqual([
      'as written: p = 1.0e-9',
      'after Random 30%: p = 0.250',
    ])
    expect(
      await dialog
        .locator('.pair > div')
        .first()
        .locator('span')
        .evaluateAll((all) => all.map((one) => [one.className, one.textContent])),
    ).toEqual([
      ['s-u', ' a'],
      ['', ' <i>b'],
    ])
    await page.selectOption('#_texts-prompt', { value: '1' })
    expect(await dialog.locator('.prompt').textContent()).toBe('Prompt: It was a <b>dark</b> night')
    await page.keyboard.press('Escape')
    expect(await dialog.isVisible()).toBe(false)
  })

  test('a name leads to its texts by keyboard', async () => {
    await page.locator(`${table} .see`).focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('#_texts').isVisible()).toBe(true)
    await page.keyboard.press('Escape')
  })
})

describe('everywhere', () => {
  test.each([360, 390, 768, 1280, 1600])('it fits a window of %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 900 })
    await page.waitForTimeout(100)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    // one drawing of each chart, in a size that can be read
    expect(await visible('.plot svg')).toBe(4)
    const size = await page.$$eval('.plot svg text', (all) =>
      Math.min(...all.map((one) => one.getBoundingClientRect().height).filter((height) => height > 0)),
    )
    expect(size).toBeGreaterThan(8)
    await page.setViewportSize({ width: 1200, height: 900 })
  })

  test('print cuts no table', async () => {
    // A4 across, less margins
    await page.setViewportSize({ width: 1031, height: 700 })
    await page.emulateMedia({ media: 'print' })
    const cut = await page.$$eval(`${table} table, ${table} .scroll`, (all) =>
      all.map((one) => [one.getBoundingClientRect().right, getComputedStyle(one).overflowX] as const),
    )
    for (const [right, overflow] of cut) {
      expect(right).toBeLessThanOrEqual(1031)
      expect(overflow).toBe('visible')
    }
    await page.emulateMedia({ media: 'screen' })
    await page.setViewportSize({ width: 1200, height: 900 })
  })

  test.each(['light', 'dark'] as const)('%s: axe finds nothing against WCAG 2.2 AA', async (scheme) => {
    const own = await chromium.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: scheme })
    await own.goto(pathToFileURL(join(folder, 'index.html')).href)
    await own.evaluate(axe.source)
    const look = () =>
      own.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
        const { violations } = await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })
        return violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 160)}`)
      })
    expect(await look()).toEqual([])
    await own.locator(`${table} .see`).click()
    expect(await look()).toEqual([])
    await own.close()
  })

  test('without a script, charts and tables are there', async () => {
    const plain = await chromium.newPage({ javaScriptEnabled: false, viewport: { width: 1200, height: 900 } })
    await plain.goto(pathToFileURL(join(folder, 'index.html')).href)
    expect(await plain.locator('#sample-axes .desk .mark:not(.paper)').count()).toBe(6)
    expect(await plain.locator('#sample-axes .desk svg').isVisible()).toBe(true)
    expect(await plain.locator('.filter').isVisible()).toBe(false)
    await plain.close()
  })

  test('asks no network, breaks no policy and raises no error', () => {
    expect(complaints).toEqual([])
  })
})
