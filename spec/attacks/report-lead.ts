/** What reports/adversaries.md means, in at most five sentences. Methods are counted where intervals are apart; none is ranked. */
import { clopperPearson, median } from '../../src/core/stats/index.ts'
import { type Cell, needed, percent, share, unique, where } from './report-tables.ts'

/** Level at which a text counts as forged. */
const FORGED = 1e-3

const range = (values: readonly number[]): string =>
  `${Math.min(...values).toPrecision(2)} to ${Math.max(...values).toPrecision(2)}`

function forging(cells: readonly Cell[]): string {
  const strong = where(cells, { stage: 'spoof', estimate: 'ratio', strength: 4 })
  const budgets = unique(strong.map(({ n }) => Number(n))).sort((a, b) => a - b)
  const counts = [budgets[0]!, budgets.at(-1)!].map((n) => {
    const own = where(strong, { n })
    const sure = own.filter(({ hits, count }) => clopperPearson(hits, count).low > FORGED)
    return { n, own, text: `for ${sure.length} of ${own.length} methods after ${n} stolen texts` }
  })
  const { own } = counts[1]!
  const [least, most] = [Math.min, Math.max].map((pick) => {
    const hits = pick(...own.map((cell) => cell.hits))
    return share(hits, own.find((cell) => cell.hits === hits)!.count)
  })
  return `Forging at strength 4 succeeds more often than the level of 0.1% allows, with the whole interval, ${counts
    .map(({ text }) => text)
    .join(', and ')}, where ${least} to ${most}% of the forged texts pass.`
}

function scrubbing(cells: readonly Cell[]): string {
  const own = where(cells, { stage: 'scrub' })
  const sure = own.filter(
    ({ hits, missed, count }) => clopperPearson(hits, count).low > clopperPearson(Number(missed), count).high,
  )
  const worse = own.map(({ ppl, pplMarked }) => Number(ppl) / Number(pplMarked))
  return `Scrubbing 30% of the tokens hides texts of ${sure.length} of ${own.length} methods, intervals apart from those before the attack, and costs quality: ${range(worse)} times the perplexity.`
}

function asking(cells: readonly Cell[]): string {
  const [remove, decide, forge] = [
    { goal: 'remove', answers: 'p-values' },
    { goal: 'remove', answers: 'decisions' },
    { goal: 'forge', answers: 'p-values' },
  ].map((facts) => {
    const own = where(cells, { stage: 'oracle', ...facts })
    const queries = own.flatMap((cell) => needed(cell, 'queries'))
    // texts that the first question settled are undetected marked texts: they count neither as tried nor as reached
    const first = own.reduce((sum, cell) => sum + cell.count, 0) - queries.length
    const hits = own.reduce((sum, cell) => sum + cell.hits, 0) - first
    return { median: median(queries), reached: `${hits} of ${queries.length} texts` }
  })
  return `Asking a detector for p-values removes the mark from ${remove!.reached} that it detected (median ${remove!.median} questions) and forges ${forge!.reached} (${forge!.median}); asking for decisions still removes it from ${decide!.reached} (${decide!.median}), but forges only by carrying words into a marked text.`
}

function editing(cells: readonly Cell[]): string {
  const own = where(cells, { stage: 'characters', attack: 'zeroWidth(rate=0.05)' })
  const before = (cell: Cell) =>
    where(cells, { stage: 'characters', attack: 'none', method: cell.method, model: cell.model })[0]!
  const lowered = own.filter((cell) => {
    const { hits, count } = before(cell)
    return clopperPearson(hits, count).low > clopperPearson(cell.hits, cell.count).high
  })
  const equal = own.filter((cell) => cell.normalised === before(cell).normalised)
  return `Invisible characters at 5% of the places lower the share detected, intervals apart, for ${lowered.length} of ${own.length} methods, and after \`--normalise\` as many texts are detected as without them for ${equal.length} of ${own.length}.`
}

function hiding(cells: readonly Cell[]): string | undefined {
  const asked = where(cells, { stage: 'presence' }).filter(({ method }) => method !== 'no mark')
  const poor = where(cells, { stage: 'entropy', shape: 'code-like', nats: 0.3 })
  if (asked.length === 0 || poor.length === 0) return undefined
  const methods = unique(asked.map(({ method }) => method))
  const found = methods.filter((method) =>
    where(asked, { method }).some((cell) =>
      (cell.powers as number[]).some((n) => clopperPearson(n, cell.count).low > 0.5),
    ),
  )
  const most = Math.max(...asked.flatMap((cell) => cell.budgets as number[]))
  const ceilings = poor.map(({ ceiling }) => Number(ceiling))
  const [least, highest] = [Math.min(...ceilings), Math.max(...ceilings)].map(percent)
  return `Without the key, ${most} questions to one of four tests find ${found.length} of ${methods.length} marks of a toy model more often than not; in code-like text of ${Number(poor[0]!.perToken)} nats per token (${poor[0]!.length} tokens), no detector of level 1% can find more than ${least === highest ? least : `${least} to ${highest}`}%, depending on the mark.`
}

export const lead = (cells: readonly Cell[]): string[] =>
  [forging, scrubbing, asking, editing, hiding].flatMap((sentence) => sentence(cells) ?? [])
