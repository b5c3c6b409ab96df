import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { codeDigest, ownCode, reached } from '../../src/bench/cells/code.ts'
import { workerCount } from '../../src/bench/cells/pool.ts'
import { duration, progress } from '../../src/bench/cells/progress.ts'

/** A stream that keeps what it is sent, and a clock that the test moves. */
function screen(isTTY: boolean) {
  const written: string[] = []
  const clock = { time: 0 }
  const stream = { isTTY, columns: 80, write: (text: string) => written.push(text) }
  return { written, clock, stream, now: () => clock.time }
}

describe('progress', () => {
  test('on a terminal one line rewrites itself, with cells, share, rate and time left', () => {
    const { written, clock, stream, now } = screen(true)
    const line = progress({ title: 'table 3', cells: 4, cost: 10, stream, now })
    clock.time = 5000
    line.done('kgw', 1)
    expect(written.at(-1)).toBe('\r\u001b[2Ktable 3: 1/4 cells, 10%, 0.2 cells/s, 45 s left - kgw')
    line.end()
    expect(written.at(-1)).toBe('\r\u001b[2K')
  })

  test('elsewhere plain lines come now and then, and one at the end', () => {
    const { written, clock, stream, now } = screen(false)
    const line = progress({ title: 'table 3', cells: 40, cost: 40, stream, now, every: 10_000 })
    for (let i = 0; i < 40; i++) {
      clock.time += 1000
      line.done('kgw', 1)
    }
    line.end()
    expect(written).toEqual([
      'table 3: 10/40 cells, 25%, 1.0 cells/s, 30 s left\n',
      'table 3: 20/40 cells, 50%, 1.0 cells/s, 20 s left\n',
      'table 3: 30/40 cells, 75%, 1.0 cells/s, 10 s left\n',
      'table 3: 40/40 cells, 100%, 1.0 cells/s, 0 s left\n',
    ])
  })

  test('durations read well', () => {
    expect([7, 119, 120, 3600, 7200, 40_000].map(duration)).toEqual([
      '7 s',
      '119 s',
      '2 min',
      '60 min',
      '2.0 h',
      '11.1 h',
    ])
  })

  test('UWBENCH_WORKERS sets the number of workers', () => {
    expect(workerCount({ UWBENCH_WORKERS: '3' })).toBe(3)
    expect(workerCount({})).toBeGreaterThan(0)
  })
})

describe('the identity of code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'uwbench-code-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const write = (name: string, source: string) => {
    writeFileSync(join(folder, name), source)
    return pathToFileURL(join(folder, name)).href
  }

  test('follows relative imports of every form, not types and packages', () => {
    write('types.ts', 'export type T = 1')
    for (const name of ['a', 'b', 'c', 'd', 'e']) write(`${name}.ts`, 'export const x = 1')
    const lines = [
      `import type { T } from './types.ts'`,
      `import { x } from './a.ts'`,
      `import {\n  x as y,\n} from './b.ts'`,
      `export * from './c.ts'`,
      `import './d.ts'`,
      `import fs from 'node:fs'`,
      `const later = () => import('./e.ts')`,
    ]
    const entry = write('entry.ts', lines.join('\n'))
    const names = [...reached(entry).sources.keys()].map((url) => url.split('/').at(-1)).sort()
    expect(names).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'entry.ts'])
  })

  test('sees imports after a comment, after a semicolon and without spaces', () => {
    for (const name of ['f', 'g', 'h']) write(`${name}.ts`, 'export const x = 1')
    const entry = write(
      'dense.ts',
      `/* a */ import { x } from './f.ts';import{x as y}from"./g.ts";export*from'./h.ts'\n// import './none.ts'; import './none.ts'`,
    )
    expect(reached(entry).sources.size).toBe(4)
  })

  test.each([
    ['a quote in a comment', "import {\n y, // it's the strength\n} from './p.js'"],
    ['a comment in between', "import { y } from /* x */ './p.js'"],
    ['with attributes', "const p = import('./p.json', { with: { type: 'json' } })"],
    ['a comment for a bundler', "const p = import(/* @vite-ignore */ './p.js')"],
    ['a template', 'const p = import(`./p.js`)'],
    ['CommonJS', "const p = require('./p.js')"],
    ['data that is read', "const p = readFileSync(new URL('./p.json', import.meta.url))"],
    ['after a brace', "function f() {}import{a}from'./p.js'"],
    ['an absolute path', `import { y } from '${join(folder, 'p.js')}'`],
    ['a name of the project', "import { y } from '#p'"],
  ])('changes with what it names by %s', (_, source) => {
    write('package.json', '{ "imports": { "#p": "./p.js" } }')
    const entry = write('names.ts', source)
    const digestWith = (content: string): string => {
      for (const name of ['p.js', 'p.json']) write(name, content)
      return codeDigest(entry)
    }
    expect(digestWith('8')).not.toBe(digestWith('1'))
  })

  test.each([
    ['after a comment', '/** The strength. */ export const y = 1'],
    ['as a product', 'export const y = 2\n* 1'],
    ['in a template', 'export const y = `\n// 1\n`'],
    ['in a comment', 'export const y = 2 // 1'],
  ])('changes with code anywhere below, %s', (_, source) => {
    const entry = write('main.ts', `import { y } from './below.ts'\nexport const x = y`)
    write('below.ts', source)
    const before = codeDigest(entry)
    const own = ownCode(new URL('below.ts', entry).href)
    write('below.ts', source.replace('1', '8'))
    expect(codeDigest(entry)).not.toBe(before)
    expect(ownCode(new URL('below.ts', entry).href)).not.toBe(own)
  })
})
