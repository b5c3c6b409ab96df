import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { columnWidths, printLook, toSvg } from '../../src/bench/report/chart/svg.ts'
import { familiesOfAll } from '../../src/bench/report/palette.ts'
import { readReports } from '../../src/bench/report/read.ts'
import { useChromium } from '../chromium.ts'
import { root } from '../commands/program.ts'

const folder = join(root, 'reports')
const reports = readReports(folder)
const charts = reports.flatMap((report) =>
  report.charts.map((chart) => ({
    file: `${report.name}-${chart.id}.svg`,
    chart,
    look: printLook(familiesOfAll([report])),
  })),
)
let page: Page

/** Pairs of texts of a drawing that overlap, and texts that stick out of it. */
const flaws = () =>
  page.evaluate(() => {
    const drawing = document.querySelector('svg')!.getBoundingClientRect()
    const texts = [...document.querySelectorAll('svg text')].map((one) => ({
      text: one.textContent!,
      box: one.getBoundingClientRect(),
    }))
    const found: string[] = []
    for (const [i, { text, box }] of texts.entries()) {
      if (box.left < drawing.left - 1 || box.right > drawing.right + 1 || box.bottom > drawing.bottom + 1)
        found.push(`${text} sticks out`)
      for (const other of texts.slice(i + 1)) {
        const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left)
        const high = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top)
        // boxes of lines of text have air above and below
        if (wide > 1 && high > 4) found.push(`${text} over ${other.text}`)
      }
    }
    return found
  })

describe('charts', () => {
  const chromium = useChromium()
  beforeAll(async () => {
    if (chromium.browser) page = await chromium.newPage()
  })

  const sized = charts.flatMap(({ file, ...one }) =>
    Object.values(columnWidths).map((width) => [file, width, one] as const),
  )

  test.each(sized)('%s at %i px: names apart, none cut or missing', async (_, width, one) => {
    const { chart, look } = one
    await page.setViewportSize({ width: width + 40, height: 600 })
    await page.setContent(toSvg(chart, { look, width }))
    expect(await flaws()).toEqual([])
    const names = chart.kind === 'scatter' ? chart.points.filter((p) => p.layer !== 'paper') : []
    const shown = await page.$$eval('svg text', (all) => all.map((text) => text.textContent!))
    const rest = shown
      .filter((text) => /^and \d+ more$/.test(text))
      .reduce((n, text) => n + Number(text.split(' ')[1]), 0)
    const missing = names.filter(({ label }) => !shown.includes(label))
    expect(missing.length, missing.map(({ label }) => label).join()).toBeLessThanOrEqual(rest)
  })
})

describe('the page', () => {
  const chromium = useChromium()

  const luminance = (rgb: readonly number[]) => {
    const [r, g, b] = rgb.map((c) =>
      c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
  }
  const contrast = (a: readonly number[], b: readonly number[]) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
    return (high + 0.05) / (low + 0.05)
  }

  test.each(['light', 'dark'] as const)('%s: text has a contrast of 4.5 (WCAG 1.4.3)', async (scheme) => {
    const own = await chromium.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: scheme })
    await own.goto(pathToFileURL(join(folder, 'index.html')).href)
    const pairs = await own.evaluate(() => {
      const seen = new Map<string, string>()
      const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
      // any colour that CSS can write, on what is behind it
      const painted = new Map<string, number[]>()
      const rgb = (colour: string, behind: readonly number[] = [255, 255, 255]): number[] => {
        const known = painted.get(`${colour} on ${behind}`)
        if (known !== undefined) return known
        paint.fillStyle = `rgb(${behind.join()})`
        paint.fillRect(0, 0, 1, 1)
        paint.fillStyle = colour
        paint.fillRect(0, 0, 1, 1)
        const seen = [...paint.getImageData(0, 0, 1, 1).data.slice(0, 3)]
        painted.set(`${colour} on ${behind}`, seen)
        return seen
      }
      const background = (one: Element | null): number[] => {
        if (!one) return rgb(getComputedStyle(document.documentElement).backgroundColor)
        const colour = getComputedStyle(one).backgroundColor
        return colour === 'rgba(0, 0, 0, 0)'
          ? background(one.parentElement)
          : rgb(colour, background(one.parentElement))
      }
      for (const one of document.querySelectorAll(
        'h1, h2, h3, p, li, a, figcaption, summary, th, td, small, b, text, .chip',
      )) {
        if (one.getClientRects().length === 0 || !one.textContent?.trim()) continue
        const style = getComputedStyle(one)
        const colour = one.tagName === 'text' ? style.fill : style.color
        seen.set(
          JSON.stringify([rgb(colour), background(one)]),
          `${one.tagName} ${one.textContent.slice(0, 30)}`,
        )
      }
      return [...seen]
    })
    await own.close()
    expect(pairs.length).toBeGreaterThan(3)
    for (const [pair, where] of pairs) {
      const [text, behind] = JSON.parse(pair) as [number[], number[]]
      expect(contrast(text, behind), `${where} ${pair}`).toBeGreaterThanOrEqual(4.5)
    }
  })

  test('fits a phone, says every chart in words, and print cuts no table', async () => {
    const own = await chromium.newPage({ viewport: { width: 390, height: 844 } })
    await own.goto(pathToFileURL(join(folder, 'index.html')).href)
    expect(await own.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    const words = await own.$$eval('.plot svg', (all) =>
      all.map(
        (one) =>
          [
            one.ariaLabel,
            document.getElementById(one.getAttribute('aria-describedby')!)?.textContent,
          ] as const,
      ),
    )
    expect(words.length).toBeGreaterThan(20)
    for (const [name, said] of words) expect(`${name}: ${said}`.length, name!).toBeGreaterThan(60)
    await own.setViewportSize({ width: 1031, height: 700 })
    await own.emulateMedia({ media: 'print' })
    const wide = await own.$$eval('table', (all) =>
      all.map((one) => [one.closest('[id]')!.id, Math.round(one.getBoundingClientRect().right)] as const),
    )
    expect(wide.filter(([, right]) => right > 1031)).toEqual([])
    await own.close()
  })

  test('filters are the methods of the tables by their names', async () => {
    const own = await chromium.newPage()
    await own.goto(pathToFileURL(join(folder, 'index.html')).href)
    const names = await own.locator('.filter .chip').allTextContents()
    expect(names.slice(0, 9).sort()).toEqual(
      ['DIP', 'EXP-Edit', 'ITS-Edit', 'KGW', 'MCmark', 'STA-1', 'SynthID', 'Unigram', 'γ-reweight'].sort(),
    )
    for (const none of ['BLEU', 'alignment', 'unwatermarked', 'expEdit']) expect(names).not.toContain(none)
    await own.close()
  })
})
