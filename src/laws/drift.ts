/**
 * Unbiased for one query, not for many (Theorem 1): with the key held, the law of texts is not the model's. It cannot be where
 * there is something to detect, and how far it is limits the detector's power (`power-needs-drift.ts`). And it is one law, the
 * same for every generation of a prompt: what drifts over repeated prompts is what that law says (`repeated-prompts.ts`).
 * Without a detector nothing may drift.
 */
import type { Watermark } from '../watermark.ts'
import { keySeed, type ToyModel, toyModel } from './arbitraries/index.ts'
import { numbersForDeviation, smallestDeviation } from './engine/mean-bets.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, Violation } from './for-all.ts'
import { fractions } from './fractions.ts'
import { hasOwnRandomness } from './held-key.ts'
import { type Effort, type LawResult, notApplicable, type Trial } from './law.ts'
import { findPower } from './power.ts'
import { type Explained, explained } from './power-needs-drift.ts'
import { PER_KEY, type Repeated, repeatPrompts } from './repeated-prompts.ts'
import { replayOf, resultOf, type Shown } from './result.ts'
import { openingOf } from './toy-world.ts'

const NAME = 'drift'

/** The deviation over repeated prompts that is promised, and how many toy models are drawn besides the fair coin. */
export const plans: Record<Effort, { readonly deviation: number; readonly drawn: number }> = {
  quick: { deviation: 0.15, drawn: 1 },
  usual: { deviation: 0.08, drawn: 2 },
  thorough: { deviation: 0.04, drawn: 10 },
}
/** Keys whose texts are detected and measured, for each nat of evidence: a detector that sees what is not there gains 1/4 per key. */
const KEYS_PER_NAT = 8
const MAX_GENERATIONS = 50_000
/** Where a rule has randomness of the text's own, the law of each generation is computed: fewer keys. */
const OWN_COSTS = 4
const SHRINKS = 3
const BEYOND_ROUNDING = 1e-9

const coin: ToyModel = { vocabSize: 2, rows: [[1, 1]] }

interface Case {
  readonly model: ToyModel
  readonly keys: number
}

const show = ({ model: { rows } }: Case): Shown => ({
  p: fractions(rows[0]!),
  also: `a toy model with rows ${rows.map((row) => `[${fractions(row).join(', ')}]`).join(', ')}`,
})

const digits = (x: number): string => `${+x.toPrecision(2)}`

async function drift<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  const plan = plans[trial.effort]
  const runs = 1 + plan.drawn
  const level = trial.falseAlarm / 2
  const rates = { level: level / (3 * runs), miss: trial.miss }
  const needed = numbersForDeviation(plan.deviation, rates, MAX_GENERATIONS) / PER_KEY
  const count = Math.ceil(needed / (hasOwnRandomness(watermark) ? OWN_COSTS : 1))
  let keys = 0
  let deviation = 0
  const evidence = () =>
    ({
      kind: 'sampled',
      keys,
      falseAlarm: trial.falseAlarm,
      miss: trial.miss,
      smallestBias: smallestDeviation(count * PER_KEY, rates),
      observedBias: deviation,
    }) as const
  const details: string[] = []
  if (watermark.detector !== undefined) {
    const search = await findPower(watermark, { ...trial, falseAlarm: level })
    if (search.found === undefined)
      return notApplicable(NAME, 'the detector has no power: nothing need drift')
    const { length } = search.found
    const seen = await explained(
      watermark,
      search.found,
      Math.ceil(-KEYS_PER_NAT * Math.log(level)),
      level,
      trial,
    )
    keys += search.keys + 2 * seen.keys
    if (seen.contradiction) return contradicted(seen, length, trial, evidence())
    details.push(
      `at ${length} tokens power ${digits(seen.power)}, BC ${digits(seen.coefficient)}, below 1 for ${Math.round(100 * seen.affected)}% of keys`,
    )
  }
  const opening = openingOf(watermark)
  if (opening === undefined)
    return { law: NAME, verdict: 'holds', detail: details.join('; '), evidence: evidence() }
  let first: Repeated | undefined
  const found: Found<Case> = await forAll(
    trial,
    {
      arbitrary: fc.record({ model: fc.oneof(toyModel(2), toyModel(3)), keys: keySeed() }),
      examples: [{ model: coin, keys: trial.seed }],
      runs,
      shrinks: SHRINKS,
    },
    async ({ model, keys: seed }) => {
      const held = { keys: seed, count, level: level / runs }
      const repeated = await repeatPrompts(watermark, model, opening, held, trial)
      keys += count
      first ??= repeated
      deviation = Math.max(deviation, repeated.deviation)
      if (watermark.detector === undefined && repeated.distance > BEYOND_ROUNDING)
        throw new Violation(
          `declares no detector, yet with the key held texts are ${digits(repeated.distance)} away from the model's`,
        )
    },
  )
  if (first !== undefined) details.push(describe(first))
  return resultOf(NAME, trial, found, show, evidence(), details.join('; '))
}

const describe = ({ distance, gap, clonesGap, power, level }: Repeated): string =>
  `three coins: TV ${digits(distance)}, SPMG gap ${digits(gap)} (clone ${digits(clonesGap)}), DetWmk ${digits(power)} (clone ${digits(level)})`

function contradicted(
  { keys, power, coefficient }: Explained,
  length: number,
  trial: Trial,
  evidence: LawResult['evidence'],
): LawResult {
  return {
    law: NAME,
    verdict: 'fails',
    detail: `over ${keys} keys ${digits(100 * power)}% of texts of ${length} tokens are detected, but with the key held their law has BC ${digits(coefficient)} with the model's: the detector sees what is not in the text`,
    evidence,
    counterexample: {
      also: `texts of ${length} tokens of a uniform model`,
      seed: trial.seed,
      path: '',
      replay: replayOf(NAME, trial.seed, ''),
    },
  }
}

export const driftLaw = {
  name: NAME,
  statement:
    'with the key held texts drift from the model, as far as the detector has power, and repeated prompts show what is computed',
  sampled: true,
  check: drift,
}
