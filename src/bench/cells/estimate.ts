/**
 * Estimates of the time that cells take: seconds per declared unit of cost, measured kind by kind and kept beside the store for the next
 * report. A kind that was never measured on this machine is taken to be as much slower or
 * faster than on the machine of the built-in figures as the kinds that were.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { put } from '../report/put.ts'
import type { Cell } from './cell.ts'

/** Seconds per unit of cost of one worker, as measured on two cores of a virtual machine. Unknown kinds: the last one. */
const DEFAULT_SECONDS: Readonly<Record<string, number>> = {
  generate: 4.5e-4,
  'generate stories15m': 9e-4,
  'generate tinyllama': 8e-2,
  measure: 1e-2,
  repeat: 1.5e-3,
  budget: 1e-4,
  detect: 1e-3,
  'detect by alignment': 1.2e-3,
  'attack rewrite': 5.8e-4,
  'attack rewrite stories15m': 1.1e-3,
  'attack rewrite tinyllama': 1e-1,
  attack: 8e-4,
  certify: 1.5e-4,
  human: 2e-4,
  other: 1e-3,
}

/** Tells whether a cell is an attack for which a model writes. */
export const rewrites = ({ step, inputs }: Pick<Cell, 'step' | 'inputs'>): boolean =>
  step === 'attack' && /^(rewrite|reword|paraphrase)/.test(String(inputs.attack))

/** Cells of one kind take the same time per unit of cost. */
export function kindOf({ step, inputs }: Cell): string {
  if (step === 'detect' && inputs.runs !== undefined) return 'detect by alignment'
  const isRewriting = rewrites({ step, inputs })
  if (!isRewriting && step !== 'generate') return step
  // what a token costs depends on the model
  const { id } = (inputs.paraphraser ?? inputs.model ?? {}) as { readonly id?: string }
  const model = id === undefined || id === 'embedded' ? '' : ` ${id}`
  return `${isRewriting ? 'attack rewrite' : step}${model}`
}

interface Spent {
  units: number
  seconds: number
}

/** The share of older measurements that remains when a run ends: machines change. */
const MEMORY = 0.5

/** Runs of less work than this say nothing about the machine. */
const LEAST_SECONDS = 1

export class Costs {
  readonly #file: string
  readonly #spent: Map<string, Spent>
  #added = 0

  /** @param folder of the store */
  constructor(folder: string) {
    this.#file = join(folder, 'costs.json')
    this.#spent = new Map(Object.entries(read(this.#file)))
  }

  add(kind: string, units: number, seconds: number): void {
    this.#added += seconds
    const spent = this.#spent.get(kind) ?? { units: 0, seconds: 0 }
    this.#spent.set(kind, { units: spent.units + units, seconds: spent.seconds + seconds })
  }

  /** Seconds that one worker needs. */
  seconds(kind: string, units: number): number {
    const spent = this.#spent.get(kind)
    return (
      units * (spent && spent.units > 0 ? spent.seconds / spent.units : this.#speed() * secondsPerUnit(kind))
    )
  }

  /** Returns how much slower this machine is than the machine of the built-in figures. */
  #speed(): number {
    let [here, there] = [0, 0]
    for (const [kind, { units, seconds }] of this.#spent) {
      here += seconds
      there += units * secondsPerUnit(kind)
    }
    return there > 0 ? here / there : 1
  }

  /** For the next run, where there is something to note; a store that cannot be written to is no reason to fail. */
  save(): void {
    if (this.#added < LEAST_SECONDS) return
    const kept = [...this.#spent].map(([kind, { units, seconds }]) => [
      kind,
      { units: MEMORY * units, seconds: MEMORY * seconds },
    ])
    try {
      put(this.#file, `${JSON.stringify(Object.fromEntries(kept), null, 1)}\n`)
    } catch {
      // only the estimate is lost
    }
  }
}

const secondsPerUnit = (kind: string): number => DEFAULT_SECONDS[kind] ?? DEFAULT_SECONDS.other!

function read(file: string): Record<string, Spent> {
  try {
    const found = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Spent>)
    return Object.fromEntries(found.filter(([, one]) => one.units > 0 && one.seconds > 0))
  } catch {
    return {}
  }
}

/**
 * Returns how urgent cells are, by address. A run ends no sooner than its longest chain of cells, so the head of the longest goes first:
 * the longest chain that begins with each cell and goes on with cells that need it, as a share of the longest of all.
 * @param cells dependencies first
 * @param stages cells of an earlier stage are more urgent than all of a later one
 */
export function urgencies(
  cells: readonly Cell[],
  secondsOf: (cell: Cell) => number,
  stages: readonly ReadonlySet<string>[] = [],
): ReadonlyMap<string, number> {
  const after = new Map<string, number>()
  for (const c of [...cells].reverse()) {
    const path = secondsOf(c) + (after.get(c.digest) ?? 0)
    after.set(c.digest, path)
    for (const { digest } of c.needs) after.set(digest, Math.max(after.get(digest) ?? 0, path))
  }
  const longest = [...after.values()].reduce((a, b) => Math.max(a, b), Number.MIN_VALUE)
  const stageOf = (digest: string): number =>
    Math.max(
      0,
      stages.findIndex((stage) => stage.has(digest)),
    )
  const last = Math.max(0, stages.length - 1)
  return new Map(
    [...after].map(([digest, seconds]) => [
      digest,
      (last - stageOf(digest) + seconds / longest) / (last + 1),
    ]),
  )
}
