/** Checks that a worker has the parts of a cell's address: it recomputes the address from its own code, packages, models and data. */
import { addressOf, type Cell, type Json } from '../cell.ts'
import type { CellJob } from './job.ts'

/** The parts of a cell on this machine. */
export interface Here {
  readonly code: string
  /** The inputs with the digests that models and data have here. */
  readonly inputs: Cell['inputs']
  /** The reason for which this machine does not look for a part. It holds nothing that was read from files. */
  readonly refuses?: string
}

/** The export of a module of steps that serves workers of a queue; without it, cells have no code of their own. */
export interface Verified {
  /** Opens no file and fetches no model unless its own code is `code`. */
  readonly here?: (options: Json) => (step: string, inputs: Cell['inputs'], code: string) => Promise<Here>
}

const short = (digest: string | undefined): string => digest?.slice(0, 8) || 'none'

/** Names the part of the inputs whose digest differs: `model gpt2`. */
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
 * Says why this machine must not compute a cell; undefined where the address is the same.
 * @param digest the address that it was submitted with
 * @param version of this package
 */
export function refusalOf(job: CellJob, digest: string, here: Here, version: string): string | undefined {
  if (here.refuses !== undefined) return here.refuses
  if (addressOf({ ...job, code: here.code, inputs: here.inputs }) === digest) return undefined
  if (job.version !== version)
    return `submitted by uwbench ${job.version}, this worker has ${version}; install the same version`
  const [mine, theirs] = [here.code.split(' '), job.code.split(' ')]
  if (mine[0] !== theirs[0] || mine[1] !== theirs[1])
    return `the code of step '${job.step}', or a package that it uses, differs (digest ${short(mine[0])} here, ${short(theirs[0])} there); install the same packages`
  if (mine[2] !== theirs[2])
    return `the code of ${String(job.inputs.watermark)} differs (digest ${short(mine[2])} here, ${short(theirs[2])} there)`
  return unlike(job.inputs, here.inputs) ?? 'its address does not fit its content'
}
