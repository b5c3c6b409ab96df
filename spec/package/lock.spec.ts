/** `npm ci` on any machine: every package is pinned by its content, none by a host, and none runs a script of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../commands/program.ts'

interface Locked {
  readonly integrity?: string
  readonly resolved?: string
  readonly hasInstallScript?: boolean
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>
}
const names = (wrong: (locked: Locked) => boolean): string[] =>
  Object.entries(packages).flatMap(([name, locked]) => (name !== '' && wrong(locked) ? [name] : []))

test('every locked package has its integrity', () => {
  expect(names(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([])
})

test('no locked package names a registry', () => {
  expect(names(({ resolved }) => resolved !== undefined)).toEqual([])
})

test('no locked package runs an install script; if one is listed: npm run lock', () => {
  expect(names(({ hasInstallScript }) => hasInstallScript === true)).toEqual([])
})
