/**
 * Key-value caches in memory that we own: `ConcatCache` serves graphs as exported, `AppendCache` graphs rewritten by
 * `append-only-graph.ts`. `DeviceCache` leaves the cache in the memory of a device.
 */
import type { Slot } from './graph.ts'
import type { OrtTensor } from './runtime.ts'
import { type Floats, floats } from './tensor.ts'

/** Inputs and outputs of a run besides tokens and logits. */
export interface CacheRun {
  readonly feeds: Record<string, OrtTensor>
  /** Memory for outputs; null where the runtime chooses it. */
  readonly fetches: Record<string, OrtTensor | null>
  /** 1 for each column to attend to, row-major: first the columns of the past, then the new ones. */
  readonly mask: BigInt64Array
  /** Columns of the past as the graph sees them. */
  readonly past: number
}

export interface Cache {
  /** Before a run that appends `count` columns, of which the first `pads[row]` are padding. */
  prepare(count: number, pads: ArrayLike<number>): CacheRun | Promise<CacheRun>
  /** After it, with what it returned. */
  commit(outputs: Readonly<Record<string, OrtTensor>>): void
  /** See `Session.select`. */
  select(rows: readonly number[]): void
}

/** Whether rows can be moved within one buffer from front to back without overwriting one that is still needed. */
const movesDown = (rows: readonly number[]): boolean => rows.every((from, to) => from >= to)

/** Rows of `stride` numbers, selected; in place where possible. */
export function selectRows(
  buffer: Floats,
  rows: readonly number[],
  stride: number,
  type: Slot['type'],
): Floats {
  if (rows.length === 0) return floats(type, 0)
  const target = movesDown(rows) ? buffer : floats(type, rows.length * stride)
  for (const [to, from] of rows.entries())
    if (target !== buffer || from !== to)
      target.set(buffer.subarray(from * stride, (from + 1) * stride), to * stride)
  return target
}
