import { number } from '../../input.ts'

/** What a sampled test promises, in both directions. */
export interface Rates {
  /** The chance that what is correct fails is at most this. */
  readonly falseAlarm: number
  /** The chance that a bias of at least `bias` passes is at most this. */
  readonly miss: number
  /** The bias, in total variation, that `miss` speaks about. */
  readonly bias: number
}

export type Verdict = 'holds' | 'fails'

export function checkRates({ falseAlarm, miss, bias }: Rates): void {
  number('falseAlarm', falseAlarm, 0, 0.5, true)
  number('miss', miss, 0, 0.5, true)
  number('bias', bias, 0, 1, true)
}
