/** The built folder: every link leads somewhere, every method has its picture, the playground is small enough. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { mechanism } from '../../site/mechanism.ts'
import { shippedMethods } from '../../src/index.ts'

export interface BuiltSite {
  readonly folder: string
  /** Paths and sizes, once it is built. */
  files(): ReadonlyMap<string, number>
}

export function describeBuilt({ folder, files: built }: BuiltSite): void {
  const files = { has: (path: string) => built().has(path), keys: () => built().keys() }
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const pages = (): string[] => [...files.keys()].filter((path) => path.endsWith('.html'))
  /** All pages but the report's, which has its own tests. */
  const ours = (): string[] => pages().filter((path) => path !== 'reports/index.html')

  describe('the built folder', () => {
    test('every link leads to a file of the site, every anchor to an element', () => {
      const idsOf = new Map(
        pages().map((path) => [
          path,
          new Set([...read(path).matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)),
        ]),
      )
      const lost: string[] = []
      for (const path of ours())
        for (const [, href] of read(path).matchAll(/\s(?:href|src)="([^"]*)"/g)) {
          if (/^(https?:|data:|mailto:)/.test(href!)) continue
          const [to = '', anchor] = href!.split('#')
          const target = to === '' ? path : posix.join(posix.dirname(path), decodeURI(to))
          if (!files.has(target)) lost.push(`${path}: ${href}`)
          else if (anchor !== undefined && !idsOf.get(target)?.has(anchor)) lost.push(`${path}: ${href}`)
        }
      expect(lost).toEqual([])
      expect(read('reports/index.html')).toContain('<a href="../index.html">uwbench</a>')
      expect(pages().length).toBeGreaterThan(60)
    })

    test('the side bar names its groups without the signs of their anchors', () => {
      const groups = [...read('docs/gate.html').matchAll(/<summary>(.*?)<\/summary>/g)].map(
        ([, name]) => name,
      )
      expect(groups.slice(0, 3)).toEqual(['Start', 'Gate', 'Detect'])
      expect(groups.filter((name) => !/^[A-Z][A-Za-z ]+$/.test(name!))).toEqual([])
    })

    test('links are relative, styles are in files, and a policy forbids the rest', () => {
      for (const path of ours()) {
        const html = read(path)
        expect(html, path).not.toMatch(/\s(href|src)="\//)
        expect(html, path).not.toMatch(/\sstyle="|<style|<script(?![^>]*\ssrc=)/)
        expect(html, path).toMatch(/http-equiv="Content-Security-Policy" content="default-src 'none'/)
      }
    })

    test('the playground is under 10 MB on any host, its model included', () => {
      const sent = [...files.keys()]
        .filter((path) => path.startsWith('playground/'))
        .map((path) => readFileSync(join(folder, path)))
        // what is not compressed already is at worst sent as it is
        .reduce((sum, bytes) => sum + bytes.length, 0)
      expect(sent).toBeLessThan(10_000_000)
      expect(sent).toBeGreaterThan(5_000_000) // the model is in there
    })

    test('a search index of small size has every page of the documentation', () => {
      const entries = JSON.parse(read('search.json')) as { u: string }[]
      const found = new Set(entries.map(({ u }) => u.split('#')[0]))
      for (const path of pages().filter((path) => path.startsWith('docs/'))) expect(found).toContain(path)
      expect(gzipSync(read('search.json')).length).toBeLessThan(250_000)
    })
  })

  describe('pictures of the mechanism', () => {
    test('every method has a picture on its page, drawn from its declaration', () => {
      for (const method of shippedMethods()) {
        const file = method.name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
        expect(read(`docs/watermarks/${file}.html`), file).toContain(mechanism(method))
      }
    })

    test('its label states p, q under each key, and the average', () => {
      for (const method of shippedMethods()) {
        const [, words] = /aria-label="([^"]+)"/.exec(mechanism(method))!
        const rows = [...words!.matchAll(/: ((?:[A-F] \d\.\d\d(?:, )?){6})\./g)].map(([, row]) =>
          [...row!.matchAll(/\d\.\d\d/g)].map(([mass]) => Number(mass)),
        )
        expect(rows, method.name).toHaveLength(5)
        const [p, , , , average] = rows
        for (const row of rows) expect(row.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(1, 1)
        const away = p!.reduce((sum, mass, i) => sum + Math.abs(mass - average![i]!), 0) / 2
        const { unbiased, target, orbit, enumerate } = method.usual(method.small)
        if (target) expect(mechanism(method)).toContain(target)
        else if (!unbiased) expect(away, method.name).toBeGreaterThan(0.01)
        else if (!orbit && !enumerate) expect(away, method.name).toBeLessThan(0.02)
        else {
          expect(away, method.name).toBe(0)
          expect(mechanism(method)).toContain('exactly p')
        }
      }
    })
  })
}
