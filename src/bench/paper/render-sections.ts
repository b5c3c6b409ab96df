/** The sections of the audit's report, one table each. */
import type { Audit } from './audit/index.ts'
import { methods } from './methods.ts'

const percent = (x: number): string => `${(100 * x).toFixed(2)}`
const small = (x: number): string => (x >= 0.001 ? x.toPrecision(3) : x.toExponential(2))
export const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

/** A Markdown table; the first column is left-aligned, the others as `align` says. */
function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  align: 'left' | 'right' = 'right',
): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  const rule = header.map((_, i) => (i === 0 || align === 'left' ? '---' : '---:'))
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

export function scoreTables(a: Audit): string {
  const of = (axis: string) => a.scores.filter((c) => c.axis === axis)
  const detectability = markdownTable(
    [
      'method',
      'printed',
      'recomputed',
      'range',
      'verdict',
      'median p printed',
      'median p the score asks for',
    ],
    of('detectability').map((c) => [
      c.method,
      c.printed.toFixed(3),
      c.recomputed.toFixed(5),
      `${c.range[0].toFixed(4)} .. ${c.range[1].toFixed(4)}`,
      c.agreement,
      small(c.medianP!.printed),
      small(c.medianP!.implied),
    ]),
  )
  const others = markdownTable(
    [
      'method',
      'unbiasedness printed',
      'recomputed',
      'verdict',
      'robustness printed',
      'recomputed',
      'verdict',
    ],
    methods.map((method) => {
      const [u, r] = (['unbiasedness', 'robustness'] as const).map(
        (axis) => of(axis).find((c) => c.method === method)!,
      )
      return [
        method,
        ...[u!, r!].flatMap((c) => [c.printed.toFixed(3), c.recomputed.toFixed(5), c.agreement]),
      ]
    }),
  )
  return `### Detectability\n\n${detectability}\n\n### Unbiasedness and robustness\n\n${others}`
}

export const medians = (a: Audit): string =>
  markdownTable(
    ['method', 'by its TPRs the median lies in', 'printed', 'fits', 'asked for by the score', 'fits'],
    a.medians.map((m) => [
      m.method,
      `(${m.above}, ${m.atMost}]`,
      small(m.printed),
      m.printedFits ? 'yes' : '**no**',
      small(m.implied),
      m.impliedFits ? 'yes' : '**no**',
    ]),
  )

export const orders = (a: Audit): string =>
  a.orders
    .map(({ statement, comparisons, violations }) => {
      const head = `**${statement}**: ${comparisons} comparisons, ${plural(violations.length, 'violation')}.`
      if (violations.length === 0) return head
      const table = markdownTable(
        ['method', 'should be at most', 'but is', 'excess (points)', 'chance at most'],
        violations.map((v) => [
          v.method,
          `${v.large.what}: ${v.large.printed}`,
          `${v.small.what}: ${v.small.printed}`,
          percent(v.excess),
          small(v.chance),
        ]),
      )
      return `${head}\n\n${table}`
    })
    .join('\n\n')

export function counts(a: Audit): string {
  const show = (ns: readonly number[]): string =>
    ns.length > 6 ? `${ns.slice(0, 6).join(', ')}, ... (${ns.length})` : ns.join(', ') || 'none'
  const odd = a.counts.cells.filter((c) => !c.possible.includes(a.counts.best.texts))
  return `${a.counts.best.cells} of ${a.counts.cells.length} cells (method x attack) fit ${a.counts.best.texts} texts, ${a.counts.with1000} fit 1000. The others:\n\n${markdownTable(
    ['method', 'attack', 'numbers of texts in 500..1000 that fit'],
    odd.map((c) => [c.method, c.attack, show(c.possible)]),
    'left',
  )}`
}

export function drift(a: Audit): string {
  const head = Object.entries(a.drift.thresholds).map(([metric, t]) => [
    metric,
    small(t.printed),
    small(t.theorem),
    small(t.sharp),
  ])
  const beyond = a.drift.cells.filter((c) => c.beyondSharp)
  return `${markdownTable(['metric', 'threshold as printed (A squared)', 'threshold of the theorem', 'sharper threshold'], head)}

${beyond.length} of ${a.drift.cells.length} DetWmk exceed the sharper threshold (each cell at level ${a.drift.alpha}):

${markdownTable(
  ['method', 'metric', 'DetWmk', 'beyond the theorem'],
  beyond.map((c) => [c.method, c.metric, c.detWmk.toPrecision(3), c.beyondTheorem ? 'yes' : 'no']),
)}`
}

export const names = (a: Audit): string => {
  const rows = a.names.map(({ method, names }) => [
    method,
    Object.entries(names)
      .map(([name, tables]) => `${name} (table ${tables.join(', ')})`)
      .join('; '),
  ])
  return `${markdownTable(['row', 'printed as'], rows, 'left')}\n\n${a.setup.map((s) => `- ${s}`).join('\n')}`
}

export const claims = (a: Audit): string =>
  markdownTable(
    ['claim', 'verdict', 'evidence'],
    a.claims.map((c) => [c.claim, c.verdict, c.evidence]),
    'left',
  )
