/** The tables of reports/adversaries.md: one row per method, all other facts of a cell stay in the JSON. */
import { clopperPearson, median } from '../../src/core/stats/index.ts'

/** A cell of scripts/adversaries.mjs: what was attacked, at which cost, and what came of it. */
export interface Cell {
  readonly id: string
  readonly stage: string
  readonly model: string
  readonly method: string
  readonly count: number
  readonly hits: number
  readonly [name: string]: unknown
}

export interface Table {
  readonly head: string[]
  readonly body: string[][]
}

export const percent = (part: number): string => `${Math.round(100 * part)}`

/** A share in percent, with its exact 95% interval. */
export function share(hits: number, count: number): string {
  const { low, high } = clopperPearson(hits, count)
  return `${percent(hits / count)} [${percent(low)}, ${percent(high)}]`
}

export const shown = (value: unknown): string => (typeof value === 'number' ? `${value}` : '-')
export const unique = <T>(list: readonly T[]): T[] => [...new Set(list)]
export const code = (id: unknown): string => `\`${id}\``

/** The cells that have all the given facts. */
export const where = (cells: readonly Cell[], facts: Record<string, unknown>): Cell[] =>
  cells.filter((cell) => Object.entries(facts).every(([name, value]) => cell[name] === value))

/** The share of a cell, or a dash where it was not measured. */
const shareOf = (cell: Cell | undefined): string => (cell === undefined ? '-' : share(cell.hits, cell.count))

/** One row per method, in the order of the data. */
const byMethod = (own: readonly Cell[], row: (cells: Cell[]) => string[]): string[][] =>
  unique(own.map(({ method }) => method)).map((method) => {
    const cells = where(own, { method })
    return [code(method), ...row(cells)]
  })

/** Stolen texts per column, at the stronger strength. */
export function spoofs(own: readonly Cell[]): Table {
  const strong = where(own, { estimate: 'ratio', strength: 4 })
  const budgets = unique(strong.map(({ n }) => Number(n))).sort((a, b) => a - b)
  return {
    head: [
      'method',
      'marked texts found (%)',
      ...budgets.map((n) => `forged from ${n} texts (%)`),
      'perplexity, most texts',
      'of marked texts',
      'of unmarked texts',
    ],
    body: byMethod(strong, (cells) => {
      const most = cells.reduce((a, b) => (Number(b.n) > Number(a.n) ? b : a))
      return [
        share(Number(most.ownHits), most.count),
        ...budgets.map((n) => shareOf(where(cells, { n })[0])),
        ...['ppl', 'pplMarked', 'pplUnmarked'].map((name) => shown(most[name])),
      ]
    }),
  }
}

export const scrubs = (own: readonly Cell[]): Table => ({
  head: [
    'method',
    'texts stolen',
    'undetected before (%)',
    'undetected after scrubbing (%)',
    'edits, scrubbing',
    'perplexity, scrubbing',
    'undetected after random rewriting (%)',
    'edits, random',
    'perplexity, random',
    'perplexity of marked texts',
  ],
  body: byMethod(own, ([cell]) => [
    shown(cell!.n),
    share(Number(cell!.missed), cell!.count),
    share(cell!.hits, cell!.count),
    ...['edits', 'ppl'].map((name) => shown(cell![name])),
    share(Number(cell!.random), cell!.count),
    ...['randomEdits', 'pplRandom', 'pplMarked'].map((name) => shown(cell![name])),
  ]),
})

/** Numbers of the texts that needed more than the first question: another one is over before the attack begins. */
export function needed(cell: Cell, name: 'queries' | 'edits'): number[] {
  const queries = cell.queries as number[]
  return (cell[name] as number[]).filter((_, i) => queries[i]! > 1)
}

const spread = (values: readonly number[]): string =>
  values.length === 0 ? '-' : `${median(values)} (${Math.min(...values)} to ${Math.max(...values)})`

export const asked =
  (goal: 'remove' | 'forge') =>
  (own: readonly Cell[]): Table => ({
    head: [
      'method',
      'answers',
      goal === 'remove' ? 'undetected before' : 'stopped at the first question',
      'reached (%)',
      'questions',
      'edits',
      'perplexity',
      'before',
    ],
    body: where(own, { goal }).map((cell) => [
      code(cell.method),
      String(cell.answers),
      `${cell.count - needed(cell, 'queries').length} of ${cell.count}`,
      share(cell.hits, cell.count),
      spread(needed(cell, 'queries')),
      spread(needed(cell, 'edits')),
      shown(cell.ppl),
      shown(cell.pplBefore),
    ]),
  })

/** One row per edit, one column per method. */
const byEdit = (own: readonly Cell[], entry: (cell: Cell) => string): Table => {
  const methods = unique(own.map(({ method }) => method))
  return {
    head: ['edit', ...methods.map(code)],
    body: unique(own.map(({ attack }) => attack)).map((attack) => [
      code(attack),
      ...methods.map((method) => {
        const [cell] = where(own, { attack, method })
        return cell === undefined ? '-' : entry(cell)
      }),
    ]),
  }
}

export const edited = (own: readonly Cell[]): Table =>
  byEdit(own, (cell) => `${share(cell.hits, cell.count)}; ${percent(Number(cell.kept))}`)

/** The edits that normalising changes for some method, and texts without an edit. */
export function normalised(own: readonly Cell[]): Table {
  const changed = ({ attack, kept, keptNormalised }: Cell): boolean =>
    attack === 'none' || Number(keptNormalised) - Number(kept) > 0.1
  const edits = unique(own.filter(changed).map(({ attack }) => attack))
  return byEdit(
    own.filter(({ attack }) => edits.includes(attack)),
    (cell) => `${share(Number(cell.normalised), cell.count)}; ${percent(Number(cell.keptNormalised))}`,
  )
}

/** Meaning flipped by a few words, against the edits that the certificate promises to survive. */
export const piggyback = (own: readonly Cell[]): Table => ({
  head: [
    'method',
    'detected before (%)',
    'tokens changed to flip every clause',
    'still detected (%)',
    'certificate',
  ],
  body: byMethod(own, (cells) => {
    const [before] = where(cells, { attack: 'none' })
    const flipped = cells.find(({ attack }) => String(attack).startsWith('negate'))
    return [shareOf(before), shown(flipped?.edits), shareOf(flipped), shown(flipped?.radius)]
  }),
})

export function rounds(own: readonly Cell[], all: readonly Cell[]): Table {
  const numbers = unique(own.map(({ round }) => Number(round)))
  return {
    head: [
      'method',
      'undetected before (%)',
      ...numbers.flatMap((n) => [`undetected after round ${n} (%)`, 'edits', 'perplexity']),
      'perplexity of marked texts',
    ],
    body: byMethod(own, (cells) => {
      const { model, method } = cells[0]!
      const [before] = where(all, { stage: 'scrub', model, method })
      return [
        before === undefined ? '-' : share(Number(before.missed), before.count),
        ...numbers.flatMap((round) => {
          const [cell] = where(cells, { round })
          return [shareOf(cell), shown(cell?.edits), shown(cell?.ppl)]
        }),
        shown(cells[0]!.pplMarked),
      ]
    }),
  }
}

/** One row per method, one column per test: the fewest questions with which the power reached nine in ten. */
export function presence(own: readonly Cell[]): Table {
  const tests = unique(own.map(({ test }) => String(test)))
  return {
    head: ['method', ...tests],
    body: byMethod(own, (cells) =>
      tests.map((test) => {
        const [cell] = where(cells, { test })
        if (cell === undefined) return '-'
        const [budgets, powers] = [cell.budgets as number[], cell.powers as number[]]
        const at = powers.findIndex((found) => found >= 0.9 * cell.count)
        const last = budgets.length - 1
        return at < 0
          ? `not in ${budgets[last]}: ${share(powers[last]!, cell.count)}`
          : `${budgets[at]}: ${share(powers[at]!, cell.count)}`
      }),
    ),
  }
}

/** One row per shape and entropy, one column per method: the share found, and the most that any detector can find. */
export function lowEntropy(own: readonly Cell[]): Table {
  const methods = unique(own.map(({ method }) => method))
  const rows = unique(own.map(({ shape, nats }) => `${shape} ${nats}`))
  return {
    head: ['text', 'tokens', 'nats per token', ...methods.map(code)],
    body: rows.map((row) => {
      const cells = own.filter(({ shape, nats }) => `${shape} ${nats}` === row)
      const [first] = cells
      return [
        String(first!.shape),
        shown(first!.length),
        shown(first!.perToken),
        ...methods.map((method) => {
          const [cell] = where(cells, { method })
          return cell === undefined
            ? '-'
            : `${share(cell.hits, cell.count)}; ${percent(Number(cell.ceiling))}`
        }),
      ]
    }),
  }
}

export const collisions = (own: readonly Cell[]): Table => ({
  head: [
    'first mark',
    'second mark',
    'rewritten (%)',
    'first detected (%)',
    'second detected (%)',
    'both (%)',
    'perplexity',
    'of marked texts',
  ],
  body: own.map((cell) => [
    code(cell.method),
    code(cell.second),
    percent(Number(cell.share)),
    share(Number(cell.first), cell.count),
    share(Number(cell.last), cell.count),
    share(cell.hits, cell.count),
    shown(cell.ppl),
    shown(cell.pplMarked),
  ]),
})
