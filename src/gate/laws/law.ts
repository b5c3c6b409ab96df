/** Laws, the conditions under which they are checked, and their results. */
import type { Watermark } from '../../watermark.ts'

/** The result of checking a law. */
export type LawVerdict = 'holds' | 'fails' | 'not applicable'

export const EFFORTS = ['quick', 'usual', 'thorough'] as const
/** The work that a check may do: more keys and larger vocabularies see smaller mistakes. */
export type Effort = (typeof EFFORTS)[number]

/** A bias that is certain to be seen at one size of vocabulary. */
export interface Promised {
  readonly vocabSize: number
  readonly bias: number
}

/** The evidence for a verdict. */
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
      /** The smallest bias that is certain to be seen, but for `miss`. */
      readonly smallestBias: number
      /** The largest bias observed; on failure, the bias of the counterexample. */
      readonly observedBias: number
      /** The bias that is certain to be seen (but for `miss`), per size of vocabulary. */
      readonly promises?: readonly Promised[]
      /** Requests to a server and tokens of its answers, where the evidence comes from one; `keys` is then 1. */
      readonly spent?: { readonly requests: number; readonly tokens: number }
    }

/** A case in which a law does not hold, as small as it could be made. */
export interface Counterexample {
  /** The shrunk distribution, as fractions. */
  readonly p?: readonly string[]
  /** The other parts of the counterexample, in words. */
  readonly also?: string
  readonly seed: number
  readonly path: string
  /** Code that runs this one case again. */
  readonly replay: string
}

/** A bias that a sampled law could neither confirm nor rule out. */
export interface Suspicion {
  /** The bias that was measured, and its standard error. */
  readonly estimate: number
  readonly error: number
}

/** The verdict on one law, and its evidence. */
export interface LawResult {
  readonly law: string
  readonly verdict: LawVerdict
  readonly detail: string
  readonly evidence?: LawEvidence
  /** Beside 'holds': zero lies outside a 99.9% confidence sequence of a bias, but the evidence stayed below the false-alarm rate. */
  readonly suspicious?: Suspicion
  readonly counterexample?: Counterexample
}

/** The conditions under which one law is checked. */
export interface Trial {
  /** This law's share of the false-alarm rate of the run. */
  readonly falseAlarm: number
  readonly miss: number
  readonly bias: number
  readonly effort: Effort
  /** The source of generated values; `path` replays one of them. */
  readonly seed: number
  readonly path?: string
  /** The number of distributions that an exact law tries. */
  readonly runs: number
  /** The largest vocabulary on which biases are looked for. Default: the effort decides. */
  readonly maxVocabSize?: number
  /** Counts the cases that were tried, so that a check that tried none is not taken for one that passed. */
  readonly progress?: { cases: number }
  /** Lets others run, and throws where the check was aborted. Called often; yields rarely. */
  breathe(): Promise<void> | undefined
}

/** A statement that every watermark must obey, and the check of it. */
export interface Law {
  /** Short and unique: the name of its test. */
  readonly name: string
  /** The statement, in a sentence. */
  readonly statement: string
  /** True if it draws keys at random, and so takes a share of the false-alarm rate. */
  readonly sampled: boolean
  check<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult>
}

/** A generated value as a person reads it: its distribution as fractions, and its other parts. */
export type Shown = Pick<Counterexample, 'p' | 'also'>

/** A result without what is the same for every result of a law: its name, and the code that replays a case. */
export interface Finding extends Omit<LawResult, 'law' | 'counterexample'> {
  readonly counterexample?: Shown & { readonly path: string }
}

/** Makes a law of a function that checks it. */
export const defineLaw = (
  law: Omit<Law, 'check'>,
  find: <Code>(watermark: Watermark<Code>, trial: Trial) => Promise<Finding>,
): Law => ({
  ...law,
  async check(watermark, trial) {
    const { counterexample, ...found } = await find(watermark, trial)
    if (counterexample === undefined) return { law: law.name, ...found }
    const { seed } = trial
    const { path, ...shown } = counterexample
    const replay = `checkWatermark(watermark, { laws: ['${law.name}'], seed: ${seed}, path: '${path}' })`
    return { law: law.name, ...found, counterexample: { ...shown, seed, path, replay } }
  },
})

export const notApplicable = (detail: string): Pick<Finding, 'verdict' | 'detail'> => ({
  verdict: 'not applicable',
  detail,
})

/** Evidence from keys; error rates are the trial's unless given. */
export const sampledEvidence = (
  { falseAlarm, miss }: Pick<Trial, 'falseAlarm' | 'miss'>,
  parts: Omit<Extract<LawEvidence, { kind: 'sampled' }>, 'kind' | 'falseAlarm' | 'miss'>,
): LawEvidence => ({ kind: 'sampled', falseAlarm, miss, ...parts })
