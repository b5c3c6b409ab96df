/** The parts of docs/gate.md about whole texts: the promises of each effort. */
import { allLaws } from '../../src/gate/laws/all-laws.ts'
import { EFFORTS } from '../../src/gate/laws/law.ts'
import { ledger } from '../../src/gate/laws/ledger.ts'
import { LENGTH, pairPlan } from '../../src/gate/laws/pair-plan.ts'
import { searches } from '../../src/gate/laws/power.ts'
import { table } from './parts.ts'

const share = (law: string): number => ledger(allLaws, 1e-9).find((entry) => entry.law === law)!.falseAlarm
const digits = (x: number): string => `${+x.toPrecision(2)}`

/** Lists the texts and the smallest excess of P(x_s = x_t) that is caught, by effort and size of vocabulary. */
export function pairs(): string {
  return table(
    [
      'effort',
      `texts of ${LENGTH} tokens`,
      'smallest excess over all pairs',
      'smallest difference at one distance',
    ],
    EFFORTS.map((effort) => {
      const trial = { effort, bias: 0.02, falseAlarm: share('equal pairs'), miss: 1e-3 }
      const { texts, runs, sights } = pairPlan(trial, LENGTH)
      const ordered = sights.toSorted((a, b) => a.vocabSize - b.vocabSize)
      const seen = ordered.map(({ vocabSize, excess }) => `${digits(excess)} at ${vocabSize} tokens`)
      return [
        effort,
        `${texts} of each of ${runs} models`,
        seen.join(', '),
        digits(Math.max(...sights.map(({ apart }) => apart))),
      ]
    }),
  )
}

/** Lists the texts on which detectors must have power. */
export const power = (): string =>
  table(
    ['effort', 'texts of a uniform model', 'required share detected at 1%'],
    EFFORTS.map((effort) => {
      const { worlds, power } = searches[effort]
      const shown = worlds.map(({ length, vocabSize }) => `${length} tokens of ${vocabSize}`)
      return [effort, shown.join(', '), digits(power)]
    }),
  )
