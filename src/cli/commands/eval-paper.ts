/** The figures of the paper's tables that `uwbench eval --with paper` puts beside its own. */

import type { publishedTables } from '../../bench/paper/index.ts'
import { paperFigure } from '../../bench/protocols/index.ts'
import { listed } from '../../bench/report/index.ts'
import { methodOf, none } from '../../bench/study/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'

/** The published figure of a watermark (null: of the model without one), undefined where the table has none. */
export type Published = (
  watermark: AnyWatermark | null,
  table: keyof typeof publishedTables,
  column: string,
) => number | undefined

export const notAsked: Published = () => undefined

export const published: Published = (watermark, table, column) =>
  paperFigure(watermark === null ? none : methodOf(watermark), table, column)

/** Columns of the paper's tables of attacks by the attack that they are about. */
export const paperAttacks: Readonly<Record<string, string>> = {
  'replace(rate=0.1)': 'Random 10%',
  'replace(rate=0.2)': 'Random 20%',
  'replace(rate=0.3)': 'Random 30%',
}

/** Names of the paper's task metrics by ours. */
const paperMetrics: Readonly<Record<string, string>> = { bleu: 'BLEU', rouge1: 'ROUGE-1' }

/** The column of table 1 that a metric stands beside, if all texts name one task. */
export function taskColumn(metric: string, texts: readonly { readonly task?: string }[]): string {
  const [task, ...others] = new Set(texts.map((text) => text.task))
  return others.length === 0 ? `${task} ${paperMetrics[metric]}` : ''
}

/** A sentence on which methods have published figures. */
export function paperSentence(watermarks: readonly AnyWatermark[]): string {
  const idsOf = (has: boolean) =>
    watermarks.filter((one) => (methodOf(one).paper !== undefined) === has).map(({ id }) => id)
  const [known, unknown] = [idsOf(true), idsOf(false)]
  if (known.length === 0) return `The paper has no figures for ${listed(unknown)}.`
  const others = unknown.length === 0 ? '' : `; it has none for ${listed(unknown)}`
  return `The paper's figures for ${listed(known)} stand beside ours${others}.`
}

export const paperNote =
  "The paper's figures (tables 1 to 4) are means over its own models and prompts, those of repeated prompts over 10 prompts with 1000 generations each: texts of another model, number, length or temperature differ from them for that reason alone."
