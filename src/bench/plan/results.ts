/** Reads the values of cells, one set of texts at a time. */
import type { Cell, Json } from '../cells/cell.ts'
import type { RunResult } from '../cells/runner.ts'
import type { AttackedTexts } from '../steps/attack.ts'
import type { Detected } from '../steps/detect.ts'
import type { Texts } from '../steps/generate.ts'
import type { Measured, MetricName } from '../steps/measure.ts'

export class Results {
  readonly #value: (cell: Cell) => Json | undefined
  readonly #kept = new Map<string, unknown>()

  constructor(run: Pick<RunResult, 'value'>) {
    this.#value = (c) => run.value(c)
  }

  of<T>(cell: Cell): T {
    if (!this.#kept.has(cell.digest)) {
      const value = this.#value(cell)
      if (value === undefined) throw new Error(`${cell.label}: expected a stored value, got none`)
      this.#kept.set(cell.digest, value)
    }
    return this.#kept.get(cell.digest) as T
  }

  /** ln p of all texts of a set, in order. */
  logP(cells: readonly Cell[], length?: number): number[] {
    return cells.flatMap((c) => {
      const { full, cut } = this.of<Detected>(c)
      return length === undefined ? full : (cut[String(length)] ?? [])
    })
  }

  entropy(cells: readonly Cell[]): number[] {
    return cells.flatMap((c) => this.of<Texts>(c).entropy)
  }

  /** Perplexity of each text under the distribution that was sampled from, before the watermark. */
  perplexity(cells: readonly Cell[]): number[] {
    return cells.flatMap((c) => this.of<Texts>(c).surprise.map(Math.exp))
  }

  /** Bets on the surprise of each text; see `surpriseBets`. */
  bets(cells: readonly Cell[]): (readonly number[])[] {
    return cells.flatMap((c) => this.of<Texts>(c).bets)
  }

  /** Returns the position of each text's first end token, -1 where it has no end token. */
  ended(cells: readonly Cell[]): number[] {
    return cells.flatMap((c) => this.of<Texts>(c).ended)
  }

  /** Returns the counts that BLEU is made of, text by text. */
  bleuCounts(cells: readonly Cell[]): (readonly number[])[] {
    return cells.flatMap((c) => this.of<Measured>(c).bleuCounts ?? [])
  }

  /** Returns what an attack changed, text by text. */
  change(cells: readonly Cell[], name: 'distance' | 'triples' | 'words' | 'meaning'): number[] {
    return cells.flatMap((c) => this.of<AttackedTexts>(c)[name] ?? [])
  }

  metric(cells: readonly Cell[], name: MetricName): number[] {
    return cells.flatMap((c) => this.of<Measured>(c)[name] ?? [])
  }
}
