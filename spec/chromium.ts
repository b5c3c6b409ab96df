/** A real Chromium for what people look at. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export async function launchChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  if (!existsSync(executablePath))
    throw new Error(
      `this test needs Chromium, and there is none at ${executablePath}: install it (Debian: apt-get install chromium) or set CHROMIUM to its path`,
    )
  return chromium.launch({ executablePath, args: flags })
}
