/** The colours of a page: one number per family, so that names of any kind are never part of a style. */
import type { Look } from './chart/canvas.ts'
import type { Families } from './html.ts'
import { familiesOfAll, type Ink, inks } from './palette.ts'
import type { Report } from './report.ts'

export interface Theme extends Families {
  readonly look: Look
  readonly style: string
}

export function themeOf(reports: readonly Report[]): Theme {
  const ink = inks(familiesOfAll(reports))
  const numbers = new Map([...ink.keys()].map((family, i) => [family, i]))
  const methods = new Set(reports.flatMap((report) => (report.methods ?? []).map(({ family }) => family)))
  const rules = (scheme: (one: Ink) => string) =>
    [...ink.values()].map((one, i) => `.f-${i}{--family:${scheme(one)}}`).join('')
  const light = rules(({ light }) => light)
  const dark = rules(({ dark }) => dark)
  return {
    number: (family) => numbers.get(family),
    isMethod: (family) => methods.has(family),
    style: `${light}@media (prefers-color-scheme:dark){${dark}}@media print{${light}}`,
    look: {
      ink: 'var(--ink)',
      soft: 'var(--soft)',
      faint: 'var(--faint)',
      grid: 'var(--grid)',
      ground: 'var(--card)',
      colour: (family) => (numbers.has(family) ? 'var(--family)' : 'var(--soft)'),
      shape: (family) => ink.get(family)?.shape ?? 'circle',
      className: (family) => `f-${numbers.get(family) ?? 'none'}`,
    },
  }
}
