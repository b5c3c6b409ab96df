/**
 * The Chromium in the package `@sparticuz/chromium`, a dev dependency: it runs on Linux with x64. The package unpacks into the
 * system's temporary folder, where several test files at once would meet half a file; so it is unpacked here, once, beside the packages.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const packed = join(modules, '@sparticuz/chromium/bin')
const unpacked = join(modules, '.cache/uwbench/chromium')

const unpack = (name: string): Buffer => brotliDecompressSync(readFileSync(join(packed, name)))

const fontsFile = (fonts: string): string =>
  `<?xml version="1.0"?><fontconfig><dir>${fonts}</dir><cachedir>${fonts}/cache</cachedir></fontconfig>\n`

/** The browser, and the libraries and fonts that a system may lack. */
function unpackInto(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'chromium'), unpack('chromium.br'))
  chmodSync(join(folder, 'chromium'), 0o755)
  for (const archive of ['al2023.tar.br', 'fonts.tar.br'])
    execFileSync('tar', ['-x', '-C', folder], { input: unpack(archive) })
  writeFileSync(join(folder, 'fonts.conf'), fontsFile(join(unpacked, 'fonts')))
}

export function packagedChromium(): { executablePath: string; env: Record<string, string> } | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(packed)) return undefined
  if (!existsSync(unpacked)) {
    const draft = `${unpacked}.${process.pid}`
    unpackInto(draft)
    try {
      renameSync(draft, unpacked)
    } catch {
      rmSync(draft, { recursive: true, force: true }) // another process was faster
    }
  }
  const libraries = [process.env.LD_LIBRARY_PATH, join(unpacked, 'lib')].filter(Boolean).join(':')
  return {
    executablePath: join(unpacked, 'chromium'),
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: libraries,
      ...(existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_FILE: join(unpacked, 'fonts.conf') }),
    },
  }
}
