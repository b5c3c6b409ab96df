// Takes pictures of the report page, the site and the playground, to be looked at: 1440 and 390 pixels wide, dark, and as printed.
//   npm run site && node scripts/screenshots.mjs [--out FOLDER]      default: _screenshots/
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    site: { type: 'string', default: join(root, '_site') },
    out: { type: 'string', default: join(root, '_screenshots') },
  },
})
const load = async (file) => (await runnerImport(join(root, file))).module
const { findChromium } = await load('src/cli/commands/chromium.ts')
const { packagedChromium } = await load('spec/packaged-chromium.ts')
const installed = findChromium()
const program = installed ? { executablePath: installed } : packagedChromium()
if (program === undefined) throw new Error('no Chromium: install one, or set CHROMIUM to its path')

const pages = {
  start: 'index.html',
  gate: 'docs/gate.html',
  reports: 'reports/index.html',
  playground: 'playground/index.html',
}
const looks = {
  1440: { viewport: { width: 1440, height: 900 } },
  390: { viewport: { width: 390, height: 844 } },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
}

// pages that fetch their parts do not work from files
const types = {
  html: 'text/html',
  js: 'text/javascript',
  mjs: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  json: 'application/json',
  wasm: 'application/wasm',
}
const server = createServer(({ url }, response) => {
  try {
    const path = new URL(url, 'http://localhost').pathname
    const content = readFileSync(join(values.site, path))
    response.setHeader('content-type', types[path.split('.').at(-1)] ?? 'application/octet-stream')
    response.end(content)
  } catch {
    response.writeHead(404).end()
  }
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
mkdirSync(values.out, { recursive: true })
const browser = await chromium.launch({ ...program, args: ['--no-sandbox', '--disable-gpu'] })
for (const [name, path] of Object.entries(pages))
  for (const [look, options] of Object.entries(looks)) {
    const page = await browser.newPage(options)
    await page.goto(`http://127.0.0.1:${server.address().port}/${path}`)
    if (name === 'playground') await page.waitForSelector('select option', { state: 'attached' })
    await page.screenshot({ path: join(values.out, `${name}-${look}.png`) })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    console.log(`${name}-${look}.png${overflow > 0 ? `: ${overflow} pixels wider than the window` : ''}`)
    if (look === '1440') await page.pdf({ path: join(values.out, `${name}.pdf`), format: 'A4' })
    await page.close()
  }
await browser.close()
server.close()
