/** A forecast of what a study would compute: cells, and the tokens of its texts. */
import type { Cell } from '../cells/cell.ts'
import { type Identities, Plan } from '../plan/plan.ts'
import { protocols } from '../protocols/index.ts'
import type { Protocol } from '../protocols/protocol.ts'
import type { AttackInputs } from '../steps/attack.ts'
import type { GenerateInputs } from '../steps/generate.ts'
import { type Study, studiesOf } from '../study/study.ts'
import { paperExperiments } from './experiments.ts'

export interface Forecast {
  /** Cells by step. */
  readonly cells: ReadonlyMap<string, number>
  /** Tokens that each model writes. */
  readonly tokens: ReadonlyMap<string, number>
  /** Tokens of the texts that are kept: written and attacked. */
  readonly stored: number
}

/** A map that knows everything. */
class Always<T> extends Map<string, T> {
  readonly #value: T

  constructor(value: T) {
    super()
    this.#value = value
  }

  override get(): T {
    return this.#value
  }
}

/** Assumes that every model, watermark and dataset is there, with as many prompts as are asked for. */
function assumed({ human }: Study): Identities {
  const digest = 'assumed'
  return {
    models: new Always(digest),
    watermarks: new Always(digest),
    data: new Always({ limit: Number.MAX_SAFE_INTEGER, digest }),
    human: { limit: human.passages, digest },
    corpus: { limit: human.corpus?.texts ?? 0, digest },
  }
}

/**
 * Lists all cells of the paper's experiments and what they build on, each once, with every set of texts in one block: the paper's scale has
 * hundreds of thousands of cells, and addressing each would take minutes.
 */
function cellsOf(whole: Study): Cell[] {
  const found = new Map<string, Cell>()
  const add = (cell: Cell): void => {
    if (found.has(cell.digest)) return
    found.set(cell.digest, cell)
    for (const need of cell.needs) add(need)
  }
  for (const own of studiesOf(whole)) {
    const study = { ...own, block: Number.MAX_SAFE_INTEGER }
    const plan = new Plan(study, assumed(study))
    for (const { protocol, options } of Object.values(paperExperiments(study)))
      for (const cell of (protocols[protocol] as Protocol).cells(plan, options ?? {})) add(cell)
  }
  return [...found.values()]
}

const sum = (into: Map<string, number>, name: string, count: number): void => {
  into.set(name, (into.get(name) ?? 0) + count)
}

/** Steps that are done block by block, as the texts are that they build on. */
const BY_BLOCK: ReadonlySet<string> = new Set(['generate', 'attack', 'detect', 'measure', 'certify'])

/** Counts the cells of the study that one cell with all texts in one block stands for. */
function blocksOf(
  { step, inputs, needs }: Cell,
  { batch, block = batch }: Pick<Study, 'batch' | 'block'>,
): number {
  if (!BY_BLOCK.has(step)) return 1
  const size = (per: number) => Math.max(1, Math.floor(block / per))
  if (step === 'generate') {
    const { from, to, per } = inputs as unknown as GenerateInputs
    return Math.ceil((to - from) / size(per))
  }
  const { limit } = inputs as { readonly limit?: number }
  if (limit !== undefined) return Math.ceil(limit / size(1))
  return needs[0] ? blocksOf(needs[0], { batch, block }) : 1
}

/** Tokens of the texts that a cell attacks. */
const lengthOf = ({ needs }: Cell): number => (needs[0]!.inputs as unknown as GenerateInputs).tokens

/** Counts the cells of a study and the tokens of its texts. */
export function forecast(study: Study): Forecast {
  const cells = new Map<string, number>()
  const tokens = new Map<string, number>()
  let stored = 0
  for (const cell of cellsOf(study)) {
    const { step, inputs } = cell
    sum(cells, step, blocksOf(cell, study))
    if (step === 'generate') {
      const { model, from, to, per, tokens: length } = inputs as unknown as GenerateInputs
      const count = (to - from) * per * length
      sum(tokens, model.id, count)
      stored += count
    } else if (step === 'attack') {
      const { model, paraphraser, attack, limit = 0 } = inputs as unknown as AttackInputs
      const count = limit * lengthOf(cell)
      const writes = paraphraser ?? (/^(rewrite|reword)/.test(attack) ? model : undefined)
      if (writes) sum(tokens, writes.id, count)
      stored += count
    }
  }
  return { cells, tokens, stored }
}
