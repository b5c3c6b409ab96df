import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { detect, gumbel } from '../../src/index.ts'
import { useChromium } from '../chromium.ts'
import { build, root, temporaryFolder } from '../commands/program.ts'
import { blocksOf, newProject, runBlocks, withBlocks } from './blocks.ts'
import { fill } from './parts.ts'
import { facts, picture, results } from './results.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = blocksOf(readme)
const under = (heading: string) => blocks.filter((block) => block.heading === heading)
const folder = temporaryFolder('readme')
const printed = new Map<number, string>()
/** Whether `npm run docs` is writing. */
const update = (): boolean => expect.getState().snapshotState.snapshotUpdateState === 'all'

beforeAll(() => {
  build()
  newProject(folder)
})

describe('every block of the README runs as printed', () => {
  const headings = [...new Set(blocks.map(({ heading }) => heading))]
  test('the tour is complete', () => {
    expect(headings).toEqual(
      expect.arrayContaining([
        'Thirty seconds to a counterexample',
        '1. Gate',
        '2. Generate and detect',
        '3. Benchmark',
      ]),
    )
  })

  // in order: later steps of the tour use files that earlier ones wrote
  for (const heading of headings)
    test(heading, () => {
      for (const [line, text] of runBlocks(under(heading), folder, update())) printed.set(line, text)
    })

  test('the benchmark step wrote its table and its page', () => {
    expect(readFileSync(join(folder, 'reports/table3.md'), 'utf8')).toContain('| mine |')
    expect(existsSync(join(folder, 'reports/index.html'))).toBe(true)
    expect(readFileSync(join(folder, 'night.html'), 'utf8')).toContain('detected at alpha')
  })
})

describe('the browser example', () => {
  const chromium = useChromium()
  let server: Server
  const page = readFileSync(join(root, 'docs/embedding.md'), 'utf8')
  const html = blocksOf(page).find(({ language }) => language === 'html')!.text

  beforeAll(() => {
    server = createServer(async (request, response) => {
      const path = new URL(request.url!, 'http://localhost').pathname
      if (path === '/') {
        response.setHeader('content-type', 'text/html').end(html)
        return
      }
      try {
        const file = await readFile(join(folder, path))
        response.setHeader('content-type', 'text/javascript').end(file)
      } catch {
        response.writeHead(404).end()
      }
    }).listen(0)
  })
  afterAll(() => void server?.close())

  test('ten lines that give in Chromium what they give in Node', async () => {
    const script = html.slice(html.indexOf('<script type="module">')).split('\n')
    expect(html.trim().split('\n').length).toBeLessThanOrEqual(10)
    expect(script.length).toBeGreaterThan(3)
    const page = await chromium.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
    await page.waitForFunction(() => document.body.textContent?.startsWith('p = '))
    const tokens = Array.from({ length: 100 }, (_, t) => (t * t) % 997)
    const { pValue } = detect(gumbel(), tokens, { key: 'a long secret key', vocabSize: 50257 })
    expect(await page.textContent('body')).toBe(`p = ${pValue}`)
    expect(complaints.filter((text) => !text.includes('favicon') && !text.includes('404'))).toEqual([])
  })
})

test('what it shows is what was printed (npm run docs writes it)', async () => {
  await expect(
    fill(withBlocks(readme, printed), { picture: picture(), facts: facts(), results: results() }),
  ).toMatchFileSnapshot(join(root, 'README.md'))
})

test('links lead to files that are in the package, so that they work on its page', () => {
  const targets = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!)
  expect(targets.length).toBeGreaterThan(5)
  for (const target of targets) {
    expect(existsSync(join(root, target)), target).toBe(true)
    expect(target).toMatch(/^(docs\/[\w/-]+\.md|reports\/[\w-]+\.(md|svg)|[A-Z]+\.md)$/)
  }
})

test('it is short, and its prose states no number that code did not write', () => {
  expect(readme.split('\n').length).toBeLessThan(200)
  const prose = readme
    .replace(/```[\s\S]*?```/g, '')
    .replace(/<!-- (\w+):start -->[\s\S]*?<!-- \1:end -->/g, '')
    .replace(/^(\|.*|#.*)$/gm, '')
    .replace(/`[^`]*`|\([^)]*\)/g, '')
  expect(
    prose.match(/(?<![\w.-])\d[\d.,]*(?!\w)/g)?.filter((number) => !/^(2026|2\.0\.?)$/.test(number)) ?? [],
  ).toEqual([])
})

test('it promises what package.json does', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    engines: { node: string }
    scripts: Record<string, string>
  }
  expect(manifest.engines.node).toBe('>=20.19')
  for (const [, script] of readme.matchAll(/npm run (\w+)/g))
    expect(manifest.scripts, script).toHaveProperty(script!)
})
