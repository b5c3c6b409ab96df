/** What the command line writes for people to look at, seen in a real Chromium; and `audit` and `report`. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/bench/report/write.ts'
import { useChromium } from '../chromium.ts'
import { sample } from '../report/sample.ts'
import { unsafe } from './in-process.ts'
import { build, root, temporaryFolder, uwbench } from './program.ts'

const folder = temporaryFolder('pages')
const run = (...args: string[]) =>
  uwbench(args, { cwd: folder, env: { UWBENCH_KEY: 'a secret that nobody guesses' } })

beforeAll(build)

describe('in Chromium', () => {
  const chromium = useChromium()

  /** Opens a file; complaints are whatever the console says and whatever is asked of the network. */
  async function open(file: string) {
    const page = await chromium.newPage({ viewport: { width: 1000, height: 800 } })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(request.url())
    })
    await page.goto(pathToFileURL(join(folder, file)).href)
    return { page, complaints }
  }

  test('detect --html: the verdict, and every token coloured by its score', async () => {
    run('generate', 'The <b>whale</b> & I', '-w', 'gumbel', '--max-tokens', '60', '--seed', '5', '-o', 'text')
    const { status } = run('detect', 'text.json', '--html', 'page.html')
    expect(status).toBe(0)
    const { page, complaints } = await open('page.html')
    const { tokens } = JSON.parse(readFileSync(join(folder, 'text.json'), 'utf8')) as { tokens: number[] }
    expect(await page.title()).toBe('Watermark detection')
    expect(await page.textContent('table')).toContain('detected at alpha = 0.01')
    expect(await page.textContent('.text')).toBe(readFileSync(join(folder, 'text'), 'utf8'))
    const spans = await page.$$eval('.text span', (all) =>
      all.map((span) => ({
        scored: span.className !== 'none',
        colour: getComputedStyle(span).backgroundColor,
      })),
    )
    expect(spans.length).toBeLessThanOrEqual(tokens.length)
    expect(spans.filter(({ scored }) => scored).length).toBeGreaterThan(10)
    for (const { scored, colour } of spans) expect(colour !== 'rgba(0, 0, 0, 0)').toBe(scored)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    // green is what scores above the mean of an unmarked text: 1, for gumbel
    const titles = await page.$$eval('.text span:not(.none)', (all) =>
      all.map((span) => [Number(span.getAttribute('title')!.slice(6)), span.className] as const),
    )
    for (const [score, shade] of titles) expect(shade[0]).toBe(score >= 1 ? 'g' : 'r')
    expect(complaints).toEqual([])
  })

  test('detect --html: hostile text is text, and the policy lets nothing else run', async () => {
    const evil =
      '</p></span><script>document.title="owned"</script><img src=x onerror="document.title=1"> &amp; \u202e\u001b[31m'
    writeFileSync(join(folder, 'evil.txt'), `The whale ${evil} ${evil}`)
    expect(run('detect', 'evil.txt', '-w', 'gumbel', '--html', 'evil.html').status).toBeLessThanOrEqual(1)
    const { page, complaints } = await open('evil.html')
    expect(await page.title()).toBe('Watermark detection')
    expect(await page.$$eval('script, img, iframe', (all) => all.length)).toBe(0)
    const text = await page.textContent('.text')
    expect(text).toContain('<script>document.title="owned"</script>')
    expect(text).not.toMatch(unsafe)
    expect(complaints).toEqual([])
    // even a script that got into the page would not run, nor would a style of its own
    await page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'document.title = "owned"'
      document.body.append(script)
    })
    expect(await page.title()).toBe('Watermark detection')
    expect(complaints.join()).toContain('Content Security Policy')
  })

  test('detect --html: 150,000 tokens', async () => {
    const tokens = Array.from({ length: 150_000 }, (_, i) => (i * 7919 + (i >> 7)) % 4096)
    const sidecar = { tokens, vocabSize: 4096, watermark: 'gumbel', model: 'uwbench-lm' }
    writeFileSync(join(folder, 'long.json'), JSON.stringify(sidecar))
    const { status, stdout, stderr } = run('detect', 'long.json', '--html', 'long.html')
    expect(stderr).toBe('')
    expect(stdout).toContain('of 150000 tokens')
    expect(status).toBeLessThanOrEqual(1)
    const { page, complaints } = await open('long.html')
    expect(await page.$$eval('.text span', (all) => all.length)).toBeGreaterThan(100_000)
    expect(complaints).toEqual([])
  })

  test('report: one page from the reports of a folder', async () => {
    writeFileSync(join(folder, 'sample.json'), toJson(sample))
    const { status, stdout } = run('report', '.')
    expect(stdout.trim().endsWith('index.html')).toBe(true)
    expect(status).toBe(0)
    const { page, complaints } = await open('index.html')
    expect(await page.textContent('body')).toContain(sample.title)
    expect(await page.$$eval('#sample-sample-table-table tbody tr', (rows) => rows.length)).toBe(
      sample.tables[0]!.rows.length,
    )
    expect(complaints).toEqual([])
  })
})

test('report --files: every format again, from the JSON', () => {
  writeFileSync(join(folder, 'sample.json'), toJson(sample))
  rmSync(join(folder, 'sample.csv'), { force: true })
  expect(run('report', '.').status).toBe(0)
  expect(existsSync(join(folder, 'sample.csv'))).toBe(false)
  expect(run('report', '.', '--files').status).toBe(0)
  for (const file of ['sample.csv', 'sample.md', 'sample.tex', 'sample-axes.svg'])
    expect(existsSync(join(folder, file)), file).toBe(true)
  // a file that is no report is named, with what is wrong in it
  writeFileSync(join(folder, 'broken.json'), toJson({ ...sample, title: 3 as unknown as string }))
  expect(run('report', '.').stderr).toContain('broken.json: title: expected a string, got 3')
  rmSync(join(folder, 'broken.json'))
})

test('audit: prints the committed report, as Markdown and as JSON', () => {
  const report = (name: string) => readFileSync(join(root, 'reports', name), 'utf8')
  expect(run('audit').stdout).toBe(report('audit.md'))
  expect(run('audit', '--json').stdout).toBe(report('audit.json'))
})
