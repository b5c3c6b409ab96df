/**
 * A real Chromium for what people look at: where `CHROMIUM` says, else an installed one, else (Linux, x64) the one that came with
 * `npm ci`. Without any, tests are skipped; see require.ts. A `CHROMIUM` that is no program means that there is none.
 */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
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

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A browser of the system. */
const installed = (): string | undefined =>
  [
    ...(process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))),
    ...elsewhere,
  ].find(isExecutable)

interface Program {
  readonly executablePath: string
  readonly env?: Record<string, string>
}

async function find(): Promise<Program | undefined> {
  const named = process.env.CHROMIUM
  if (named) return isExecutable(named) ? { executablePath: named } : undefined
  const executablePath = installed()
  return executablePath === undefined ? packagedChromium() : { executablePath }
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
