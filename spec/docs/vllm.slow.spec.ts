/** docs/vllm.md: the example for a browser gives in Chromium what it gives in Node. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { detect, gumbel } from '../../src/index.ts'
import { useChromium } from '../chromium.ts'
import { build, root, temporaryFolder } from '../commands/program.ts'
import { blocksOf, newProject } from './blocks.ts'

const html = blocksOf(readFileSync(join(root, 'docs/vllm.md'), 'utf8')).find(
  ({ language }) => language === 'html',
)!.text
const folder = temporaryFolder('vllm')
const chromium = useChromium()
let server: Server

beforeAll(() => {
  build()
  newProject(folder)
  server = createServer(async (request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname
    if (path === '/') {
      response.setHeader('content-type', 'text/html').end(html)
      return
    }
    try {
      response.setHeader('content-type', 'text/javascript').end(await readFile(join(folder, path)))
    } catch {
      response.writeHead(404).end()
    }
  }).listen(0)
})
afterAll(() => void server?.close())

test('the page in a browser prints what Node computes', async () => {
  const page = await chromium.newPage()
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
  expect(html).not.toMatch(/\d{15}/)
  await page.fill('input', '11171856277818869245')
  await page.press('input', 'Tab')
  await page.waitForFunction(() => document.querySelector('output')!.textContent?.startsWith('p = '))
  const tokens = JSON.parse(/const tokens = (\[.*\])/.exec(html)![1]!) as number[]
  const { pValue } = detect(gumbel({ codes: 'vllm' }), tokens, {
    key: '11171856277818869245',
    vocabSize: 1000,
  })
  expect(pValue).toBeLessThan(1e-6)
  expect(await page.textContent('output')).toBe(`p = ${pValue}`)
})
