/** The parts of docs/gate.md that follow from the laws. */
import { allLaws } from '../../src/laws/all-laws.ts'
import { keysNeeded } from '../../src/laws/engine/index.ts'
import { ledger } from '../../src/laws/ledger.ts'
import { table } from './parts.ts'

const FALSE_ALARM = 1e-9
const MISS = 1e-3

/** Each law with its statement and its share of the false-alarm rate. */
export const laws = (): string =>
  table(
    ['law', 'statement', 'share of the false-alarm rate'],
    ledger(allLaws, FALSE_ALARM).map(({ law, falseAlarm }) => [
      law,
      allLaws.find(({ name }) => name === law)!.statement,
      falseAlarm === 0 ? 'exact' : falseAlarm.toPrecision(2),
    ]),
  )

/** Keys that the test of the mean takes at the most, on uniform distributions. */
export const keys = (): string => {
  const sizes = [2, 4, 8, 16]
  const biases = [0.05, 0.02, 0.01]
  return table(
    ['bias that must be seen', ...sizes.map((size) => `keys at most, ${size} tokens`)],
    biases.map((bias) => [
      `${bias}`,
      ...sizes.map((size) =>
        keysNeeded(new Float64Array(size).fill(1 / size), {
          falseAlarm: FALSE_ALARM,
          miss: MISS,
          bias,
        }).toLocaleString('en'),
      ),
    ]),
  )
}
