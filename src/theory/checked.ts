/** Checks of arguments that the functions of this room share. */
import { checkDistribution, SLACK } from '../embed/distribution.ts'
import { integer, iterable, list, number, outOfRange, wrongType } from '../input.ts'
import { MAX_VOCAB } from '../keys/random.ts'
import type { ContextRule } from '../keys/rule.ts'
import { checkTokens } from '../keys/tokens.ts'
import { realValues } from '../stats/real-values.ts'
import { requireWatermark, type Watermark } from '../watermark.ts'
import type { Distribution } from './divergence.ts'

/** A copy of a distribution, checked: numbers that are not negative and sum to 1. */
export function probabilities(name: string, p: Distribution): Float64Array {
  const copy = realValues(name, p)
  copy.forEach((mass, i) => {
    number(`${name}[${i}]`, mass, 0, 1 + SLACK)
  })
  const sum = copy.reduce((a, b) => a + b, 0)
  if (Math.abs(sum - 1) > SLACK) throw outOfRange(name, 'probabilities that sum to 1', `a sum of ${sum}`)
  return copy
}

/** The distribution of a step, as a watermark reweights it: a Float64Array. */
export function checkStep(name: string, p: unknown): asserts p is Float64Array {
  if (!(p instanceof Float64Array) || p.length === 0)
    throw wrongType(name, 'a Float64Array of probabilities, at least one', p)
  checkDistribution(name, p, p.length)
}

/** The most distributions of a text's positions. */
const MAX_STEPS = 100_000

/** One distribution for every position, or those of several positions over one vocabulary. */
export function checkSteps(name: string, value: unknown): readonly Float64Array[] {
  if (!Array.isArray(value)) {
    checkStep(name, value)
    return [value]
  }
  integer(`${name}.length`, value.length, 1, MAX_STEPS)
  const steps = Array.from(value as unknown[], (p, i) => {
    checkStep(`${name}[${i}]`, p)
    return p
  })
  for (const [i, p] of steps.entries())
    integer(`${name}[${i}].length`, p.length, steps[0]!.length, steps[0]!.length)
  return steps
}

/** A watermark whose optional parts, which theory uses, are functions where they are there. */
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

/** Ids that are never scored, as a set: what is given may be a generator, which can be read once only. */
export function skipped(skip: Iterable<number> | undefined): ReadonlySet<number> {
  if (skip === undefined) return new Set()
  const ids = new Set<number>()
  for (const id of iterable('skip', skip, 'token ids that can be iterated, such as an array or a Set'))
    ids.add(integer(`skip[${ids.size}]`, id, 0))
  return ids
}

/** A text of any vocabulary. */
export const checkText = (name: string, tokens: unknown): void => checkTokens(tokens, MAX_VOCAB, name)

/** A context rule, such as `ngram(2)`. */
export function requireRule(name: string, value: unknown): asserts value is ContextRule {
  const rule = value as Partial<ContextRule> | null | undefined
  if (typeof rule !== 'object' || typeof rule?.begin !== 'function' || typeof rule.scored !== 'function')
    throw wrongType(name, 'a context rule such as ngram(2)', value)
}

/** Every entry of a list, checked one by one. */
export function each<T>(
  name: string,
  value: unknown,
  expected: string,
  check: (name: string, entry: unknown) => T,
): T[] {
  return Array.from(list(name, value, expected), (entry, i) => check(`${name}[${i}]`, entry))
}
