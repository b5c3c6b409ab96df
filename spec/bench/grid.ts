/** A small plan for the runner's tests: squares, sums of neighbours, and one sum of all. */
import { type Cell, cell } from '../../src/bench/cells/cell.ts'

export const stepsUrl = new URL('./steps.ts', import.meta.url).href

export function grid(size: number): { squares: Cell[]; pairs: Cell[]; total: Cell } {
  const squares = Array.from({ length: size }, (_, x) => cell('square', { x }, { label: `square ${x}` }))
  const pairs = squares.slice(1).map((c, i) => {
    const needs = [squares[i]!, c]
    return cell('sum', { name: `pair ${i}` }, { label: `pair ${i}`, needs })
  })
  return { squares, pairs, total: cell('sum', { name: 'all' }, { label: 'all', needs: squares }) }
}

/** What an uninterrupted run gives. */
export const expectedTotal = (size: number): number =>
  Array.from({ length: size }, (_, x) => x * x).reduce((a, b) => a + b, 0)
