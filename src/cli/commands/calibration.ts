/**
 * Detection rates of many texts: how many are detected and, with labels, how often a watermark is found and how often there is a false
 * alarm, at three levels and by length. Thresholds are those of the test, not quantiles of these texts.
 */

import type { Chart, Column, Report, Row, Table, Value } from '../../bench/report/index.ts'
import { counted, exact, hits, levels, proportion, rates } from '../../bench/report/index.ts'

/** A list of numbers that grows, eight bytes each. */
class Numbers {
  #values = new Float64Array(64)
  length = 0
  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(2 * this.length)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }
  get all(): Float64Array {
    return this.#values.subarray(0, this.length)
  }
}

/** Levels of the curve: four per power of ten. */
const CURVE = Array.from({ length: 25 }, (_, i) => 10 ** (-i / 4))
const LOG_CURVE = CURVE.map(Math.log)

/** Texts of some lengths. Only those with a label are kept, as ln p. */
class Bucket {
  readonly label: string
  readonly marked = new Numbers()
  readonly plain = new Numbers()
  /** Texts with p at most each level of the curve. */
  readonly curve = CURVE.map(() => 0)
  texts = 0
  detected = 0
  constructor(label: string) {
    this.label = label
  }
  add(logP: number, detected: boolean, label: boolean | undefined): void {
    this.texts++
    if (detected) this.detected++
    for (let i = 0; i < CURVE.length && logP <= LOG_CURVE[i]!; i++) this.curve[i]!++
    if (label !== undefined) this[label ? 'marked' : 'plain'].push(logP)
  }
  get labelled(): number {
    return this.marked.length + this.plain.length
  }
}

/** `up to 49`, `50 to 99`, `200 and more`. */
function bucketLabels(limits: readonly number[]): string[] {
  return [...limits, Number.POSITIVE_INFINITY].map((limit, i) => {
    const from = limits[i - 1]
    if (from === undefined) return `up to ${limit - 1} tokens`
    return limit === Number.POSITIVE_INFINITY ? `${from} tokens or more` : `${from} to ${limit - 1} tokens`
  })
}

/** Collects one outcome after the other; memory is constant but for eight bytes per labelled text. */
export class Calibration {
  readonly #alpha: number
  readonly #limits: readonly number[]
  readonly #total = new Bucket('all')
  readonly #buckets: readonly Bucket[]

  constructor(alpha: number, limits: readonly number[]) {
    this.#alpha = alpha
    this.#limits = limits
    this.#buckets = bucketLabels(limits).map((label) => new Bucket(label))
  }

  add(outcome: { logP: number; detected: boolean; length: number; label?: boolean | undefined }): void {
    const { logP, detected, length, label } = outcome
    const at = this.#limits.findIndex((limit) => length < limit)
    this.#total.add(logP, detected, label)
    this.#buckets.at(at)!.add(logP, detected, label)
  }

  get texts(): number {
    return this.#total.texts
  }

  get detected(): number {
    return this.#total.detected
  }

  /** Detection by length of text; with labels, the rates of both kinds. */
  tables(): Table[] {
    const used = [this.#total, ...this.#buckets.filter(({ texts }) => texts > 0)]
    const buckets = used.length === 2 ? [this.#total] : used
    const table = (
      id: string,
      title: string,
      columns: Column[],
      cells: (bucket: Bucket) => Row['cells'],
    ): Table => ({
      id,
      title,
      rowLabel: 'length',
      columns: [{ id: 'n', label: 'texts', unit: 'count' }, ...columns],
      rows: buckets.map((bucket) => ({
        id: bucket.label,
        label: bucket.label,
        family: 'texts',
        cells: cells(bucket),
      })),
    })
    if (this.#total.labelled === 0) {
      const column: Column = { id: 'detected', label: `p <= ${this.#alpha}`, unit: 'percent' }
      return [
        table('texts', 'Detected, by length of text', [column], ({ texts, detected }) => ({
          n: exact(texts),
          detected: texts > 0 ? proportion(detected, texts) : null,
        })),
      ]
    }
    const columns = (name: string) =>
      levels.map(
        ({ rate, label }): Column => ({ id: `${rate}`, label: `${name} at ${label}`, unit: 'percent' }),
      )
    const cells = (values: readonly (Value | null)[]) =>
      Object.fromEntries(levels.map(({ rate }, i) => [rate, values[i]!]))
    return [
      table(
        'watermarked',
        'Watermarked texts: how often they are detected',
        [...columns('TPR'), { id: 'auroc', label: 'AUROC', unit: 'number' }],
        ({ marked, plain }) => {
          const { tpr, auroc } = rates(marked.all, plain.all)
          return { n: exact(marked.length), ...cells(tpr), auroc }
        },
      ),
      table('unmarked', 'Unmarked texts: how often there is a false alarm', columns('FPR'), ({ plain }) => ({
        n: exact(plain.length),
        ...cells(rates([], plain.all).fpr),
      })),
    ]
  }

  /** The share of texts with a p-value of at most each level; unmarked texts lie on the diagonal or below. */
  #chart(): Chart {
    const { texts, curve, marked, plain, labelled } = this.#total
    const counts = ({ all, length }: Numbers) => ({ texts: length, curve: CURVE.map((a) => hits(all, a)) })
    const kinds =
      labelled > 0
        ? { watermarked: counts(marked), unmarked: counts(plain) }
        : { 'all texts': { texts, curve } }
    const series = Object.entries(kinds)
      .filter(([, kind]) => kind.texts > 0)
      .map(([label, kind]) => ({
        label,
        family: label,
        points: CURVE.map((level, i) => [level, kind.curve[i]! / kind.texts] as const),
      }))
    const nominal = {
      label: 'no watermark, at most',
      family: 'nominal',
      points: CURVE.map((a) => [a, a] as const),
    }
    return {
      id: 'levels',
      kind: 'lines',
      title: 'Share of texts with a p-value of at most a',
      x: { label: 'a', scale: 'log' },
      y: { label: 'share of texts', percent: true, domain: [0, 1] },
      series: [...series, nominal],
    }
  }

  /** Returns tables and chart as a report. */
  report(about: { watermark: string; files: readonly string[]; uwbench: string }): Report {
    return {
      name: 'detect',
      title: `Detection: ${about.watermark}`,
      summary: [this.sentence()],
      scale: 'own texts',
      standIns: [],
      notes: [
        'Thresholds are those of the test itself: a text is detected where its p-value is at most the level. Nothing was fitted to these texts.',
      ],
      tables: this.tables(),
      charts: [this.#chart()],
      provenance: { watermark: about.watermark, files: about.files.join(', '), uwbench: about.uwbench },
    }
  }

  /** The result in one sentence. */
  sentence(): string {
    const expected = +(this.#alpha * this.texts).toPrecision(3)
    return `detected ${this.detected} of ${counted(this.texts, 'text')} at alpha = ${this.#alpha} (at most ${expected} expected if none is watermarked)`
  }
}
