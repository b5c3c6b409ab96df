/**
 * The kernels in a real browser: bundled as users bundle them, they compile and agree with Node's and with the plain twins; under
 * a content security policy that forbids WebAssembly the plain twins run, and nothing but the speed changes.
 */
import { build } from 'vite'
import { beforeAll, expect, test } from 'vitest'
import * as uwbench from '../../src/index.ts'
import { useChromium } from '../chromium.ts'

interface Marked {
  readonly id: string
  readonly tokens: number[]
  readonly logPValue: number
}

/** Marks and detects a short text with several methods. Runs in Node and, sent as source text, in the browser. */
async function markAndDetect({
  christ,
  deltaReweight,
  detect,
  dipmark,
  embedder,
  expEdit,
  gumbel,
  kernels,
  kgw,
  mcmark,
  synthid,
}: typeof uwbench): Promise<{ kind: string; marked: Marked[] }> {
  const vocabSize = 1000
  const kind = await kernels.ready()
  const weights = Float64Array.from({ length: vocabSize }, (_, i) => 1 / (i + 10))
  const total = weights.reduce((sum, w) => sum + w, 0)
  const p = weights.map((w) => w / total)
  const methods = [
    gumbel(),
    deltaReweight(),
    dipmark({ alpha: 0.4 }),
    kgw({ delta: 2 }),
    mcmark({ channels: 20 }),
    synthid({ layers: 20 }),
    expEdit({ keyLength: 32 }),
    christ(),
  ]
  const marked = methods.map((watermark) => {
    const text = embedder(watermark as never, { key: 'browser', vocabSize, seed: 1 })
    const q = new Float64Array(vocabSize)
    const tokens = [1, 2]
    for (let t = 0; t < 60; t++) {
      text.reweight(tokens, p, q)
      let left = ((t * 0.6180339887) % 1) + 1e-9
      let token = 0
      while (token < vocabSize - 1 && left > q[token]!) left -= q[token++]!
      text.drew(token, p[token]!)
      tokens.push(token)
    }
    const { logPValue } = detect(watermark as never, tokens, { key: 'browser', vocabSize, runs: 19 })
    return { id: watermark.id, tokens, logPValue }
  })
  return { kind, marked }
}

const chromium = useChromium()
let bundle = ''

beforeAll(async () => {
  const built = await build({
    logLevel: 'silent',
    configFile: false,
    build: { write: false, lib: { entry: 'src/index.ts', formats: ['es'], fileName: 'uwbench' } },
  })
  bundle = (built as { output: { code: string }[] }[])[0]!.output[0]!.code
})

/** The result in a page with the given policy. */
async function inPage(policy: string): ReturnType<typeof markAndDetect> {
  const page = await chromium.newPage()
  const script = `import * as uwbench from './uwbench.js'; window.result = (${markAndDetect})(uwbench)`
  const files: Record<string, [type: string, body: string]> = {
    '/': ['text/html', '<!doctype html><script type="module" src="./main.js"></script>'],
    '/main.js': ['text/javascript', script],
    '/uwbench.js': ['text/javascript', bundle],
  }
  await page.route('**/*', (route) => {
    const [contentType, body] = files[new URL(route.request().url()).pathname] ?? ['text/plain', '']
    return route.fulfill({ contentType, body, headers: { 'content-security-policy': policy } })
  })
  await page.goto('http://uwbench.test/')
  await page.waitForFunction('window.result !== undefined')
  const result = await page.evaluate('window.result')
  await page.close()
  return result as Awaited<ReturnType<typeof markAndDetect>>
}

test.each([
  ['allowed', "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'", 'wasm'],
  ['forbidden', "default-src 'none'; script-src 'self'", 'plain'],
])('WebAssembly %s: the same texts and p-values as in Node', async (_, policy, kind) => {
  const here = await markAndDetect(uwbench)
  const there = await inPage(policy)
  expect(here.kind).toBe('wasm')
  expect(there.kind).toBe(kind)
  for (const [i, { id, tokens, logPValue }] of there.marked.entries()) {
    expect(tokens, id).toEqual(here.marked[i]!.tokens)
    expect(Math.abs(logPValue - here.marked[i]!.logPValue), id).toBeLessThanOrEqual(1e-12)
  }
  // the texts are marked: the comparison is not one of nothing with nothing
  expect(Math.min(...there.marked.map(({ logPValue }) => logPValue))).toBeLessThan(Math.log(1e-6))
})
