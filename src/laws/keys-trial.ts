/** Distributions tested one by one, with what all of them used and found. */
import type { Watermark } from '../watermark.ts'
import { BiasFound } from './for-all.ts'
import { type KeysFinding, keysTest } from './keys-test.ts'
import type { Trial } from './law.ts'
import { biasAt } from './sizes.ts'
import { Tally } from './tally.ts'

/** While it shrinks, a test holds where a bias of this share of the one that was found is refuted. */
const SHRUNK = 0.8
/** What an error counts for: a q that is no distribution shows after few keys, and is looked for no longer. */
const GROSS = 0.3

/** What was found, in a sentence. */
const biasFound = ({ taken, observed, where }: KeysFinding): string =>
  `after ${taken.toLocaleString('en')} keys the mean of q is ${observed.toPrecision(3)} away from p on ${where}`

/** Tests distributions one by one; throws at a bias. */
export class KeysTrial {
  readonly tally = new Tally()
  /** Whether any position of any text was marked. */
  marked = false
  readonly #trial: Trial
  readonly #falseAlarm: number
  #found = 0

  /** @param tests how many distributions share the false-alarm rate */
  constructor(trial: Trial, tests: number) {
    this.#trial = trial
    this.#falseAlarm = trial.falseAlarm / tests
  }

  async test<Code>(watermark: Watermark<Code>, p: Float64Array, seed: number): Promise<void> {
    const { miss } = this.#trial
    const rates = { falseAlarm: this.#falseAlarm, miss, bias: biasAt(p.length, this.#trial) }
    const finding = await keysTest(watermark, p, seed, rates, this.#trial, SHRUNK * this.#found).catch(
      (error) => {
        this.#found = GROSS
        throw error
      },
    )
    this.marked ||= finding.marked
    // with few keys chance deviations are large: what was seen is told of where most is promised
    const { taken, verdict } = finding
    const isNoise = verdict !== 'fails' && rates.bias > biasAt(1, this.#trial)
    this.tally.add({ taken, verdict, observed: isNoise ? 0 : finding.observed })
    if (finding.verdict !== 'fails') return
    this.#found = finding.observed
    throw new BiasFound(biasFound(finding))
  }
}
