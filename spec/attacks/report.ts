/** Writes reports/adversaries.md and a part of SECURITY.md from the cells of reports/adversaries.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clopperPearson, median } from '../../src/core/stats/index.ts'
import { root } from '../commands/program.ts'
import { table } from '../docs/parts.ts'

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

export const readCells = (): Cell[] =>
  JSON.parse(readFileSync(join(root, 'reports/adversaries.json'), 'utf8')) as Cell[]

const percent = (share: number): string => `${Math.round(100 * share)}`

/** A share of texts in percent, with its exact 95% interval. */
function share(hits: number, count: number): string {
  const { low, high } = clopperPearson(hits, count)
  return `${percent(hits / count)} [${percent(low)}, ${percent(high)}]`
}

const spread = (values: readonly number[]): string =>
  `${median(values)} (${Math.min(...values)} to ${Math.max(...values)})`

const shown = (value: unknown): string => (typeof value === 'number' ? `${value}` : '-')
const unique = <T>(list: readonly T[]): T[] => [...new Set(list)]

/** A section, where its stage has cells: a heading, a text, and one table for each model. */
function section(
  cells: readonly Cell[],
  stage: string,
  title: string,
  lead: string,
  rows: (own: readonly Cell[]) => { head: string[]; body: string[][] },
): string {
  const all = cells.filter((cell) => cell.stage === stage)
  if (all.length === 0) return ''
  const tables = unique(all.map(({ model }) => model)).map((model) => {
    const { head, body } = rows(all.filter((cell) => cell.model === model))
    return `${model}:\n\n${table(head, body)}`
  })
  return `## ${title}\n\n${lead}\n\n${tables.join('\n\n')}\n`
}

const code = (id: string): string => `\`${id}\``

const spoofs = (own: readonly Cell[]) => ({
  head: [
    'method',
    'texts stolen',
    'estimate',
    'forged (%)',
    'perplexity',
    'of marked texts',
    'of unmarked texts',
  ],
  body: [...own]
    .sort(
      (a, b) =>
        a.method.localeCompare(b.method) ||
        String(b.estimate).localeCompare(String(a.estimate)) ||
        Number(a.strength) - Number(b.strength) ||
        Number(a.n) - Number(b.n),
    )
    .map((cell) => [
      code(cell.method),
      shown(cell.n),
      String(cell.estimate),
      shown(cell.strength),
      share(cell.hits, cell.count),
      share(Number(cell.ownHits), cell.count),
      ...['ppl', 'pplMarked', 'pplUnmarked'].map((name) => shown(cell[name])),
    ]),
})

const scrubs = (own: readonly Cell[]) => ({
  head: [
    'method',
    'texts stolen',
    'edits',
    'washed out (%)',
    'perplexity',
    'edits at random',
    'washed out (%)',
    'perplexity',
    'of marked texts',
  ],
  body: own.map((cell) => [
    code(cell.method),
    shown(cell.n),
    shown(cell.edits),
    share(cell.hits, cell.count),
    shown(cell.ppl),
    shown(cell.randomEdits),
    share(Number(cell.random), cell.count),
    shown(cell.pplRandom),
    shown(cell.pplMarked),
  ]),
})

const asked = (own: readonly Cell[]) => ({
  head: ['method', 'goal', 'answers', 'reached (%)', 'questions', 'edits', 'perplexity', 'before'],
  body: own.map((cell) => [
    code(cell.method),
    String(cell.goal),
    String(cell.answers),
    share(cell.hits, cell.count),
    spread(cell.queries as number[]),
    spread(cell.edits as number[]),
    shown(cell.ppl),
    shown(cell.pplBefore),
  ]),
})

const characters = (own: readonly Cell[]) => ({
  head: [
    'edit',
    'method',
    'edited tokens',
    'detected (%)',
    'evidence left (%)',
    'detected after normalising (%)',
    'evidence left (%)',
  ],
  body: own.map((cell) => [
    code(String(cell.attack)),
    code(cell.method),
    shown(cell.edits),
    share(cell.hits, cell.count),
    percent(Number(cell.kept)),
    share(Number(cell.normalised), cell.count),
    percent(Number(cell.keptNormalised)),
  ]),
})

const rounds = (own: readonly Cell[]) => ({
  head: ['method', 'rounds', 'edits', 'triples left (%)', 'washed out (%)', 'perplexity', 'of marked texts'],
  body: own.map((cell) => [
    code(cell.method),
    shown(cell.round),
    shown(cell.edits),
    percent(Number(cell.triples)),
    share(cell.hits, cell.count),
    shown(cell.ppl),
    shown(cell.pplMarked),
  ]),
})

/** Meaning flipped by a few words, against the edits that the certificate promises to survive. */
const piggyback = (own: readonly Cell[]) => ({
  head: [
    'method',
    'edits that flip every clause',
    'still detected (%)',
    'edits that the certificate survives',
  ],
  body: own
    .filter(({ attack }) => String(attack).startsWith('negate'))
    .map((cell) => [code(cell.method), shown(cell.edits), share(cell.hits, cell.count), shown(cell.radius)]),
})

export function page(cells: readonly Cell[]): string {
  const of = (...given: [string, string, string, Parameters<typeof section>[4]]) => section(cells, ...given)
  return [
    `# Adversaries with a budget

What it takes to forge, wash out or hide a watermark without its key, and what the texts are worth afterwards. Written by \`spec/attacks/report.spec.ts\` from
[adversaries.json](adversaries.json), which \`scripts/adversaries.mjs\` computes. Texts of 100 tokens of the embedded models, at the temperatures of the benchmark; all texts of a
method have one key, as an attacker finds them, so intervals (95%, exact) are over texts and not over keys. Perplexity is that of the attacked model without the mark.
`,
    of(
      'spoof',
      'Stealing and forging',
      `An attacker collects texts, and as many unmarked ones, estimates what the mark prefers (\`steal\`) and writes texts with the estimate. Forged: p below 0.001
under the owner's key. \`ratio\` compares frequencies, with back-off from two tokens of context to none (for \`unigram\` none at all); \`argmax\` takes the commonest token of each
context, which gives an unbiased mark away where contexts come again. Strength 1 repeats the mark as estimated, so its evidence is at best that of marked texts, whose share that
is detected stands beside; strength 4 has more, and worse texts.`,
      spoofs,
    ),
    of(
      'scrub',
      'Stealing and washing out',
      `30% of the tokens, those that the mark seems to prefer most, are written anew against the estimate (\`scrub\`); beside it, 30% at random places are rewritten without an estimate. Washed out: p
above 1%.`,
      scrubs,
    ),
    of(
      'oracle',
      'Asking a detector',
      `At most 1,000 questions for each of 10 texts; tokens are proposed by a bigram model. With p-values every answer ranks two texts. With decisions, a mark is removed by half-splitting
random edits and taking back those that were not needed, and forged only by carrying an own text into a marked one: its edits then count from the own text. Medians with their ranges.`,
      asked,
    ),
    of(
      'characters',
      'Edits of characters',
      'The loss of evidence (the mean of ln p, as a share of that before) by edits that leave a text readable, and what is left after `uwbench detect --normalise`. The level is 1%.',
      characters,
    ),
    of(
      'characters',
      'Piggyback',
      'Each auxiliary verb gets a "not". An edit of a word counts as the tokens it changes. The certificate is the mean number of edits, of any kind, that cannot undo the detection.',
      piggyback,
    ),
    of(
      'recursive',
      'Rewriting again and again',
      'In every round the model without the mark writes 20% of the tokens anew, in spans of 5.',
      rounds,
    ),
  ]
    .filter(Boolean)
    .join('\n')
}

/** What an attacker with 1,000 texts, or the most that were tried up to there, does to each method; for SECURITY.md. */
export function findings(cells: readonly Cell[]): string {
  const own = cells.filter(({ model }) => model === 'uwbench-lm')
  const methods = unique(own.map(({ method }) => method))
  const find = (stage: string, method: string, more: Record<string, unknown> = {}) =>
    own
      .filter((cell) => cell.stage === stage && cell.method === method && Number(cell.n ?? 0) <= 1000)
      .filter((cell) => Object.entries(more).every(([name, value]) => cell[name] === value))
      .sort((a, b) => Number(b.n ?? 0) - Number(a.n ?? 0))[0]
  const quality = (cell: Cell | undefined): string =>
    cell === undefined
      ? '-'
      : `${share(cell.hits, cell.count)} with ${shown(cell.n)}; perplexity ${shown(cell.ppl)} (${shown(cell.pplMarked)})`
  const questions = (cell: Cell | undefined): string =>
    cell === undefined
      ? '-'
      : `${median(cell.queries as number[])} for ${median(cell.edits as number[])} edits, ${percent(cell.hits / cell.count)}% reached`
  return table(
    [
      'method',
      'forged at strength 1 (%)',
      'forged at strength 4 (%)',
      'washed out by 30% edits after stealing texts (%)',
      'questions to remove, p-values',
      'questions to remove, decisions',
      'questions to forge, p-values',
    ],
    methods.map((method) => [
      code(method),
      quality(find('spoof', method, { estimate: 'ratio', strength: 1 })),
      quality(find('spoof', method, { estimate: 'ratio', strength: 4 })),
      quality(find('scrub', method)),
      questions(find('oracle', method, { goal: 'remove', answers: 'p-values' })),
      questions(find('oracle', method, { goal: 'remove', answers: 'decisions' })),
      questions(find('oracle', method, { goal: 'forge', answers: 'p-values' })),
    ]),
  )
}
