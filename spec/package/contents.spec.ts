/** What is published: what users need, and nothing that only this repository needs. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { beforeAll, expect, test } from 'vitest'
import { root, temporaryFolder } from '../commands/program.ts'
import { manifest, type Packed, pack } from './packed.ts'

const folder = temporaryFolder('contents')
let packed: Packed

beforeAll(() => {
  packed = pack(folder)
})

test('no source maps, no training scripts, no build stamp', () => {
  const served = (path: string): boolean => /^(testee|python)\//.test(path)
  expect(
    packed.files.filter((path) => /\.map$|\.py$|\.sh$|\.tmp$|(^|\/)\.[^/]+$/.test(path) && !served(path)),
  ).toEqual([])
  expect(packed.files.filter((path) => path.startsWith('testee/')).sort()).toEqual([
    'testee/example.py',
    'testee/generator.schema.json',
    'testee/protocol.schema.json',
    'testee/uwbench_testee.py',
    'testee/workflow.yml',
  ])
  for (const name of ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'dist/cli/uwbench.js'])
    expect(packed.files).toContain(name)
})

test('no compiled file mentions a source map that is not there', () => {
  for (const path of packed.files.filter((name) => /\.(js|ts)$/.test(name)))
    expect(readFileSync(join(root, path), 'utf8'), path).not.toContain('sourceMappingURL')
})

test("the README's links and its picture are in the package", () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const targets = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target!)
  expect(targets.length).toBeGreaterThan(5)
  for (const target of targets) {
    const found = packed.files.some((path) =>
      target.endsWith('/') ? path.startsWith(target) : path === target,
    )
    expect(found, target).toBe(true)
  }
})

test('publint finds nothing', async () => {
  const data = await readFile(packed.tarball)
  const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball }, level: 'suggestion', strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

test('Are the types wrong? finds nothing', async () => {
  const result = await checkPackage(createPackageFromTarballData(await readFile(packed.tarball)))
  if (!result.types) throw new Error('no types were found')
  expect(Object.keys(result.entrypoints).sort()).toEqual(Object.keys(manifest.exports).sort())
  // the package is for ES modules only: Node 10 knows no `exports`, and CommonJS has to import() it
  const ours = ({ kind, resolutionKind }: { kind: string; resolutionKind?: string }): boolean =>
    resolutionKind !== 'node10' && kind !== 'CJSResolvesToESM'
  expect(result.problems.filter(ours)).toEqual([])
})
