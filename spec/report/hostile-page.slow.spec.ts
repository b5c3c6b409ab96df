/** A page of hostile reports in a real Chromium: nothing of theirs runs, nothing of ours is blocked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { printable } from '../../src/bench/report/escape.ts'
import { toPage } from '../../src/bench/report/page.ts'
import type { Report } from '../../src/bench/report/report.ts'
import { useChromium } from '../chromium.ts'
import { hostileReport, hostileText } from './hostile.ts'
import { sample } from './sample.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-hostile-'))
const file = join(folder, 'index.html')
let page: Page
let complaints: string[] = []

const chromium = useChromium()

beforeAll(async () => {
  if (chromium.browser === undefined) return
  page = await chromium.newPage()
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href && request.url() !== 'data:,')
      complaints.push(request.url())
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function open(text: string): Promise<void> {
  complaints = []
  writeFileSync(file, text)
  await page.goto(pathToFileURL(file).href)
}

/** What the page is made of. */
const parts = () =>
  page.evaluate(() => ({
    scripts: document.scripts.length,
    styles: document.querySelectorAll('style').length,
    tags: [...new Set([...document.querySelectorAll('*')].map((one) => one.tagName.toLowerCase()))],
    handlers: [...document.querySelectorAll('*')].flatMap((one) =>
      [...one.attributes].map(({ name }) => name).filter((name) => /^on|^style$|^src$|^srcdoc$/.test(name)),
    ),
    links: [...document.querySelectorAll('a')].map((one) => one.getAttribute('href')!),
    alive: document.documentElement.classList.contains('script'),
    titles: [...document.querySelectorAll('main > section:not(#_compare, #_checks) > h2')].map(
      (one) => one.textContent,
    ),
    labels: [...document.querySelectorAll('main tbody th[data-row]')].map((one) =>
      [...one.childNodes]
        .filter((part) => part.nodeType === 3)
        .map((part) => part.textContent)
        .join(''),
    ),
  }))

const known =
  'html head meta title link style body header input h1 h2 h3 p a ul li div nav button span i main section figure article figcaption label select option dialog form h4 code strong em pre details summary dl dt dd table thead tbody tr th td b small footer script svg desc g path rect text'

/** Markdown with hostile words in every place that a page understands. */
const markdown = fc
  .array(hostileText, { minLength: 6, maxLength: 6 })
  .map(
    ([a, b, c, d, e, f]) =>
      `# ${a}\n\n${b}\n\n| ${c} | x |\n|---|--:|\n| **${d}** | \`${e}\` |\n\n- [${f}](javascript:uwx())\n- [x](${a})\n\n\`\`\`\n${b}\n\`\`\`\n`,
  )

test('nothing of theirs is markup, and all of ours works', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(hostileReport, { minLength: 1, maxLength: 3 }),
      markdown,
      async (reports, document) => {
        await open(toPage(reports, { documents: [{ name: 'mutants', text: document }] }))
        if (await page.locator('.see').count()) await page.locator('.see').first().click()
        const { scripts, styles, tags, handlers, links, alive, titles, labels } = await parts()
        expect(complaints).toEqual([])
        // a data block beside the script
        const data = reports.some(({ samples = [] }) => samples.length > 0) ? 1 : 0
        expect([scripts, styles]).toEqual([1 + data, 1])
        expect(tags.filter((tag) => !known.split(' ').includes(tag))).toEqual([])
        // the tip is moved by the script
        expect(handlers.filter((name) => name !== 'style')).toEqual([])
        expect(links.filter((href) => !/^#?[\w-]*(\.(csv|tex|md|json|svg))?$/.test(href))).toEqual([])
        expect(alive).toBe(true)
        expect(titles).toEqual(reports.map(({ title }) => printable(title)))
        expect(labels).toEqual(
          reports.flatMap(({ tables }) =>
            tables.flatMap(({ rows }) => rows.map(({ label }) => printable(label))),
          ),
        )
      },
    ),
    { numRuns: 40 },
  )
})

test('the policy blocks what would get through all the same', async () => {
  const blocked: Report = { ...sample, title: 'INJECT' }
  const inject =
    '<script>document.title = "uwx"</script><img src="x" onerror="document.title = \'uwx\'"><style>body{display:none}</style>'
  await open(toPage([blocked]).replace('<h2>INJECT</h2>', inject))
  expect(await page.title()).not.toBe('uwx')
  expect(await page.isVisible('body')).toBe(true)
  expect(complaints.join('\n')).toMatch(/Content Security Policy/)
  expect(await page.evaluate(() => document.documentElement.classList.contains('script'))).toBe(true)
})
