/** The site and its playground in a real Chromium. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Serving, serve } from '../../src/cli/playground/serve.ts'
import { detect, parseWatermark, shippedMethods } from '../../src/index.ts'
import { loadTokenizer } from '../../src/text/models/entry.ts'
import { useChromium } from '../chromium.ts'
import { linkPackages, temporaryFolder } from '../commands/program.ts'
import type { BuiltSite } from './built.ts'
import { writeOwnWatermark } from './own-watermark.ts'
import { startPlayground } from './start-playground.ts'
import { writeTinyStories } from './tiny-stories.ts'

/** Machines of test runners are slow; a person's desktop writes the first text within a second. */
const WAIT = { timeout: 120_000 }

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

export function describePlayground({ folder, files }: BuiltSite): void {
  const project = temporaryFolder('own-playground')

  describe('in a browser', () => {
    const chromium = useChromium()
    const complaints: string[] = []
    const open: Serving[] = []
    let site: Serving
    let page: Page

    /** Collects messages of the console, and requests that leave the site. */
    const watch = (one: Page): Page => {
      one.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
      })
      one.on('pageerror', (error) => complaints.push(error.message))
      one.on('request', (request) => {
        if (!/^(http:\/\/localhost:|data:)/.test(request.url())) complaints.push(request.url())
      })
      return one
    }
    const serveSite = async (): Promise<Serving> => {
      const serving = await serve(
        (path) => (files().has(path) ? readFileSync(join(folder, path)) : undefined),
        0,
      )
      open.push(serving)
      return serving
    }
    /** Waits for both texts, or for an error that the page shows. */
    const isWritten = async (one: Page = page): Promise<void> => {
      await one.waitForFunction(
        () => document.querySelector('#status.wrong') ?? document.getElementById('said-1')!.textContent,
        null,
        WAIT,
      )
      expect(await one.locator('#status.wrong').allTextContents()).toEqual([])
    }

    beforeAll(async () => {
      if (chromium.browser === undefined) return
      site = await serveSite()
      page = watch(await chromium.newPage({ viewport: { width: 1200, height: 900 } }))
      await page.goto(`${site.url}playground/?seed=site`)
      await isWritten()
    })
    afterAll(() => Promise.all(open.map((one) => one.close())))

    /** Returns the findings of axe on a page. Its source is evaluated, which a policy does not forbid. */
    async function violations(one: Page): Promise<string[]> {
      await one.evaluate(axe.source)
      return one.evaluate(async () => {
        const run = (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run
        const { violations: found } = await run()
        return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
      })
    }
    const overflow = (one: Page): Promise<number> =>
      one.evaluate(() => document.documentElement.scrollWidth - innerWidth)

    test('the page writes two texts unasked, and one of them is marked', async () => {
      expect(await page.textContent('#said-0')).toMatch(/^(not )?detected at 1%, from \d+ scored tokens$/)
      expect(await page.textContent('#said-1')).toMatch(/^detected at 1%, from \d+ scored tokens$/)
      expect(await page.locator('#text-1 .token').count()).toBeGreaterThan(20)
      expect(await page.locator('#text-1 .token[data-shade="4"]').count()).toBeGreaterThan(0)
      const line = await page.getAttribute('#chart .line.side-1', 'points')
      expect(line!.split(' ').length).toBeGreaterThan(20)
      expect(await page.getAttribute('#chart', 'aria-label')).toMatch(/with the mark .* after \d+ tokens/)
      expect(await page.textContent('#missing')).toBe('This site was built without stories15M.')
    })

    test('the page computes the same p-value as detect in Node', async () => {
      const { tokenizer, vocabSize } = await loadTokenizer('embedded')
      const text = await page.inputValue('#edited')
      const key = await page.inputValue('#key')
      const tokens = tokenizer.encode(text)
      const watermark = parseWatermark((await page.textContent('#marked-by'))!)
      const { logPValue } = detect(watermark, tokens, { key, vocabSize: vocabSize!, skip: [0] })
      const exponent = Math.floor(logPValue / Math.LN10)
      const mantissa = (10 ** (logPValue / Math.LN10 - exponent)).toFixed(1)
      expect(await page.textContent('#edited-p')).toBe(`p = ${mantissa} × 10−${-exponent}`)
    })

    test('an edited text: another p-value, edits counted, a radius while it is detected', async () => {
      expect(await page.textContent('#radius')).toMatch(/^(Certified|Detected, but)/)
      const text = await page.inputValue('#edited')
      const before = await page.textContent('#edited-p')
      await page.fill('#edited', text.split(' ').slice(5).join(' '))
      await page.waitForFunction(
        (old) => document.getElementById('edited-p')!.textContent !== old,
        before,
        WAIT,
      )
      expect(await page.textContent('#radius')).toMatch(/^\d+ token edits made\. /)
      await page.fill('#edited', 'A text that nobody marked, of a few words.')
      await page.waitForFunction(
        () => /^Not/.test(document.getElementById('edited-said')!.textContent!),
        null,
        WAIT,
      )
      expect(await page.textContent('#radius')).toContain('nothing to certify')
      await page.click('#take-marked')
      await page.waitForFunction(
        (old) => document.getElementById('edited-p')!.textContent === old,
        before,
        WAIT,
      )
      await page.click('#try-key')
      await page.waitForSelector('#other-keys li')
      expect(await page.textContent('#other-keys li')).toMatch(/^[0-9a-f]{16} p = /)
    })

    test('every method has its parameters; wrong values are reported', async () => {
      const shipped = shippedMethods().filter((method) => method.usual().detector !== undefined)
      expect(await page.locator('#method option').allTextContents()).toEqual(shipped.map(({ name }) => name))
      await page.selectOption('#method', 'kgw')
      await page.fill('#parameter-delta', '-1')
      await page.keyboard.press('Control+Enter')
      await page.waitForSelector('#status.wrong')
      expect(await page.textContent('#status')).toContain('delta: expected')
      await page.fill('#parameter-delta', '4')
      await page.fill('#tokens', '30')
      await page.keyboard.press('Control+Enter')
      await isWritten()
      expect(await page.textContent('#marked-by')).toBe('kgw(delta=4)')
      await page.selectOption('#method', 'expEdit')
      await page.click('#write')
      await isWritten()
      expect(await page.isVisible('#chart-note')).toBe(true)
    })

    test('one prompt under one key: answers with the mark of Gumbel begin alike', async () => {
      await page.selectOption('#method', 'gumbel')
      await page.click('#ask')
      await page.waitForSelector('#drift-result:not([hidden])')
      const beginnings = (side: 0 | 1) =>
        page
          .locator(`#answers-${side} li`)
          .allTextContents()
          .then((all) => new Set(all.map((text) => text.trim().split(' ')[0])))
      expect((await beginnings(1)).size).toBe(1)
      // all mass is on one token, whatever the model says of it
      expect(await page.locator('#bars td:last-child .share').allTextContents()).toContain('100%')
      expect(await page.textContent('#drift-said')).toMatch(
        /^\d+ different answers to 16 questions with the mark/,
      )
      expect(await page.locator('#bars tr').count()).toBe(8)
    })

    test('a message is written, read as the text grows and after an edit', async () => {
      await page.selectOption('#method', 'gumbel')
      await page.fill('#tokens', '400')
      await page.fill('#message', 'v2')
      await page.click('#write')
      const says = (id: string) =>
        page.waitForFunction(
          (name) => document.getElementById(name)!.textContent!.startsWith('Message: v2'),
          id,
          WAIT,
        )
      await says('message-1')
      await says('edited-message')
      const text = await page.inputValue('#edited')
      await page.fill('#edited', `Well, ${text}`)
      await says('edited-message')
      await page.fill('#message', '')
      await page.fill('#tokens', '120')
    })

    test('the keyboard reaches everything, and Escape stops', async () => {
      await page.fill('#tokens', '400')
      await page.focus('#write')
      await page.keyboard.press('Enter')
      await page.waitForFunction(() => document.querySelectorAll('#text-1 .token').length > 3, null, WAIT)
      await page.keyboard.press('Escape')
      await page.waitForSelector('#stop[disabled]', { state: 'attached' })
      expect(await page.locator('#text-1 .token').count()).toBeLessThan(400)
    })

    test('axe finds nothing in both colour schemes, nothing is wider than a phone', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violations(page), colorScheme).toEqual([])
      }
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      expect(await page.$eval('#chart', (chart) => chart.getBoundingClientRect().width)).toBeLessThan(391)
    })

    test('it works offline after the first visit', async () => {
      await page.waitForSelector('html[data-offline="ready"]', { state: 'attached' })
      await site.close()
      await page.reload()
      await isWritten()
      expect(await page.textContent('#said-1')).toContain('detected')
    })

    test('pages of the site: search, no overflow on a phone, axe finds nothing', async () => {
      site = await serveSite()
      const one = watch(
        await chromium.newPage({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' }),
      )
      for (const path of ['index.html', 'docs/watermarks/synthid.html', 'docs/api/uwbench.html']) {
        await one.goto(site.url + path)
        expect(await overflow(one), path).toBeLessThanOrEqual(0)
        expect(await violations(one), path).toEqual([])
      }
      await one.goto(`${site.url}docs/index.html`)
      await one.keyboard.press('/')
      await one.keyboard.type('tokens needed')
      await one.waitForSelector('#found li')
      await one.keyboard.press('Enter')
      await one.waitForURL((url) => !url.pathname.endsWith('docs/index.html'))
      await one.close()
    })

    test('uwbench playground shows your own watermark first, and an int8 model on demand', async () => {
      linkPackages(project, ['vite', '@huggingface/transformers'])
      writeOwnWatermark(project)
      await writeTinyStories(project)
      const args = ['--watermark', './mine.ts', '--port', '0']
      const playground = await startPlayground(args, project, { UWBENCH_CACHE: project })
      try {
        const one = watch(await chromium.newPage())
        await one.goto(playground.url)
        await isWritten(one)
        expect(await one.inputValue('#method')).toBe('secondChance')
        expect(await one.textContent('#marked-by')).toBe('secondChance')
        expect(await one.inputValue('#parameter-strength')).toBe('1')
        expect(await one.inputValue('#model')).toBe('stories15M')
        await one.fill('#tokens', '40')
        await one.selectOption('#model', 'uwbench-lm')
        await one.waitForFunction(
          () => !document.getElementById('prompt-1')!.textContent!.startsWith('Once upon a time'),
          null,
          WAIT,
        )
        await isWritten(one)
        expect(await one.locator('#text-1 .token').count()).toBe(40)
        await one.close()
      } finally {
        expect([130, null]).toContain(await playground.stop())
      }
    })

    test('the console stays empty, and nothing leaves the machine', () => {
      // a page that is reloaded offline asks the network first
      const offline = /net::ERR_(CONNECTION_REFUSED|INTERNET_DISCONNECTED)/
      expect(complaints.filter((text) => !offline.test(text))).toEqual([])
    })
  })
}
