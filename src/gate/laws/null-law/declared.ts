/** The parts of a declaration of scores that can be checked without sampling p-values. */
import { lawFor } from '../../../core/detect/index.ts'
import type { ContextRule, Tokens } from '../../../core/keys/index.ts'
import { seededRandom } from '../../../core/keys/index.ts'
import type { Watermark } from '../../../watermark.ts'
import { text } from '../arbitraries/index.ts'
import { codesOf, contextsOf, secretKey } from '../codes.ts'
import { fc } from '../fast-check.ts'
import { type Found, forAll, Violation } from '../for-all.ts'
import type { Trial } from '../law.ts'
import { cycle, longEnough, memoryOf, showText } from '../long-texts.ts'

const VOCAB = 64
const CONTEXTS = 40

/** Scores are numbers within the declared bound. */
export function checkBound<Code>(watermark: Watermark<Code>, seed: number): void {
  const { bound } = watermark.detector!
  const contexts = contextsOf(watermark, VOCAB, CONTEXTS, seededRandom(seed, 'bound'))
  for (const code of codesOf(watermark, secretKey(seed, -2), VOCAB, contexts))
    for (let token = 0; token < VOCAB; token++) {
      const score = watermark.score(token, code)
      if (!(score >= 0 && score <= bound))
        throw new Violation(`a score of ${score}, outside the declared [0, ${bound}]`)
    }
}

/** The law of a score gives no mass to scores above the bound that certificates rely on. */
export function checkLawWithinBound<Code>(watermark: Watermark<Code>, vocabSize: number): void {
  const { bound, nullLaw } = watermark.detector!
  const law = lawFor(nullLaw!, vocabSize)
  if (!(law.mean >= 0 && law.mean <= bound))
    throw new Violation(`${law.name}: a mean score of ${law.mean}, outside the declared [0, ${bound}]`)
  if (!law.exact || !Number.isFinite(bound)) return
  const beyond = law.logTail(Math.floor(bound) + 1, 1)
  if (beyond !== Number.NEGATIVE_INFINITY)
    throw new Violation(
      `${law.name}: scores above the declared bound ${bound} have probability ${Math.exp(beyond).toPrecision(3)}`,
    )
}

/** A pair of context and token that is scored twice, where the rule says that no context is. */
function checkFresh(rule: ContextRule, tokens: Tokens): void {
  const seen = new Map<string, number>()
  rule
    .scored(tokens, () => false)
    .forEach((context, t) => {
      if (context === undefined) return
      const pair = `${context.join()}|${tokens[t]}`
      const before = seen.get(pair)
      if (before !== undefined)
        throw new Violation(
          `${rule.id} says that contexts do not recur, yet token ${tokens[t]} after [${context.join(', ')}] is scored at ${before} and again at ${t}: one score, not two`,
        )
      seen.set(pair, t)
    })
}

/** The least length of texts for this, in tokens: several times what a rule remembers. */
const LONG = 1_500
const RUNS = 40

/**
 * A rule that says that contexts do not recur scores no pair of context and token twice: on short texts that repeat
 * themselves, and on a loop that is just longer than what the rule remembers.
 */
export async function freshPairs<Code>({ context: rule }: Watermark<Code>, trial: Trial): Promise<Found> {
  if (rule.recurs) return { cases: 0 }
  const memory = memoryOf(rule)
  const length = longEnough(memory, LONG)
  const loops = [1, 7, ...(memory === undefined ? [] : [memory, memory + 1, memory + 2])].map((period) =>
    cycle(period, length),
  )
  const arbitrary = fc.oneof(
    text({ vocabSize: 4, maxLength: 64 }),
    fc
      .tuple(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 1, max: 400 }))
      .map(([period, n]) => cycle(period, n)),
  )
  const plan = { part: 'pairs', arbitrary, examples: loops, runs: RUNS, show: showText }
  return forAll(trial, plan, (tokens) => checkFresh(rule, tokens))
}
