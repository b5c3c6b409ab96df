/**
 * Unbiased for one query, not for many (Theorem 1): with the key held, the law of texts is not the model's. It cannot be where
 * there is something to detect, and how far it is limits the detector's power (`power-needs-drift.ts`). And it is one law, the
 * same for every generation of a prompt: what drifts over repeated prompts is what that law says (`repeated-prompts.ts`).
 * Without a detector nothing may drift.
 */
import { keySeed, type ToyModel, toyModel } from './arbitraries/index.ts'
import { numbersForDeviation, smallestDeviation } from './engine/mean-bets.ts'
import { fc } from './fast-check.ts'
import { forAll, resultOf, Violation } from './for-all.ts'
import { hasOwnRandomness } from './held-key.ts'
import { defineLaw, type Effort, type LawEvidence, notApplicable, sampledEvidence } from './law.ts'
import { findPower } from './power.ts'
import { explained } from './power-needs-drift.ts'
import { PER_KEY, type Repeated, repeatPrompts } from './repeated-prompts.ts'
import { openingOf, showToyModel } from './toy-world.ts'

/** The deviation over repeated prompts that is promised, and how many toy models are drawn besides the fair coin. */
export const plans: Record<Effort, { readonly deviation: number; readonly drawn: number }> = {
  quick: { deviation: 0.15, drawn: 1 },
  usual: { deviation: 0.08, drawn: 2 },
  thorough: { deviation: 0.04, drawn: 10 },
}
/** Keys whose texts are detected and measured, for each nat of evidence: a detector that sees what is not there gains 1/4 per key. */
const KEYS_PER_NAT = 8
const MAX_GENERATIONS = 50_000
/** The factor by which keys are fewer if a rule has randomness of the text's own: the law of each generation is computed. */
const OWN_COSTS = 4
const SHRINKS = 3
const BEYOND_ROUNDING = 1e-9

const coin: ToyModel = { vocabSize: 2, rows: [[1, 1]] }

const digits = (x: number): string => `${+x.toPrecision(2)}`

const describe = ({ distance, gap, clonesGap, power, level }: Repeated): string =>
  `three coins: TV ${digits(distance)}, SPMG gap ${digits(gap)} (clone ${digits(clonesGap)}), DetWmk ${digits(power)} (clone ${digits(level)})`

export const driftLaw = defineLaw(
  {
    name: 'drift',
    statement:
      'with the key held texts drift from the model, as far as the detector has power, and repeated prompts show what is computed',
    sampled: true,
  },
  async (watermark, trial) => {
    const plan = plans[trial.effort]
    const runs = 1 + plan.drawn
    const level = trial.falseAlarm / 2
    const rates = { level: level / (3 * runs), miss: trial.miss }
    const needed = numbersForDeviation(plan.deviation, rates, MAX_GENERATIONS) / PER_KEY
    const count = Math.ceil(needed / (hasOwnRandomness(watermark) ? OWN_COSTS : 1))
    let keys = 0
    let deviation = 0
    const evidence = (): LawEvidence => {
      const smallestBias = smallestDeviation(count * PER_KEY, rates)
      return sampledEvidence(trial, { keys, smallestBias, observedBias: deviation })
    }
    const details: string[] = []
    if (watermark.detector !== undefined) {
      const { found: world, ...search } = await findPower(watermark, { ...trial, falseAlarm: level })
      if (world === undefined) return notApplicable('the detector has no power: nothing need drift')
      const { length } = world
      const most = Math.ceil(-KEYS_PER_NAT * Math.log(level))
      const seen = await explained(watermark, world, most, level, trial)
      keys += search.keys + 2 * seen.keys
      const [power, coefficient] = [seen.power, digits(seen.coefficient)]
      if (seen.contradiction)
        return {
          verdict: 'fails',
          detail: `over ${seen.keys} keys ${digits(100 * power)}% of texts of ${length} tokens are detected, but with the key held their law has BC ${coefficient} with the model's: the detector sees what is not in the text`,
          evidence: evidence(),
          counterexample: { also: `texts of ${length} tokens of a uniform model`, path: '' },
        }
      details.push(
        `at ${length} tokens power ${digits(power)}, BC ${coefficient}, below 1 for ${Math.round(100 * seen.affected)}% of keys`,
      )
    }
    const opening = openingOf(watermark)
    if (opening === undefined) return { verdict: 'holds', detail: details.join('; '), evidence: evidence() }
    let first: Repeated | undefined
    const found = await forAll(
      trial,
      {
        arbitrary: fc.record({ model: fc.oneof(toyModel(2), toyModel(3)), keys: keySeed() }),
        examples: [{ model: coin, keys: trial.seed }],
        runs,
        shrinks: SHRINKS,
        show: ({ model }) => showToyModel(model),
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
    return resultOf(found, evidence(), details.join('; '))
  },
)
