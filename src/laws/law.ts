/** What a law is, and what comes of checking one. */
import type { Watermark } from '../watermark.ts'

/** What came of checking a law. */
export type LawVerdict = 'holds' | 'fails' | 'not applicable'

/** How much work a check may do: more keys and larger vocabularies see smaller mistakes. */
export const EFFORTS = ['quick', 'usual', 'thorough'] as const
/** How much work a check may do. */
export type Effort = (typeof EFFORTS)[number]

/** A bias that is sure to be seen at one size of vocabulary. */
export interface Promised {
  readonly vocabSize: number
  readonly bias: number
}

/** On what a verdict rests. */
export type LawEvidence =
  | { readonly kind: 'exact'; readonly cases: number }
  | {
      readonly kind: 'sampled'
      /** Secret keys used. */
      readonly keys: number
      /** The chance that a correct watermark fails this law. */
      readonly falseAlarm: number
      /** The chance that a bias of at least `smallestBias` passes. */
      readonly miss: number
      /** The smallest bias that is sure to be seen, but for `miss`. */
      readonly smallestBias: number
      /** The largest bias observed; on failure, that of the counterexample. */
      readonly observedBias: number
      /** The bias that is sure to be seen (but for `miss`), per size of vocabulary. */
      readonly promises?: readonly Promised[]
    }

/** A case in which a law does not hold, as small as it could be made. */
export interface Counterexample {
  /** The shrunk distribution, as fractions. */
  readonly p?: readonly string[]
  /** Whatever else the counterexample consists of, in words. */
  readonly also?: string
  readonly seed: number
  readonly path: string
  /** Code that runs this one case again. */
  readonly replay: string
}

/** The verdict on one law, and what it rests on. */
export interface LawResult {
  readonly law: string
  readonly verdict: LawVerdict
  readonly detail: string
  readonly evidence?: LawEvidence
  readonly counterexample?: Counterexample
}

/** The conditions under which one law is checked. */
export interface Trial {
  /** This law's share of the false-alarm rate of the run. */
  readonly falseAlarm: number
  readonly miss: number
  readonly bias: number
  readonly effort: Effort
  /** Where generated values come from; `path` replays one of them. */
  readonly seed: number
  readonly path?: string
  /** How many distributions an exact law tries. */
  readonly runs: number
  /** The largest vocabulary on which biases are looked for; absent: as large as the effort has it. */
  readonly maxVocabSize?: number
  /** Counts the cases that were tried, so that a check that tried none is not taken for one that passed. */
  readonly progress?: { cases: number }
  /** Lets others run, and throws where the check was aborted. Called often; yields rarely. */
  breathe(): Promise<void> | undefined
}

/** What every watermark must obey: a statement and the check of it. */
export interface Law {
  /** Short and unique: the name of its test. */
  readonly name: string
  /** The statement, in a sentence. */
  readonly statement: string
  /** Whether it draws keys at random, and so takes a share of the false-alarm rate. */
  readonly sampled: boolean
  check<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult>
}

export const notApplicable = (law: string, detail: string): LawResult => ({
  law,
  verdict: 'not applicable',
  detail,
})
