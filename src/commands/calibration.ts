/**
 * What the p-values of many texts say: how many are detected and, with labels, how often a watermark is found and how often there is
 * a false alarm, at three levels and by length. Thresholds are those of the test, not quantiles of these texts.
 */
import type { Chart, Column, Report, Row, Table, Value } from '../report/report.ts'
import { counted } from '../report/sentence.ts'
import { estimate, exact, proportion } from '../report/values.ts'
import { auroc } from '../stats/auroc.ts'

/** The levels at which detection is reported. */
export const LEVELS = [0.05, 0.01, 0.001] as const

/** A list of numbers that grows, eight bytes each. */
class Numbers {
  #values = new Float64Array(64)
  #length = 0
  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(2 * this.#length)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#length++] = value
  }
  get all(): Float64Array {
    return this.#values.subarray(0, this.#length)
  }
}

/** Levels of the curve: four per power of ten. */
const CURVE = Array.from({ length: 25 }, (_, i) => 10 ** (-i / 4))
const LOG_LEVELS = LEVELS.map(Math.log)
const LOG_CURVE = CURVE.map(Math.log)

/** Texts of one kind: all, those with the watermark, or those without. */
class Count {
  texts = 0
  readonly hits = LEVELS.map(() => 0)
  readonly curve = CURVE.map(() => 0)
  add(logP: number): void {
    this.texts++
    for (let i = 0; i < LEVELS.length; i++) if (logP <= LOG_LEVELS[i]!) this.hits[i]!++
    for (let i = 0; i < CURVE.length && logP <= LOG_CURVE[i]!; i++) this.curve[i]!++
  }
}

class Bucket {
  readonly label: string
  readonly all = new Count()
  readonly marked = new Count()
  readonly plain = new Count()
  readonly scores = { marked: new Numbers(), plain: new Numbers() }
  detected = 0
  constructor(label: string) {
    this.label = label
  }
  add(logP: number, detected: boolean, label: boolean | undefined): void {
    this.all.add(logP)
    if (detected) this.detected++
    if (label === undefined) return
    const kind = label ? 'marked' : 'plain'
    this[kind].add(logP)
    this.scores[kind].push(-logP)
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

const ratesOf = ({ texts, hits }: Count): Row['cells'] => ({
  n: exact(texts),
  ...Object.fromEntries(
    LEVELS.map((level, i) => [level, texts > 0 ? proportion(hits[i]!, texts) : null] as const),
  ),
})

/** The area under the curve of -ln p, where there are texts of both kinds. */
function areaOf({ marked, plain, scores }: Bucket): Value | null {
  if (marked.texts === 0 || plain.texts === 0) return null
  const { auroc: value, standardError, low, high } = auroc(scores.marked.all, scores.plain.all)
  return estimate(value, standardError, marked.texts + plain.texts, { low, high })
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
    return this.#total.all.texts
  }

  get detected(): number {
    return this.#total.detected
  }

  /** Detection by length of text; with labels, the rates of both kinds. */
  tables(): Table[] {
    const used = [this.#total, ...this.#buckets.filter(({ all }) => all.texts > 0)]
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
    const detected: Column = { id: 'detected', label: `p <= ${this.#alpha}`, unit: 'percent' }
    if (this.#total.marked.texts + this.#total.plain.texts === 0)
      return [
        table('texts', 'Detected, by length of text', [detected], ({ all, detected }) => ({
          n: exact(all.texts),
          detected: all.texts > 0 ? proportion(detected, all.texts) : null,
        })),
      ]
    const rates = (name: string) =>
      LEVELS.map(
        (level): Column => ({ id: `${level}`, label: `${name} at ${100 * level}%`, unit: 'percent' }),
      )
    const area: Column = { id: 'auroc', label: 'AUROC', unit: 'number' }
    return [
      table(
        'watermarked',
        'Watermarked texts: how often they are detected',
        [...rates('TPR'), area],
        (bucket) => ({
          ...ratesOf(bucket.marked),
          auroc: areaOf(bucket),
        }),
      ),
      table('unmarked', 'Unmarked texts: how often there is a false alarm', rates('FPR'), ({ plain }) =>
        ratesOf(plain),
      ),
    ]
  }

  /** The share of texts with a p-value of at most each level; unmarked texts lie on the diagonal or below. */
  #chart(): Chart {
    const { all, marked, plain } = this.#total
    const kinds =
      marked.texts + plain.texts > 0 ? { watermarked: marked, unmarked: plain } : { 'all texts': all }
    const series = Object.entries(kinds)
      .filter(([, { texts }]) => texts > 0)
      .map(([label, { texts, curve }]) => ({
        label,
        family: label,
        points: CURVE.map((level, i) => [level, curve[i]! / texts] as const),
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

  /** All of it as a report. */
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

  /** What came out, in a sentence. */
  sentence(): string {
    const expected = +(this.#alpha * this.texts).toPrecision(3)
    return `detected ${this.detected} of ${counted(this.texts, 'text')} at alpha = ${this.#alpha} (at most ${expected} expected if none is watermarked)`
  }
}
