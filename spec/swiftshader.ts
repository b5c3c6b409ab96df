/**
 * A graphics card in software: SwiftShader, which comes with the Chromium of `@sparticuz/chromium`, a dev dependency. With it WebGPU runs on
 * Linux with x64 and no card at all: slowly, but through the same code of the runtime.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const packed = join(modules, '@sparticuz/chromium/bin/swiftshader.tar.br')
const unpacked = join(modules, '.cache/uwbench/swiftshader')

/** The environment of a process that has the card; undefined where there is none. */
export function swiftShader(): Record<string, string> | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(packed)) return undefined
  if (!existsSync(unpacked)) {
    const draft = `${unpacked}.${process.pid}`
    mkdirSync(draft, { recursive: true })
    execFileSync('tar', ['-x', '-C', draft], { input: brotliDecompressSync(readFileSync(packed)) })
    try {
      renameSync(draft, unpacked)
    } catch {
      rmSync(draft, { recursive: true, force: true }) // another process was faster
    }
  }
  return {
    ...(process.env as Record<string, string>),
    VK_ICD_FILENAMES: join(unpacked, 'vk_swiftshader_icd.json'),
    LD_LIBRARY_PATH: [unpacked, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
  }
}
