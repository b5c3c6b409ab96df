/** Writes reports/adversaries.md and a part of SECURITY.md from the cells of reports/adversaries.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../../src/core/stats/index.ts'
import { root } from '../commands/program.ts'
import { table } from '../docs/parts.ts'
import { lead } from './report-lead.ts'
import {
  asked,
  type Cell,
  code,
  collisions,
  edited,
  lowEntropy,
  needed,
  normalised,
  piggyback,
  presence,
  rounds,
  scrubs,
  share,
  shown,
  spoofs,
  type Table,
  unique,
  where,
} from './report-tables.ts'

export type { Cell }

export const readCells = (): Cell[] =>
  JSON.parse(readFileSync(join(root, 'reports/adversaries.json'), 'utf8')) as Cell[]

/** A section, where its stage has cells: a heading, a text, and one table for each model. */
function section(
  cells: readonly Cell[],
  stage: string,
  title: string,
  text: string,
  ...makers: ((own: readonly Cell[]) => Table)[]
): string {
  const all = where(cells, { stage })
  if (all.length === 0) return ''
  const models = unique(all.map(({ model }) => model))
  const tables = models.flatMap((model) =>
    makers.map((rows) => {
      const { head, body } = rows(where(all, { model }))
      return `${model}:\n\n${table(head, body)}`
    }),
  )
  return `## ${title}\n\n${text}\n\n${tables.join('\n\n')}\n`
}

/** What the estimates did that the table of the strongest one leaves out. */
function otherEstimates(cells: readonly Cell[]): string {
  const pooled = (facts: Record<string, unknown>): string => {
    const own = where(cells, { stage: 'spoof', ...facts })
    return `${own.reduce((sum, { hits }) => sum + hits, 0)} of ${own.reduce((sum, { count }) => sum + count, 0)}`
  }
  return `At strength 1, which repeats the mark as estimated, ${pooled({ estimate: 'ratio', strength: 1 })} texts passed over all methods and budgets; with \`argmax\`, which takes the
commonest token of each context, ${pooled({ estimate: 'argmax' })}. Their cells are in the JSON.`
}

export function page(cells: readonly Cell[]): string {
  const of = (stage: string, title: string, text: string, ...makers: Parameters<typeof section>[4][]) =>
    section(cells, stage, title, text, ...makers)
  return [
    `# Adversaries with a budget

${lead(cells).join('\n')}

Written by \`spec/attacks/report.spec.ts\` from [adversaries.json](adversaries.json), which \`scripts/adversaries.mjs\` computes and which has every cell; the tables show the strongest attacks. Texts of 100 tokens of the embedded model, at the temperature of the benchmark. All texts of a method have
one key, as an attacker finds them, so intervals (95% each, exact) are over texts and not over keys. Overlapping intervals rank nothing. Perplexity is that of the attacked model without the mark.
`,
    of(
      'spoof',
      'Stealing and forging',
      `An attacker collects texts, and as many unmarked ones, estimates what the mark prefers (\`steal\`) and writes texts with the estimate. Forged: p at most 0.001 under the owner's key; "found" is the share of marked texts
that reaches the same. Here the estimate compares frequencies, with back-off from two tokens of context to none (for \`unigram\` none at all), and strength 4 exaggerates it.
${otherEstimates(cells)}`,
      spoofs,
    ),
    of(
      'scrub',
      'Stealing and washing out',
      `30% of the tokens, those that the mark seems to prefer most, are written anew against the estimate (\`scrub\`), and each becomes another token. Beside it, 30% at random places are rewritten without an estimate, where about half come out as they were: fewer edits, so the two do not
compare at equal cost. Undetected: p above 1%.`,
      scrubs,
    ),
    of(
      'oracle',
      'Asking a detector',
      `At most 1,000 questions for each of 10 texts; tokens are proposed by a bigram model. With p-values every answer ranks two texts. With decisions, a mark is removed by half-splitting
random edits and taking back those that were not needed, and forged only by carrying an own text into a marked one: its edits then count from the own text, and where that marked text is not detected itself, the attack stops at the first question. Medians with their ranges are over texts that needed more than
one question, and perplexity is that of all ten.`,
      asked('remove'),
      asked('forge'),
    ),
    of(
      'presence',
      'Finding a mark without the key',
      'Each entry: the fewest questions (of 24, 48, 96, 192 and 384) with which the test of level 1% found the mark under at least 18 of 20 keys, and its power there. A Markov model of 50 tokens and 2.5 nats. Red-green asks six prompts with each of four contexts that should not matter to the model. Fixed sampling repeats one question, with answers of twelve tokens. Cache supposes that only the first answer to a question is marked. DetWmk has the unmarked model at hand, asks it as often, and once more as its own clone; each of its generations is one token. The row without a mark shows false alarms; a power counts for one budget, not for the best of five.',
      presence,
    ),
    of(
      'entropy',
      'Low entropy',
      'Each entry: the share of texts detected at 1% by the shipped detector, over as many keys, and after the semicolon the ceiling in percent: the power of the likelihood-ratio test, which knows the key and the distribution; no test of this level has more. In a list two of four tokens are certain, in code-like text six of eight; the free ones all have one distribution over 50 tokens. The ceiling is that of fresh contexts, computed over 200 sampled keys. What lies between share and ceiling is lost to contexts that come again, which carry no mark and are frequent in lists and code, and to detectors that do not know the model.',
      lowEntropy,
    ),
    of(
      'collision',
      'Two marks on one text',
      'The end of a marked text is written anew under a second mark with a key of its own. Both detectors read the whole text at level 1%.',
      collisions,
    ),
    of(
      'characters',
      'Edits of characters',
      'Edits that leave a text readable. Each entry: the share detected at 1%, and after the semicolon the evidence left (the mean of ln p, in percent of that before). The second table is after `uwbench detect --normalise`, for the edits that it undoes.',
      edited,
      normalised,
    ),
    of(
      'characters',
      'Piggyback',
      'Each auxiliary verb gets a "not". An edit of a word counts as the tokens it changes. The certificate is the mean number of edits, of any kind, that cannot undo the detection, where a text that is not detected counts as -1; a dash: no certificate for this method.',
      piggyback,
    ),
    of(
      'recursive',
      'Rewriting again and again',
      'In every round the model without the mark writes 20% of the tokens anew, in spans of 5 at places of their own. Undetected: p above 1%. Edits count from the marked text.',
      (own) => rounds(own, cells),
    ),
  ]
    .filter(Boolean)
    .join('\n')
}

/** What an attacker with 1,000 texts, or the most that were tried up to there, does to each method; for SECURITY.md. */
export function findings(cells: readonly Cell[]): string {
  const own = where(cells, { model: 'uwbench-lm' })
  const methods = unique(where(own, { stage: 'spoof' }).map(({ method }) => method))
  const find = (stage: string, method: string, more: Record<string, unknown> = {}) =>
    where(own, { stage, method, ...more })
      .filter((cell) => Number(cell.n ?? 0) <= 1000)
      .sort((a, b) => Number(b.n ?? 0) - Number(a.n ?? 0))[0]
  const quality = (cell: Cell | undefined): string =>
    cell === undefined
      ? '-'
      : `${share(cell.hits, cell.count)} with ${shown(cell.n)}; perplexity ${shown(cell.ppl)} (${shown(cell.pplMarked)})`
  const questions = (cell: Cell | undefined): string => {
    if (cell === undefined) return '-'
    const [queries, edits] = [needed(cell, 'queries'), needed(cell, 'edits')]
    const cost = queries.length === 0 ? '' : `${median(queries)} for ${median(edits)} edits; `
    return `${cost}${cell.hits} of ${cell.count} reached, ${cell.count - queries.length} by the first`
  }
  return table(
    [
      'method',
      'forged at strength 1 (%)',
      'forged at strength 4 (%)',
      'undetected before washing out (%)',
      'undetected after 30% edits with stolen texts (%)',
      'questions to remove, p-values',
      'questions to remove, decisions',
      'questions to forge, p-values',
    ],
    methods.map((method) => {
      const scrub = find('scrub', method)
      return [
        code(method),
        quality(find('spoof', method, { estimate: 'ratio', strength: 1 })),
        quality(find('spoof', method, { estimate: 'ratio', strength: 4 })),
        scrub === undefined ? '-' : share(Number(scrub.missed), scrub.count),
        quality(scrub),
        questions(find('oracle', method, { goal: 'remove', answers: 'p-values' })),
        questions(find('oracle', method, { goal: 'remove', answers: 'decisions' })),
        questions(find('oracle', method, { goal: 'forge', answers: 'p-values' })),
      ]
    }),
  )
}
