/** Tables of docs/choose.md and docs/scale.md: figures of the committed reports, and lengths computed by `tokensNeeded`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatValue } from '../../src/bench/report/format.ts'
import type { Report, Value } from '../../src/bench/report/report.ts'
import { tokensNeeded } from '../../src/theory/entry.ts'
import { type AnyWatermark, claimOf } from '../../src/watermark.ts'
import { dipmark, gumbel, kgw, mcmark, parseWatermark, sta1, synthid } from '../../src/watermarks/entry.ts'
import { root } from '../commands/program.ts'
import { zipf } from '../detection/zipf.ts'
import { table } from './parts.ts'

const tableOf = (report: string, id: string) => {
  const { tables } = JSON.parse(readFileSync(join(root, 'reports', `${report}.json`), 'utf8')) as Report
  return tables.find((one) => one.id === id)!
}

/** The strongest variant of each family in the tables. */
const compared = [
  'synthid(layers=20)',
  'mcmark(channels=20)',
  'dipmark(alpha=0.4)',
  'gammaReweight',
  'sta1(gamma=0.5)',
  'expEdit(keyLength=256)',
  'itsEdit(keyLength=256)',
  'kgw(delta=2)',
  'unigram(delta=2)',
]

/** Detection of each method, clean and after heavy edits, with intervals. */
export function choices(): string {
  const clean = tableOf('table3', 'table3')
  const edited = tableOf('table4', 'robustness-1')
  const cell = ({ rows, columns }: typeof clean, id: string, column: string): string => {
    const value = rows.find((row) => row.id === id)?.cells[column] as Value | undefined
    return formatValue(value, columns.find((one) => one.id === column)!)
  }
  return table(
    ['method', 'claim', 'detected at 1% (%)', 'after 30% of tokens are replaced (%)'],
    compared.map((id) => [
      `\`${id}\``,
      claimOf(parseWatermark(id)),
      cell(clean, id, 'tpr1'),
      cell(edited, id, 'replace(rate=0.3)'),
    ]),
  )
}

/** Keys that average the law of a score where it has no closed form: at the default of 1,000, lengths are wrong by up to 45%. */
const keys = 20_000

/** Scored tokens that nine of ten texts need at a level, by method and entropy. */
export function lengths(alpha: number): string {
  const entropies = [0.5, 2, 4]
  const methods: AnyWatermark[] = [
    gumbel(),
    synthid(),
    mcmark({ channels: 20 }),
    dipmark({ alpha: 0.4 }),
    kgw({ delta: 2 }),
    sta1(),
  ]
  return table(
    ['method', ...entropies.map((entropy) => `${entropy} nats`)],
    methods.map((method) => [
      `\`${method.id}\``,
      ...entropies.map((entropy) => {
        const needed = tokensNeeded(method, zipf(entropy), alpha, 0.9, { keys })
        return needed.applicable ? `${Math.ceil(needed.high)}` : '-'
      }),
    ]),
  )
}
