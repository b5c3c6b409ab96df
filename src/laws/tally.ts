/** Runs sequential tests to their verdict, and adds up what they used. */
import type { Rates, Running } from './engine/index.ts'
import type { LawEvidence, Promised, Trial } from './law.ts'

/** Feeds a test with sample 0, 1, 2, ... until it has a verdict. */
export async function untilVerdict<T extends Running>(
  test: T,
  feed: (test: T, index: number) => void,
  trial: Trial,
): Promise<T> {
  for (let i = 0; test.verdict === undefined; i++) {
    feed(test, i)
    if (i % 64 === 63) await trial.breathe()
  }
  return test
}

export class Tally {
  #keys = 0
  #largest = 0
  #failure: number | undefined

  /** Whether no test used a key. */
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

  /** The evidence of all tests so far: each promises to see a bias of `rates.bias`, or what `promises` says for its vocabulary. */
  evidence(
    falseAlarm: number,
    { miss, bias }: Pick<Rates, 'miss' | 'bias'>,
    promises?: readonly Promised[],
  ): LawEvidence {
    return {
      kind: 'sampled',
      keys: this.#keys,
      falseAlarm,
      miss,
      smallestBias: bias,
      observedBias: this.#failure ?? this.#largest,
      ...(promises && { promises }),
    }
  }
}
