/**
 * Beside the paper's experiments: methods tuned to one strength on the distributions of the embedded models, and what each does to them.
 * Nothing is generated: everything follows from recorded distributions.
 */
import { readFileSync } from 'node:fs'
import { digestOf, type Json } from '../../src/bench/cells/cell.ts'
import { codeOf } from '../../src/bench/cells/code.ts'
import { cell, openStore, type Report, type Row, type Table, type Value } from '../../src/bench/entry.ts'
import { exact, text } from '../../src/bench/report/values.ts'
import { totalVariation } from '../../src/core/stats/total-variation.ts'
import { stepLaw } from '../../src/theory/step-law.ts'
import { tokensNeeded } from '../../src/theory/tokens-needed.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { bimark, dipmark, ens, gumbel, kgw, mcmark, sta1, synthid } from '../../src/watermarks/entry.ts'
import { type RecordedSteps, recordedSteps } from '../detection/recorded-steps.ts'
import { tiltedMean } from './tilted-mean.ts'

const [ALPHA, POWER] = [0.01, 0.9]
/** Tokens that every method shall need. */
const TARGETS = [100, 50]
/** Keys per distribution, where laws are sampled. */
const KEYS = 48

/** A method with one setting of its strength to choose: the weakest that is strong enough. */
interface Tuned {
  readonly label: string
  /** From weak to strong. */
  readonly settings: readonly number[]
  readonly make: (setting: number) => AnyWatermark
}

const hundredths = (most: number): number[] => Array.from({ length: 100 * most }, (_, i) => (i + 1) / 100)
const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** KGW with the exact law of its score. */
function tilted(delta: number): AnyWatermark {
  const watermark = kgw({ delta })
  const mean = (p: Float64Array): number => tiltedMean(p, delta, 1 / 2).green
  return { ...watermark, markedScore: { mean, tail: (p, s) => (s <= 0 ? 1 : s <= 1 ? mean(p) : 0), most: 1 } }
}

const methods: readonly Tuned[] = [
  { label: 'KGW, delta', settings: hundredths(6), make: tilted },
  {
    label: 'SynthID with three leaves, layers',
    settings: upTo(1, 20),
    make: (layers) => synthid({ layers, leaves: 3 }),
  },
  { label: 'DiPmark, alpha', settings: hundredths(0.5), make: (alpha) => dipmark({ alpha }) },
  {
    label: 'DiPmark with a linear score, alpha',
    settings: hundredths(0.5),
    make: (alpha) => dipmark({ alpha, detector: 'linear' }),
  },
  // beyond 0.3 it is weaker again
  { label: 'ENS of five marks, alpha', settings: hundredths(0.3), make: (alpha) => ens({ marks: 5, alpha }) },
  { label: 'BiMark of ten layers, delta', settings: hundredths(1), make: (delta) => bimark({ delta }) },
  { label: 'SynthID, layers', settings: upTo(1, 30), make: (layers) => synthid({ layers }) },
  { label: 'MCmark, channels', settings: upTo(2, 10), make: (channels) => mcmark({ channels }) },
  { label: 'STA-1, nothing to tune', settings: [1 / 2], make: (gamma) => sta1({ gamma }) },
  { label: 'Gumbel, nothing to tune', settings: [0], make: () => gumbel() },
]

/** The first of them are biased. */
const BIASED = 2

function needed(watermark: AnyWatermark, steps: readonly Float64Array[]): number {
  const result = tokensNeeded(watermark, steps, ALPHA, POWER, { keys: KEYS * steps.length })
  return result.applicable ? result.high : Number.POSITIVE_INFINITY
}

/** The weakest setting that needs at most `target` tokens, by bisection, or the strongest; and how many it needs. */
function tune({ settings, make }: Tuned, steps: readonly Float64Array[], target: number) {
  const lengths = new Map<number, number>()
  const lengthOf = (i: number): number => {
    if (!lengths.has(i)) lengths.set(i, needed(make(settings[i]!), steps))
    return lengths.get(i)!
  }
  const strongest = settings.length - 1
  let [no, yes] = [lengthOf(strongest) <= target ? -1 : strongest - 1, strongest]
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2)
    if (lengthOf(middle) <= target) yes = middle
    else no = middle
  }
  return { setting: settings[yes]!, tokens: lengthOf(yes) }
}

const average = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length

/** What a mark does to a distribution: on average over keys, and under one key. */
interface Effect {
  /** Total variation of the mean over keys from p. */
  readonly bias: number
  /** Mean of -ln p of a marked token, less that of an unmarked one. */
  readonly surprise: number
  /** Mean total variation from p under one key, and mean divergence in nats. */
  readonly variation: number
  readonly nats: number
}

function effectOf(watermark: AnyWatermark, p: Float64Array, setting: number, i: number): Effect {
  const { members } = stepLaw({ ...watermark, enumerate: undefined } as AnyWatermark, p, {
    keys: KEYS,
    seed: i,
  })
  const sampled = new Float64Array(p.length)
  let [variation, nats] = [0, 0]
  for (const { q, weight } of members) {
    variation += weight * totalVariation(q, p)
    for (let x = 0; x < p.length; x++) {
      sampled[x]! += weight * q[x]!
      if (q[x]! > 0) nats += weight * q[x]! * Math.log(q[x]! / p[x]!)
    }
  }
  if (watermark.unbiased) return { bias: 0, surprise: 0, variation, nats }
  const closed = watermark.markedScore !== undefined
  const mean = closed ? tiltedMean(p, setting, 1 / 2).mean : sampled
  let surprise = 0
  for (let x = 0; x < p.length; x++) if (p[x]! > 0) surprise -= (mean[x]! - p[x]!) * Math.log(p[x]!)
  // the mean of few sampled keys differs from p by chance as well
  return { bias: closed ? totalVariation(mean, p) : Number.NaN, surprise, variation, nats }
}

function rowOf(tuned: Tuned, { ranked }: RecordedSteps, target: number): Row {
  const { label } = tuned
  const { setting, tokens } = tune(tuned, ranked, target)
  const row = { id: label, label, family: '' }
  if (tokens > target) return { ...row, cells: { setting: text('too weak'), tokens: exact(tokens) } }
  const watermark = tuned.make(setting)
  const effects = ranked.map((p, i) => effectOf(watermark, p, setting, i))
  const over = (name: keyof Effect): number => average(effects.map((effect) => effect[name]))
  const shown = (value: number): Value | null => (Number.isNaN(value) ? null : exact(value))
  return {
    ...row,
    cells: {
      setting: text(tuned.settings.length === 1 ? '-' : String(setting)),
      tokens: exact(tokens),
      bias: shown(over('bias')),
      perplexity: exact(Math.expm1(over('surprise'))),
      variation: exact(over('variation')),
      nats: exact(over('nats')),
    },
  }
}

const columns: Table['columns'] = [
  { id: 'setting', label: 'setting', unit: 'text' },
  { id: 'tokens', label: 'tokens needed', unit: 'count' },
  { id: 'bias', label: 'bias per token', unit: 'percent', digits: 2, better: 'lower' },
  { id: 'perplexity', label: 'perplexity', unit: 'percent', digits: 1, better: 'lower' },
  { id: 'variation', label: 'one key: distance', unit: 'percent', digits: 1, better: 'lower' },
  { id: 'nats', label: 'one key: nats', unit: 'number', digits: 3, better: 'lower' },
]

function tableOf(steps: RecordedSteps, target: number): Table {
  return {
    id: `equal-strength-${target}-${steps.model}`,
    title: `${target} tokens on ${steps.model}`,
    rowLabel: 'Method',
    columns,
    rows: methods.map((tuned) => rowOf(tuned, steps, target)),
  }
}

/** The models whose steps are recorded. */
const models = ['uwbench-lm', 'stories15m'] as const

/** Every method at the setting with which it needs 100 tokens, and 50, on both models. */
function equalStrength(): Report {
  const tables = TARGETS.flatMap((target) => models.map((name) => tableOf(recordedSteps(name), target)))
  const cellOf = (row: Row, column: string): number =>
    (row.cells[column] as { value: number } | undefined)?.value ?? Number.NaN
  const where = (i: number): string => `${TARGETS[i >> 1]!} tokens on ${models[i & 1]!}`
  const costs = tables.map(
    ({ rows }, i) => `${(100 * cellOf(rows[0]!, 'perplexity')).toFixed(1)}% at ${where(i)}`,
  )
  // unbiased methods that can be tuned, the one that moves least first
  const moved = tables[0]!.rows
    .filter((row, i) => i >= BIASED && methods[i]!.settings.length > 1 && cellOf(row, 'nats') > 0)
    .sort((a, b) => cellOf(a, 'nats') - cellOf(b, 'nats'))
    .map((row) => `${row.label.replace(/,[^,]*$/, '')} ${cellOf(row, 'nats').toFixed(2)}`)
  return {
    name: 'equal-strength',
    title: 'Equal strength: what a mark costs where all are detected alike',
    summary: [
      `At equal strength KGW raises perplexity by ${costs.join(', ')}. Unbiased methods do not raise it.`,
      `How far one key moves the distribution of a token, in nats, where an unbiased method needs at most ${where(0)} (some settings need fewer: see the table): ${moved.join(', ')}. The less a method moves, the less an observer of many texts of one key can tell.`,
    ],
    order: 14,
    scale: 'embedded',
    standIns: [],
    notes: [
      'Each method has the weakest setting with which a text is detected at 1% with 90% power after the stated number of scored tokens, by its own detector. Methods with nothing to tune are shown as they are where they are strong enough.',
      'The next-token distributions are those of fixtures/steps, recorded along unmarked texts of the two models: 192 positions each. All effects are of one token given what comes before it.',
      'Bias per token: the total variation distance between the mean over keys of the marked distribution and p. 0 for unbiased methods, which is proved, and tested in spec/watermarks. For KGW it is computed in closed form. Unigram marks a token as KGW does.',
      'Perplexity: by how much it grows, from the mean of -ln p of a marked token.',
      `One key: how far the distribution under a single key is from p, in total variation and in nats of divergence, over ${KEYS} keys per position unless all can be listed. Laws of scores without a closed form are averages over as many, which leaves the tokens needed uncertain by about a twentieth. Seeds are fixed.`,
    ],
    tables,
    charts: [],
    provenance: { level: ALPHA, power: POWER, keys: KEYS, steps: 'fixtures/steps' },
  }
}

/** Reads the report from the store, as the cells of other reports, unless code or data have changed. */
export function storedEqualStrength(): Report {
  const data = models.map((name) =>
    digestOf(readFileSync(new URL(`../../fixtures/steps/${name}.json`, import.meta.url), 'utf8')),
  )
  const code = codeOf(new URL('./equal-strength.ts', import.meta.url).href)
  const address = cell('equal strength', { data }, { code })
  const store = openStore()
  if (!store.has(address)) store.write(address, equalStrength() as unknown as Json)
  return store.read(address) as unknown as Report
}
