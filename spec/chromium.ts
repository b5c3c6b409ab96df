/**
 * A real Chromium for what people look at: where `CHROMIUM` says, else an installed one, else (Linux, x64) the one that came with
 * `npm ci`. Without any, tests are skipped; see require.ts. A `CHROMIUM` that is no program means that there is none.
 */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { findChromium } from '../src/cli/commands/chromium.ts'
import { packagedChromium } from './packaged-chromium.ts'
import { requireComponent } from './require.ts'

const INSTALL = 'apt-get install chromium, or set CHROMIUM to the path of one'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

interface Program {
  readonly executablePath: string
  readonly env?: Record<string, string>
}

async function find(): Promise<Program | undefined> {
  const executablePath = findChromium()
  if (executablePath !== undefined) return { executablePath }
  return process.env.CHROMIUM ? undefined : packagedChromium()
}

/** Starts the browser; undefined where there is none, or only one that lacks libraries of the system. */
async function launch(): Promise<Browser | undefined> {
  const program = await find()
  if (program === undefined) return undefined
  const started = chromium.launch({ ...program, args: flags })
  return program.env === undefined ? started : started.catch(() => undefined)
}

export interface Chromium {
  /** Undefined in hooks where there is no browser; tests are skipped then. */
  readonly browser: Browser | undefined
  newPage(options?: BrowserContextOptions): Promise<Page>
}

/** A browser for the tests of a file, or of the `describe` that this is called in. Without one they are skipped. */
export function useChromium(): Chromium {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await launch()
  })
  beforeEach((context) => requireComponent(context, 'chromium', browser !== undefined, INSTALL))
  afterAll(() => browser?.close())
  return {
    get browser() {
      return browser
    },
    newPage: (options) => browser!.newPage(options),
  }
}
