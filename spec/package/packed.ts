/** The package as npm would publish it, and projects that install it. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../commands/program.ts'

interface Manifest {
  readonly exports: Record<string, string>
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
  readonly peerDependencies: Record<string, string>
  readonly peerDependenciesMeta: Record<string, { optional: boolean }>
}

export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

/** What users import: `uwbench`, `uwbench/laws` and so on. */
export const entries: readonly string[] = Object.keys(manifest.exports)
  .filter((name) => !name.endsWith('.json'))
  .map((name) => `uwbench${name.slice(1)}`)

const npm = (cwd: string, ...args: string[]): string =>
  execFileSync('npm', [...args, '--loglevel=error'], { cwd, encoding: 'utf8' })

export interface Packed {
  readonly tarball: string
  /** Paths in the package. */
  readonly files: readonly string[]
}

/** Packs into a folder. */
export function pack(folder: string): Packed {
  const [packed] = JSON.parse(npm(root, 'pack', '--json', '--pack-destination', folder)) as {
    filename: string
    files: { path: string }[]
  }[]
  return { tarball: join(folder, packed!.filename), files: packed!.files.map(({ path }) => path) }
}

/** Makes the folder somebody's project with the packed package and others, in the versions that are tested here. */
export function install(folder: string, others: readonly string[] = []): Packed {
  const packed = pack(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const packages = others.map((name) => `${name}@${manifest.devDependencies[name]}`)
  npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', packed.tarball, ...packages)
  return packed
}
