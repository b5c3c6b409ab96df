/** How urgent cells are: a run ends no sooner than its longest chain of cells, so the head of the longest goes first. */
import type { Cell } from './cell.ts'

/**
 * The longest chain that begins with each cell and goes on with cells that need it, as a share of the longest of all, by address.
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
