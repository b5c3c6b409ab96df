/** Whatever a report says, it says as text: in HTML, SVG, CSV, LaTeX and Markdown. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toSvg } from '../../src/bench/report/chart/svg.ts'
import { csvColumns, toCsv } from '../../src/bench/report/csv.ts'
import { anchor, markup, printable } from '../../src/bench/report/escape.ts'
import { toLatex } from '../../src/bench/report/latex.ts'
import { escapeMarkdown, toMarkdown } from '../../src/bench/report/markdown.ts'
import { toPage } from '../../src/bench/report/page.ts'
import { misfitOf } from '../../src/bench/report/shape.ts'
import { hostileReport, hostileText } from './hostile.ts'
import { sample } from './sample.ts'

/** Tags of a document, with attributes, as a parser that knows no entities sees them. */
const tagsOf = (document: string): string[] => document.match(/<[^>]*>/g) ?? []

describe('text', () => {
  test('printable text has no control characters and stays the same when cleaned again', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const clean = printable(text)
        expect(clean).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u)
        expect(printable(clean)).toBe(clean)
      }),
    )
  })

  test('markup can be read back, and ends no tag and no attribute', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(markup(text)).not.toMatch(/[<>"']/)
        const read = markup(text).replace(
          /&(lt|gt|quot|#39|amp);/g,
          (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name]!,
        )
        expect(read).toBe(printable(text))
      }),
    )
  })

  test('names make different anchors, and anchors are harmless', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (a, b) => {
        expect(anchor(a)).toMatch(/^[\w-]*$/)
        expect(anchor(a) === anchor(b)).toBe(a === b)
      }),
    )
  })
})

describe('hostile reports', () => {
  test('are reports all the same, as far as their shape goes', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        expect(misfitOf(report)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  test('HTML: no tag or attribute of theirs, one script and one style', () => {
    fc.assert(
      fc.property(fc.array(hostileReport, { maxLength: 2 }), (reports) => {
        const page = toPage(reports)
        // what is left of a tag without its quoted values is ours
        for (const tag of tagsOf(page.replace(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, '')))
          expect(tag.replace(/"[^"]*"/g, '')).not.toContain('uwx')
        // and the texts of samples as data
        const data = reports.some(({ samples = [] }) => samples.length > 0) ? 1 : 0
        expect(page.match(/<script/g)).toHaveLength(1 + data)
        expect(page.match(/<style/g)).toHaveLength(1)
        expect(page).not.toMatch(/<(img|iframe|object|embed|uwx)/i)
      }),
      { numRuns: 60 },
    )
  })

  test('HTML: the better side of a column is text, also in a report that nobody checked', () => {
    const better = '"><meta http-equiv=refresh content=uwx>' as 'lower'
    const table = sample.tables[0]!
    const columns = table.columns.map((column) => ({ ...column, better }))
    const page = toPage([{ ...sample, tables: [{ ...table, columns }] }])
    expect(page).toContain('data-better="&quot;&gt;&lt;meta')
    expect(page).not.toContain('<meta http-equiv=refresh')
  })

  test('SVG: well-formed tags that are ours, without control characters', () => {
    fc.assert(
      fc.property(hostileReport, ({ charts }) => {
        for (const chart of charts) {
          const svg = toSvg(chart)
          expect(svg).not.toMatch(/[\p{Cc}\p{Cs}]/u)
          expect(svg).not.toMatch(/NaN|undefined/)
          const open: string[] = []
          // the rules for dark mode are ours
          expect(svg.match(/<style>/g)?.length ?? 0).toBeLessThanOrEqual(1)
          for (const tag of tagsOf(svg.replace(/<style>[^<]*<\/style>/, ''))) {
            expect(tag).toMatch(/^<(\/?(svg|title|desc|g|path|rect|text))( [\w-]+="[^"<]*")*\/?>$/)
            const name = /\w+/.exec(tag)![0]
            if (tag.startsWith('</')) expect(open.pop()).toBe(name)
            else if (!tag.endsWith('/>')) open.push(name)
          }
          expect(open).toEqual([])
        }
      }),
      { numRuns: 60 },
    )
  })

  /** RFC 4180, strictly. */
  function parseCsv(text: string): string[][] {
    return text
      .slice(0, -2)
      .split('\r\n')
      .map((line) => {
        expect(line).toMatch(/^("(""|[^"])*"|[^",]*)(,("(""|[^"])*"|[^",]*))*$/)
        // a comma in front, so that every field has one
        return [...`,${line}`.matchAll(/,(?:"((?:""|[^"])*)"|([^",]*))/g)].map(
          ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!,
        )
      })
  }

  test('CSV: as many fields as columns, no formulas, the same numbers', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        const [head, ...lines] = parseCsv(toCsv(report))
        expect(head).toEqual([...csvColumns])
        const values = report.tables.flatMap(({ rows, columns }) =>
          rows.flatMap(({ cells }) => columns.flatMap(({ id }) => (cells[id] ? [cells[id]] : []))),
        )
        expect(lines.length).toBe(values.length)
        for (const [i, line] of lines.entries()) {
          expect(line).toHaveLength(csvColumns.length)
          const value = values[i]!
          const texts = value.kind === 'text' ? line.slice(0, 7) : line.slice(0, 6)
          for (const text of texts) expect(text).not.toMatch(/^\s*[=+\-@]./u)
          if (value.kind !== 'text') expect(Number(line[6])).toBe(value.value)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('LaTeX: no command of theirs, as many cells as columns', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        const lines = toLatex(report).split('\n')
        // the title is a comment, and one line
        expect(lines[0]).toMatch(/^% .*booktabs,graphicx\}$/u)
        const text = lines.slice(1).join('\n')
        expect(text).not.toMatch(/\p{Cs}|[^\P{Cc}\n]/u)
        const commands = new Set(text.match(/\\[a-zA-Z]+/g))
        const known =
          /^\\(begin|end|resizebox|ifdim|width|linewidth|else|fi|centering|caption|label|toprule|midrule|bottomrule|scriptsize|times|text(backslash|asciitilde|asciicircum|less|greater|bar)|delta|alpha|gamma|Delta|rho|le|ge|infty)$/
        for (const command of commands) expect(command).toMatch(known)
        // what LaTeX acts on is a command of ours, a brace, or escaped
        expect(text.replace(/\\[\\&%$#_{}]/g, '').replaceAll(/\$\\\w+( 10\^\{-?\d+\})?\$/g, '')).not.toMatch(
          /[%~]|\^\^/,
        )
        let columns = 0
        for (const line of lines.slice(1)) {
          const letters = /\\begin\{tabular\}\{(.+)\}$/.exec(line)?.[1]?.replace(/\{\d+cm\}/g, '')
          if (letters) columns = letters.length
          if (!line.endsWith(' \\\\')) continue
          expect(line.replaceAll('\\&', '').split('&').length).toBe(columns)
          expect(line).not.toMatch(/^\s*[[*]/)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('Markdown: no tags, no links but to our files, as many cells as columns', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        const text = toMarkdown(report)
        expect(text.replace(/\\./gu, '')).not.toMatch(/<[a-z/!?]|`/i)
        for (const [, target] of text.replace(/\\[^\]]/gu, '').matchAll(/(?<!\\)\]\(([^)]*)\)/g))
          expect(target).toMatch(/^[\w-]*\.svg$/)
        let columns = 0
        for (const line of text.split('\n').filter((one) => one.startsWith('|'))) {
          const cells = line.replace(/\\[\\|]/g, '').split('|').length
          if (/^\|:--/.test(line)) expect(cells).toBe(columns)
          columns = cells
        }
      }),
      { numRuns: 60 },
    )
  })

  test('Markdown that is escaped reads as the text itself', () => {
    expect(escapeMarkdown('a_b *c* `d` <e> 1 < 2 [f](g) [0, 1] h|i &lt; ~j~ $k$')).toBe(
      'a_b \\*c\\* \\`d\\` \\<e> 1 < 2 [f\\](g) [0, 1] h\\|i &amp;lt; \\~j\\~ \\$k\\$',
    )
  })
})

describe('what is no report is refused with its place', () => {
  const row = sample.tables[0]!.rows[0]!
  test.each<[string, object, string]>([
    ['title', { ...sample, title: 3 }, 'title'],
    [
      'cell',
      {
        ...sample,
        tables: [{ ...sample.tables[0], rows: [{ ...row, cells: { tpr: { kind: 'exact', value: 'x' } } }] }],
      },
      'tables[0].rows[0].cells.tpr.value',
    ],
    [
      'better',
      {
        ...sample,
        tables: [{ ...sample.tables[0], columns: [{ ...sample.tables[0]!.columns[0], better: 'x' }] }],
      },
      'tables[0].columns[0].better',
    ],
    ['kind', { ...sample, charts: [{ ...sample.charts[0], kind: 'pie' }] }, 'charts[0].kind'],
    [
      'point',
      { ...sample, charts: [{ ...sample.charts[0], points: [{ label: 'a', family: 'b', x: null, y: 1 }] }] },
      'charts[0].points[0].x',
    ],
  ])('%s', (_, report, at) => {
    expect(misfitOf(report)?.at).toBe(at)
  })

  test('a report is one', () => {
    expect(misfitOf(sample)).toBeUndefined()
  })
})
