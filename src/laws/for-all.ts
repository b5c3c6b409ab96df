/** Runs a predicate over generated values and turns what fast-check found into the parts of a result. */
import type { Arbitrary } from 'fast-check'
import { fc } from './fast-check.ts'
import type { Trial } from './law.ts'

/** Thrown by a predicate that found a case in which the law does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** A bias that was found: what one law fails for, and what another is looking for. */
export class BiasFound extends Violation {}

/** How an error is reported that the watermark threw, not a law. */
export const thrown = (error: unknown): string =>
  `the watermark threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`

/** How many values shrinking may try. */
const SHRINKS = 400
/** A sampled predicate takes long on values that pass: it stops shrinking where it is after fewer. */
export const SAMPLED_SHRINKS = 24

export interface Found<T> {
  /** Values tried before the first failure, or all. */
  readonly cases: number
  readonly value?: T
  readonly path?: string
  /** What was wrong with the shrunk value: in words, and as it was thrown. */
  readonly why?: string
  readonly error?: unknown
}

export interface Quantified<T> {
  /** Which part of a law this is, where it has several: the first word of the path. */
  readonly part?: string
  readonly arbitrary: Arbitrary<T>
  /** Values tried first. */
  readonly examples?: readonly T[]
  readonly runs: number
  /** How many values shrinking may try. */
  readonly shrinks?: number
}

/**
 * Tries the predicate on examples and generated values; on failure shrinks. Deterministic given the trial's seed and path.
 * An error other than a Violation, thrown by the watermark itself, is a failure too and is reported in its words.
 */
export async function forAll<T>(
  trial: Trial,
  { part, arbitrary, examples = [], runs, shrinks = SHRINKS }: Quantified<T>,
  predicate: (value: T) => Promise<void> | void,
): Promise<Found<T>> {
  const prefix = part === undefined ? '' : `${part}/`
  const path = trial.path?.startsWith(prefix) ? trial.path.slice(prefix.length) : undefined
  // the path to replay lies in another part
  if (trial.path !== undefined && !/^\d{1,6}(:\d{1,6})*$/.test(path ?? '')) return { cases: 0 }
  let failed = false
  let attempts = 0
  let tried = 0
  const property = fc.asyncProperty(arbitrary, async (value) => {
    await trial.breathe()
    // a path names one value; what follows it in its stream is another
    if (path !== undefined && tried > 0) return
    tried++
    if (trial.progress !== undefined) trial.progress.cases++
    if (failed && ++attempts > shrinks) return
    try {
      await predicate(value)
    } catch (error) {
      failed = true
      throw error
    }
  })
  const check = async () =>
    fc.check(property, {
      seed: trial.seed,
      numRuns: Math.max(runs, examples.length),
      examples: examples.map((value): [T] => [value]),
      ...(path !== undefined && { path, endOnFailure: true }),
    })
  // a path that shrinking cannot take is one of another law, or of none
  const details = path === undefined ? await check() : await check().catch(() => undefined)
  if (details === undefined) return { cases: 0 }
  await trial.breathe()
  if (!details.failed) return { cases: path === undefined ? details.numRuns : tried }
  const error = details.errorInstance
  return {
    cases: details.numRuns,
    value: details.counterexample![0],
    path: prefix + (details.counterexamplePath ?? ''),
    why: error instanceof Violation ? error.message : thrown(error),
    error,
  }
}
