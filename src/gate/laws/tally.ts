/** Adds up what the tests of a law used and found. */
import type { Watermark } from '../../watermark.ts'
import type { Running } from './engine/mean-test.ts'
import { BiasFound, type Found, resultOf } from './for-all.ts'
import { type KeysFinding, keysTest } from './keys-test.ts'
import {
  type Finding,
  type LawEvidence,
  type Promised,
  type Suspicion,
  sampledEvidence,
  type Trial,
} from './law.ts'
import { type NetsFinding, netsTest } from './nets-test.ts'
import { biasAt, netBias, promisesOf } from './sizes.ts'
import { EVERY_SET } from './token-sets.ts'

export class Tally {
  #keys = 0
  #largest = 0
  #failure: number | undefined

  /** Returns whether no test used a key. */
  get isEmpty(): boolean {
    return this.#keys === 0
  }

  /** Counts a finished test. */
  add({ taken, observed, verdict }: Pick<Running, 'taken' | 'observed' | 'verdict'>): void {
    this.#keys += taken
    this.#largest = Math.max(this.#largest, observed)
    // shrinking goes from failure to failure: the last one is the counterexample
    if (verdict === 'fails') this.#failure = observed
  }

  /** The evidence of all tests so far: each promises to see `smallestBias`, or what `promises` says for its vocabulary. */
  evidence(trial: Trial, smallestBias: number, promises?: readonly Promised[]): LawEvidence {
    const observedBias = this.#failure ?? this.#largest
    return sampledEvidence(trial, {
      keys: this.#keys,
      smallestBias,
      observedBias,
      ...(promises && { promises }),
    })
  }
}

/** While it shrinks, a test holds where a bias of this share of the one that was found is refuted. */
const SHRUNK = 0.8
/** The size that an error counts for: a q that is no distribution shows after few keys, and is looked for no longer. */
const GROSS = 0.3

/** Tests the mean of q over keys, one distribution after the other; throws at a bias. */
export class KeysTrial {
  /** True if any position of any text was marked. */
  marked = false
  readonly #tally = new Tally()
  readonly #trial: Trial
  readonly #falseAlarm: number
  #found = 0
  #suspicious: Suspicion | undefined
  /** The largest bias that nets refuted on some distribution; 0 before the first. */
  #netBias = 0

  /** @param tests how many distributions share the false-alarm rate */
  constructor(trial: Trial, tests: number) {
    this.#trial = trial
    this.#falseAlarm = trial.falseAlarm / tests
  }

  async test<Code>(watermark: Watermark<Code>, p: Float64Array, seed: number): Promise<void> {
    const { miss } = this.#trial
    const rates = { falseAlarm: this.#falseAlarm, miss, bias: biasAt(p.length, this.#trial) }
    const finding = await keysTest(watermark, p, seed, rates, this.#trial, SHRUNK * this.#found).catch(
      this.#gross,
    )
    // with few keys chance deviations are large: what was seen is told of where most is promised
    const isNoise = finding.verdict !== 'fails' && rates.bias > biasAt(1, this.#trial)
    this.#take(finding, isNoise ? 0 : finding.observed, 'keys')
  }

  /** The same with scrambled nets in place of keys, on a few tokens. */
  async testNets<Code>(watermark: Watermark<Code>, p: Float64Array, seed: number): Promise<void> {
    const { miss } = this.#trial
    const rates = { falseAlarm: this.#falseAlarm, miss, bias: netBias(this.#trial) }
    const finding = await netsTest(watermark, p, seed, rates, this.#trial, SHRUNK * this.#found).catch(
      this.#gross,
    )
    const isPointMass = p.includes(1)
    if (finding !== undefined || !isPointMass)
      this.#netBias = Math.max(this.#netBias, finding?.refuted ?? Number.POSITIVE_INFINITY)
    if (finding !== undefined) this.#take(finding, finding.observed, 'codes from nets')
  }

  readonly #gross = (error: unknown): never => {
    this.#found = GROSS
    throw error
  }

  #take(finding: KeysFinding | NetsFinding, observed: number, of: string): void {
    const { taken, verdict, suspicious } = finding
    this.marked ||= finding.marked
    this.#tally.add({ taken, verdict, observed })
    const weight = ({ estimate, error }: Suspicion): number => Math.abs(estimate) / error
    if (suspicious !== undefined && !(this.#suspicious && weight(this.#suspicious) >= weight(suspicious)))
      this.#suspicious = suspicious
    if (verdict !== 'fails') return
    this.#found = observed
    throw new BiasFound(
      `after ${taken.toLocaleString('en')} ${of} the mean of q is ${observed.toPrecision(3)} away from p on ${finding.where}`,
    )
  }

  /** The evidence of all tests so far, with what is promised at each size of vocabulary. */
  evidence(vocabSizes: readonly number[]): LawEvidence {
    const promises = promisesOf([EVERY_SET, ...vocabSizes], this.#trial)
    const [few, ...others] = promises
    const isSmaller = this.#netBias > 0 && this.#netBias < few!.bias
    const byNets = isSmaller ? [{ ...few!, bias: this.#netBias }, ...others] : promises
    return this.#tally.evidence(this.#trial, few!.bias, byNets)
  }

  /** The result of a law that ran these tests. */
  result(found: Found, vocabSizes: readonly number[]): Finding {
    const finding = resultOf(found, this.evidence(vocabSizes))
    return this.#suspicious === undefined || finding.verdict === 'fails'
      ? finding
      : { ...finding, suspicious: this.#suspicious }
  }
}
