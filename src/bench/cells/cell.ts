/**
 * A cell is the unit of work, such as one method x model x dataset x block of prompts. It is plain data, and its address is a
 * digest of everything that determines its value: the step that computes it, the code of that step, its inputs (including seeds
 * and trial indices) and the addresses of its dependencies. Equal address, equal value: a finished cell is never recomputed on
 * any machine that shares the store.
 */
import { createHash } from 'node:crypto'
import { list, requireOptions, text, wrongType } from '../../input.ts'

/** A value that can be stored: JSON does not change it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The unit of work: plain data whose address is a digest of everything that determines its value. */
export interface Cell {
  /** The step that computes it; see `steps`. */
  readonly step: string
  /** Shown in progress lines and warnings. */
  readonly label: string
  readonly inputs: { readonly [key: string]: Json }
  /** Dependencies; the step receives their values in this order. */
  readonly needs: readonly Cell[]
  /** Identity of the code that computes it. */
  readonly code: string
  /** 64 hexadecimal digits. */
  readonly digest: string
}

/**
 * JSON with sorted keys: the same text for equal values. Refuses what JSON would silently change (NaN, infinities, undefined,
 * functions, typed arrays).
 *
 * @example canonical({ b: 1, a: [true] }) // '{"a":[true],"b":1}'
 */
export function canonical(value: unknown, path = 'value', depth = 0): string {
  if (depth > MAX_DEPTH)
    throw wrongType(path.slice(0, 100), `at most ${MAX_DEPTH} levels of JSON data`, value)
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw wrongType(path, 'a finite number', value)
    return JSON.stringify(value)
  }
  if (Array.isArray(value))
    return `[${Array.from(list(path, value, 'a list'), (v, i) => canonical(v, `${path}[${i}]`, depth + 1)).join(',')}]`
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined)
    entries.sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonical(v, `${path}.${k}`, depth + 1)}`).join(',')}}`
  }
  throw wrongType(path, 'plain JSON data', value)
}

/** The most levels of lists and objects in a value; a cycle has more. */
const MAX_DEPTH = 100

/** SHA-256 of a text, in hexadecimal. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export interface CellOptions {
  readonly label?: string
  readonly needs?: readonly Cell[]
  /** Identity of the code that computes the step; a change of code is a change of address. */
  readonly code?: string
}

/**
 * Declares a cell.
 * @example cell('double', { n: 3 }).digest.length // 64
 */
export function cell(step: string, inputs: Cell['inputs'], options: CellOptions = {}): Cell {
  text('step', step)
  requireOptions('cell', options, ['label', 'needs', 'code'])
  const { label = step, needs = [], code = '' } = options
  text('label', label)
  text('code', code)
  for (const [i, need] of Array.from(list<Cell>('needs', needs, 'a list of cells')).entries())
    if (typeof need?.digest !== 'string') throw wrongType(`needs[${i}]`, 'a cell', need)
  const digest = addressOf({ step, code, inputs, needs: needs.map((need) => need.digest) })
  return { step, label, inputs, needs, code, digest }
}

/** The parts of a cell that its address is made of. */
export interface Addressed extends Pick<Cell, 'step' | 'code' | 'inputs'> {
  readonly needs: readonly string[]
}

export const addressOf = ({ step, code, inputs, needs }: Addressed): string =>
  digestOf(canonical({ step, code, inputs, needs }, step))

/** Cells and all their dependencies, each once, dependencies first. */
export function closure(cells: readonly Cell[]): Cell[] {
  const found = new Map<string, Cell>()
  const visit = (c: Cell): void => {
    if (found.has(c.digest)) return
    for (const need of c.needs) visit(need)
    found.set(c.digest, c)
  }
  for (const c of cells) visit(c)
  return [...found.values()]
}
