/** Declarations of every entry compile elsewhere: no `skipLibCheck`, no optional peer, from the oldest TypeScript we support. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { root, temporaryFolder } from '../commands/program.ts'
import { entries, install, manifest } from './packed.ts'

const folder = temporaryFolder('types')

const program = `
${entries.map((entry, i) => `import * as entry${i} from '${entry}'`).join('\n')}
import { detect, gumbel } from 'uwbench'
export const names: string[] = [${entries.map((_, i) => `...Object.keys(entry${i})`).join(', ')}]
export const { pValue } = detect(gumbel(), [1, 2, 3], { key: 'secret', vocabSize: 4 })
/** A mistake that only real types show: the one error that is expected. */
export const wrong: string = pValue
`

beforeAll(() => {
  install(folder)
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'), 'dir')
  writeFileSync(join(folder, 'program.ts'), program)
})

/** Errors of the program with a version of TypeScript, as a project for Node or for browsers compiles it. */
function compile(version: string, options: object): string[] {
  const settings = { noEmit: true, strict: true, target: 'es2022', skipLibCheck: false, ...options }
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions: settings, files: ['program.ts'] }))
  const tsc = join(root, 'node_modules', version, 'bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: folder, encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes('error'))
}

const node = { module: 'nodenext', lib: ['es2022'], types: ['node'] }
const browser = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] }

test('no optional peer is installed', () => {
  for (const peer of Object.keys(manifest.peerDependencies))
    expect(existsSync(join(folder, 'node_modules', peer)), peer).toBe(false)
})

test('the page on installing names the oldest TypeScript that is tested', () => {
  expect(readFileSync(join(root, 'docs/install.md'), 'utf8')).toContain('TypeScript 5.4')
  expect(manifest.devDependencies['typescript-5.4']).toMatch(/@5\.4\./)
})

describe.each(['typescript-5.4', 'typescript-7'])('%s', (version) => {
  test.each([
    ['in Node', node],
    ['in a browser', browser],
  ])('every entry compiles %s, and a mistake is seen', (_, options) => {
    expect(compile(version, options)).toEqual([
      expect.stringMatching(/program\.ts.*TS2322.*'number'.*'string'/),
    ])
  })
})
