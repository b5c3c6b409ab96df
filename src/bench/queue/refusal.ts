/** Whether a worker has what a cell was addressed with: it recomputes the address from its own code, packages, models and data. */
import { addressOf, type Cell, type Json } from '../cell.ts'
import type { CellJob } from './job.ts'

/** What a cell is made of on this machine. */
export interface Here {
  readonly code: string
  /** The inputs with the digests that models and data have here. */
  readonly inputs: Cell['inputs']
}

/** What a module of steps exports for workers of a queue; without it, cells are taken to have no code of their own. */
export interface Verified {
  readonly here?: (options: Json) => (step: string, inputs: Cell['inputs']) => Promise<Here>
}

/** Why a cell is refused. */
export interface Refusal {
  readonly reason: string
  /** Whether every cell of that submitter would be. */
  readonly always: boolean
}

const short = (digest: string | undefined): string => digest?.slice(0, 8) || 'none'

/** The part of the inputs whose digest differs: `model gpt2`. */
function unlike(there: Cell['inputs'], here: Cell['inputs']): string | undefined {
  for (const [name, value] of Object.entries(there)) {
    const [mine, theirs] = [here[name], value] as unknown as (Part | null)[]
    if (theirs?.digest !== mine?.digest)
      return `${name} ${theirs?.id ?? theirs?.name} differs (digest ${short(mine?.digest)} here, ${short(theirs?.digest)} there)`
  }
  return undefined
}

interface Part {
  readonly id?: string
  readonly name?: string
  readonly digest?: string
}

/**
 * Why this machine must not compute a cell; undefined where the address is the same.
 * @param digest the address that it was submitted with
 * @param version of this package
 */
export function refusalOf(job: CellJob, digest: string, here: Here, version: string): Refusal | undefined {
  if (addressOf({ ...job, ...here }) === digest) return undefined
  if (job.version !== version)
    return {
      reason: `submitted by uwbench ${job.version}, this worker has ${version}; install the same version`,
      always: true,
    }
  const [mine, theirs] = [here.code.split(' '), job.code.split(' ')]
  if (mine[0] !== theirs[0] || mine[1] !== theirs[1])
    return {
      reason: `the code of step '${job.step}', or a package that it uses, differs (digest ${short(mine[0])} here, ${short(theirs[0])} there); install the same packages`,
      always: true,
    }
  if (mine[2] !== theirs[2])
    return {
      reason: `the code of ${String(job.inputs.watermark)} differs (digest ${short(mine[2])} here, ${short(theirs[2])} there)`,
      always: false,
    }
  return { reason: unlike(job.inputs, here.inputs) ?? 'its address does not fit its content', always: false }
}
