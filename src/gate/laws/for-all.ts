/** Runs a predicate over generated values and turns what fast-check found into the parts of a result. */
import type { Arbitrary } from 'fast-check'
import { fc } from './fast-check.ts'
import type { Finding, LawEvidence, Shown, Trial } from './law.ts'

/** Thrown by a predicate that found a case in which the law does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** A bias that was found: one law fails for it, another looks for it. */
export class BiasFound extends Violation {}

/** Reports an error that the watermark threw, not a law. */
export const thrown = (error: unknown): string =>
  `the watermark threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`

/** The most values that shrinking may try. */
const SHRINKS = 400
/** The same for sampled predicates, which take long on values that pass. */
export const SAMPLED_SHRINKS = 24

export interface Found {
  /** Values tried before the first failure, or all. */
  readonly cases: number
  /** The mistake of the shrunk value: in words, and as it was thrown. */
  readonly why?: string
  readonly error?: unknown
  readonly counterexample?: Finding['counterexample']
}

interface Quantified<T> {
  /** The part of a law, where it has several: the first word of the path. */
  readonly part?: string
  readonly arbitrary: Arbitrary<T>
  /** Values tried first. */
  readonly examples?: readonly T[]
  readonly runs: number
  readonly shrinks?: number
  show(value: NoInfer<T>): Shown
}

/**
 * Tries the predicate on examples and generated values; on failure shrinks. Deterministic given the trial's seed and path.
 * An error other than a Violation, thrown by the watermark itself, is a failure too and is reported in its words.
 */
export async function forAll<T>(
  trial: Trial,
  { part, arbitrary, examples = [], runs, shrinks = SHRINKS, show }: Quantified<T>,
  predicate: (value: T) => Promise<void> | void,
): Promise<Found> {
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
  // a path that shrinking cannot take belongs to another law, or to none
  const details = path === undefined ? await check() : await check().catch(() => undefined)
  if (details === undefined) return { cases: 0 }
  await trial.breathe()
  if (!details.failed) return { cases: path === undefined ? details.numRuns : tried }
  const error = details.errorInstance
  return {
    cases: details.numRuns,
    why: error instanceof Violation ? error.message : thrown(error),
    error,
    counterexample: {
      ...show(details.counterexample![0]),
      path: prefix + (details.counterexamplePath ?? ''),
    },
  }
}

/** The result of a law that was checked on generated values. */
export function resultOf(
  { cases, why, counterexample }: Found,
  evidence: LawEvidence = { kind: 'exact', cases },
  detail = evidence.kind === 'exact' ? `${evidence.cases} cases` : '',
): Finding {
  if (why === undefined) return { verdict: 'holds', detail, evidence }
  return { verdict: 'fails', detail: why, evidence, counterexample }
}
