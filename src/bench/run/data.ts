/**
 * The data behind reports, in `data/` beside them: for each report the study and the identities that its plan was made of, and for all of
 * them the values of the cells that were read, one JSON line per cell, compressed. A cell is a block of texts of one method, model
 * and attack; its value has lists of one entry per text. From these a report is computed again without a model.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { addressOf, type Cell, type Json } from '../cells/cell.ts'
import type { Identities } from '../plan/plan.ts'
import { Results } from '../plan/results.ts'
import type { Study } from '../study/study.ts'
import type { ExperimentDeclaration } from './experiment.ts'

/** One line of `data/cells.jsonl.br`. */
export interface DataLine extends Pick<Cell, 'step' | 'label' | 'inputs'> {
  /** A digest of step, inputs and the keys of the cells that it is computed from, whatever the code. */
  readonly key: string
  readonly needs: readonly string[]
  readonly value: Json
}

/** The experiment of a report, in `data/NAME.json`: watermarks by id. */
export interface Header {
  readonly experiment: Omit<ExperimentDeclaration, 'study'>
  readonly study: Omit<Study, 'watermarks' | 'variants'> & {
    readonly watermarks: readonly string[]
    readonly variants: readonly string[]
  }
  readonly identities: readonly {
    readonly [name in keyof Identities]: Identities[name] extends ReadonlyMap<string, infer T>
      ? [string, T][]
      : Identities[name]
  }[]
}

/** The cells that a report read. */
export interface ReportData {
  readonly header: Header
  readonly lines: readonly DataLine[]
}

const keys = new WeakMap<Cell, string>()

/** Returns the address of a cell without its code: the same after an edit that changes no value. */
export function keyOf(cell: Cell): string {
  const { step, inputs, needs } = cell
  const key = keys.get(cell) ?? addressOf({ step, inputs, code: '', needs: needs.map(keyOf) })
  keys.set(cell, key)
  return key
}

/** Attacked texts would be two thirds of the data: they follow from the texts, the attack and its seed, and no number is made of them. */
function withoutAttacked(step: string, value: Json): Json {
  if (step !== 'attack') return value
  const { texts: _, ...rest } = value as { readonly [name: string]: Json }
  return rest
}

/** Results that note every cell that is read. */
export function recorded(value: (cell: Cell) => Json | undefined): { results: Results; lines: DataLine[] } {
  const lines: DataLine[] = []
  const results = new Results({
    value(cell) {
      const found = value(cell)
      const { step, label, inputs, needs } = cell
      if (found !== undefined)
        lines.push({
          key: keyOf(cell),
          step,
          label,
          inputs,
          needs: needs.map(keyOf),
          value: withoutAttacked(step, found),
        })
      return found
    },
  })
  return { results, lines }
}

export const headerOf = (
  experiment: ExperimentDeclaration,
  study: Study,
  ids: readonly Identities[],
): Header => {
  const { study: _, ...rest } = experiment
  return {
    experiment: rest,
    study: {
      ...study,
      watermarks: study.watermarks.map(({ id }) => id),
      variants: (study.variants ?? []).map(({ id }) => id),
    },
    identities: ids.map(({ models, watermarks, data, ...people }) => ({
      models: [...models],
      watermarks: [...watermarks],
      data: [...data],
      ...people,
    })),
  }
}

const cellsFile = (folder: string): string => join(folder, 'data', 'cells.jsonl.br')

export function readLines(folder: string): Map<string, DataLine> {
  if (!existsSync(cellsFile(folder))) return new Map()
  const text = brotliDecompressSync(readFileSync(cellsFile(folder))).toString('utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => JSON.parse(line) as DataLine).map((line) => [line.key, line]))
}

/** Adds the data of a report to the folder `data` beside it. */
export function writeData(folder: string, { header, lines }: ReportData): void {
  mkdirSync(join(folder, 'data'), { recursive: true })
  const all = readLines(folder)
  for (const line of lines) all.set(line.key, line)
  const sorted = [...all.values()].sort((a, b) => (a.label + a.key < b.label + b.key ? -1 : 1))
  const text = sorted.map((line) => `${JSON.stringify(line)}\n`).join('')
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 6,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  }
  writeFileSync(cellsFile(folder), brotliCompressSync(text, { params }))
  writeFileSync(
    join(folder, 'data', `${header.experiment.name}.json`),
    `${JSON.stringify(header, null, 1)}\n`,
  )
}
