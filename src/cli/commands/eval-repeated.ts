/**
 * Repeated prompts among texts that exist: where a prompt was answered several times under one key, the paper's SPMG quantities against the
 * texts without a watermark of the same prompts, half of which stand for the model and half for its clone.
 */

import type { Column, Row, Table } from '../../bench/report/index.ts'
import { derived, exact, formatP, listed } from '../../bench/report/index.ts'
import { type Published, taskColumn } from './eval-paper.ts'
import type { EvaluatedText, Group } from './eval-texts.ts'
import { addGeneration, type MeasuredGenerations } from './generations.ts'
import { type AuditedMetric, auditMetrics, bonferroni, half, samplesOf } from './spmg-audit.ts'
import { defaultMetrics, metricsNamed, scored, type TextMetric } from './text-metrics.ts'

/** Level of the thresholds, and of the decisions over the whole table. */
const ALPHA = 0.05
/** Reassignments of the permutation test. */
const RUNS = 9999

/** Texts of one method under one key whose prompts repeat, and the texts without a watermark of these prompts. */
interface Suspect {
  readonly group: Group
  readonly label: string
  readonly marked: readonly EvaluatedText[]
  readonly plain: readonly EvaluatedText[]
}

/** Texts whose prompt occurs at least twice among them. */
function repeating(texts: readonly EvaluatedText[]): EvaluatedText[] {
  const counts = new Map<string | undefined, number>()
  for (const { prompt } of texts) counts.set(prompt, (counts.get(prompt) ?? 0) + 1)
  return texts.filter(({ prompt }) => prompt !== undefined && counts.get(prompt)! > 1)
}

const shared = (texts: readonly EvaluatedText[], others: readonly EvaluatedText[]): EvaluatedText[] => {
  const prompts = new Set(others.map(({ prompt }) => prompt))
  return texts.filter(({ prompt }) => prompts.has(prompt))
}

/** Each method under each key; those without texts that can be compared have none. */
function suspectsOf(group: Group): Suspect[] {
  const keys = [...new Set(group.marked.map(({ keyId }) => keyId))]
  const plain = repeating(group.plain)
  return keys.flatMap((key) => {
    const marked = repeating(group.marked.filter(({ keyId }) => keyId === key))
    if (marked.length === 0) return []
    const label = keys.length === 1 ? group.watermark.id : `${group.watermark.id}, key ${key ?? 'not named'}`
    return [{ group, label, marked: shared(marked, plain), plain: shared(plain, marked) }]
  })
}

async function measured(
  texts: readonly EvaluatedText[],
  metrics: readonly TextMetric[],
): Promise<MeasuredGenerations> {
  const all: MeasuredGenerations = new Map()
  for (const text of texts) addGeneration(all, text.prompt!, await scored(metrics, text))
  return all
}

interface Tested {
  readonly suspect: Suspect
  readonly prompts: number
  readonly generations: number
  readonly audited: readonly AuditedMetric[]
}

async function tested(suspect: Suspect, metrics: readonly TextMetric[], seed: string): Promise<Tested> {
  const plain = await measured(suspect.plain, metrics)
  const samples = samplesOf(half(plain, 0), half(plain, 1), await measured(suspect.marked, metrics))
  const design = { alpha: ALPHA, runs: RUNS, seed, exchange: 'generation' } as const
  return { suspect, ...samples, audited: auditMetrics(metrics, samples, design) }
}

const number = (id: string, label: string): Column => ({ id, label, unit: 'number', digits: 4 })

const columns: readonly Column[] = [
  { id: 'prompts', label: 'prompts', unit: 'count' },
  { id: 'generations', label: 'generations', unit: 'count' },
  number('gap', 'gap'),
  number('clone', 'of the clone'),
  number('detWmk', 'DetWmk'),
  number('theorem2', 'Theorem 2'),
  number('sharper', 'sharper'),
  { id: 'p', label: 'p-value', unit: 'p-value' },
]

function rowsOf({ suspect, prompts, generations, audited }: Tested, paperOf: Published): Row[] {
  const { watermark } = suspect.group
  const task = (metric: string) => taskColumn(metric, [...suspect.marked, ...suspect.plain])
  return audited.map(({ metric, gap, cloneGap, detWmk, theorem2, sharper, pValue }) => ({
    id: `${suspect.label} ${metric}`,
    label: `${suspect.label}: ${metric}`,
    family: watermark.id.split('(')[0]!,
    cells: {
      prompts: exact(prompts),
      generations: exact(generations),
      gap: derived(gap, { paper: paperOf(watermark, 'repeated', task(metric)) }),
      clone: derived(cloneGap, { paper: paperOf(null, 'repeated', task(metric)) }),
      detWmk: derived(detWmk),
      theorem2: exact(theorem2),
      sharper: exact(sharper),
      p: derived(pValue),
    },
  }))
}

/** Tells whether all texts without a watermark of some prompt are one text: they are not independent draws. */
function copied({ plain }: Suspect): boolean {
  const distinct = new Map<string | undefined, Set<string>>()
  for (const { prompt, tokens } of plain) {
    const known = distinct.get(prompt) ?? new Set()
    distinct.set(prompt, known.add(Array.prototype.join.call(tokens, ' ')))
  }
  return [...distinct.values()].some(({ size }) => size === 1)
}

const COPIES =
  ' All texts without a watermark of some prompt are equal: if they were sampled with one seed, they are copies, and these p-values mean nothing.'

/** The findings at ALPHA over all methods and metrics (Bonferroni). */
function findings(all: readonly Tested[]): string {
  const tests = all.reduce((sum, { audited }) => sum + audited.length, 0)
  const said = all.map(({ suspect, audited }) => ({
    label: suspect.label,
    p: bonferroni(audited, tests),
  }))
  const clause = (found: boolean, before: string): string[] => {
    const own = said.filter(({ p }) => p <= ALPHA === found)
    return own.length === 0
      ? []
      : [`${before} ${listed(own.map(({ label, p }) => `${label} (p = ${formatP(p)})`))}`]
  }
  const found = [...clause(true, 'a drift is found for'), ...clause(false, 'none is shown for')].join('; ')
  return `Repeated prompts, at ${100 * ALPHA}% for all ${tests} tests together (Bonferroni): ${found}.${all.some(({ suspect }) => copied(suspect)) ? COPIES : ''}`
}

const references = ['bleu', 'rouge1'] as const

/** The table of repeated prompts and its sentence; where there is nothing to test, the reason. */
export async function repeatedPrompts(
  groups: readonly Group[],
  seed: string,
  paperOf: Published,
): Promise<{ tables: Table[]; sentence: string }> {
  const untested = (why: string) => ({ tables: [], sentence: `Repeated prompts are not tested: ${why}.` })
  const repeated = groups.flatMap(suspectsOf)
  if (repeated.length === 0) return untested('no prompt occurs more than once under one key')
  const suspects = repeated.filter(({ marked }) => marked.length > 0)
  if (suspects.length === 0)
    return untested('none of them has two or more texts without a watermark to compare with')
  const texts = suspects.flatMap(({ marked, plain }) => [...marked, ...plain])
  if (new Set(texts.map(({ text }) => text === undefined)).size > 1)
    return untested('some records have text and some only token ids, which cannot be compared')
  const compared = texts.every(({ text, reference }) => text !== undefined && reference !== undefined)
  const all: Tested[] = []
  for (const suspect of suspects)
    all.push(await tested(suspect, metricsNamed([...defaultMetrics, ...(compared ? references : [])]), seed))
  const table: Table = {
    id: 'repeated',
    title: 'Repeated prompts (SPMG)',
    rowLabel: 'method: metric',
    caption: `Gap: mean over prompts of the distance between the mean metric of the method and of the model, for which every second text without a watermark stands; the others are its clone. DetWmk: how much farther the method is than the clone. Theorem 2 and sharper: what DetWmk must exceed at ${100 * ALPHA}%. p-value: permutation test, at most ${RUNS} reassignments. Generations: the fewest of a prompt in one of the three samples.`,
    columns,
    rows: all.flatMap((one) => rowsOf(one, paperOf)),
  }
  return { tables: [table], sentence: findings(all) }
}
