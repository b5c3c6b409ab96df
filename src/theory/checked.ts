/** Checks of arguments that the functions of this room share. */
import { checkDistribution, SLACK } from '../core/embed/index.ts'
import { checkTokens, MAX_VOCAB } from '../core/keys/index.ts'
import { realValues } from '../core/stats/index.ts'
import { integer, iterable, list, number, outOfRange, wrongType } from '../input.ts'
import { requireWatermark, type Watermark } from '../watermark.ts'

/** A distribution: non-negative numbers that sum to 1. */
export type Distribution = ArrayLike<number>

/** Returns a copy of a distribution, checked: numbers that are not negative and sum to 1. */
export function probabilities(name: string, p: Distribution): Float64Array {
  const copy = realValues(name, p)
  copy.forEach((mass, i) => {
    number(`${name}[${i}]`, mass, 0, 1 + SLACK)
  })
  const sum = copy.reduce((a, b) => a + b, 0)
  if (Math.abs(sum - 1) > SLACK) throw outOfRange(name, 'probabilities that sum to 1', `a sum of ${sum}`)
  return copy
}

/** Checks the distribution of a step, as a watermark reweights it: a Float64Array. */
export function checkStep(name: string, p: unknown): asserts p is Float64Array {
  if (!(p instanceof Float64Array) || p.length === 0)
    throw wrongType(name, 'a Float64Array of probabilities, at least one', p)
  checkDistribution(name, p, p.length)
}

/** The most distributions of a text's positions. */
const MAX_STEPS = 100_000

/** Checks one distribution for every position, or the distributions of several positions over one vocabulary. */
export function checkSteps(name: string, value: unknown): readonly Float64Array[] {
  if (!Array.isArray(value)) {
    checkStep(name, value)
    return [value]
  }
  integer(`${name}.length`, value.length, 1, MAX_STEPS)
  const steps = Array.from(list(name, value, 'a list of distributions'), (p, i) => {
    checkStep(`${name}[${i}]`, p)
    return p
  })
  for (const [i, p] of steps.entries())
    integer(`${name}[${i}].length`, p.length, steps[0]!.length, steps[0]!.length)
  return steps
}

/** Checks a watermark: its optional parts that theory uses must be functions. */
export function requireListed(value: unknown): void {
  requireWatermark(value)
  const { orbit, enumerate, choose, markedScore } = value as Watermark
  for (const [name, part] of Object.entries({ orbit, enumerate, choose }))
    if (part !== undefined && typeof part !== 'function')
      throw wrongType(`watermark.${name}`, 'a function or nothing', part)
  if (markedScore === undefined) return
  if (typeof markedScore?.mean !== 'function' || typeof markedScore.tail !== 'function')
    throw wrongType('watermark.markedScore', 'an object with mean(p) and tail(p, s), or nothing', markedScore)
}

/** Returns ids that are never scored, as a set: what is given may be a generator, which can be read once only. */
export function skipped(skip: Iterable<number> | undefined): ReadonlySet<number> {
  if (skip === undefined) return new Set()
  const ids = new Set<number>()
  for (const id of iterable('skip', skip, 'token ids that can be iterated, such as an array or a Set'))
    ids.add(integer(`skip[${ids.size}]`, id, 0))
  return ids
}

export const checkText = (name: string, tokens: unknown): void => checkTokens(tokens, MAX_VOCAB, name)

export function each<T>(
  name: string,
  value: unknown,
  expected: string,
  check: (name: string, entry: unknown) => T,
): T[] {
  return Array.from(list(name, value, expected), (entry, i) => check(`${name}[${i}]`, entry))
}
