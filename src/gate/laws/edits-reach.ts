import { reachUpTo } from '../../core/keys/index.ts'
import { allEdits, type Edit, reachLaw } from '../../theory/index.ts'
import { text } from './arbitraries/index.ts'
import { specialIds } from './arbitraries/rule.ts'
import { fc } from './fast-check.ts'
import { forAll, resultOf, Violation } from './for-all.ts'
import { defineLaw, type Effort, notApplicable } from './law.ts'
import { cycleEdit, cycleExamples, cycles, longEnough, memoryOf, showCycle, showText } from './long-texts.ts'

/** So few tokens that contexts recur: then an edit also uncovers later copies of the contexts it destroys. */
const VOCAB = 3
const LENGTH = 18
const RUNS = 60
/** Long texts: beyond what any rule remembers that remembers little. */
const LONG = 2_500
/** Tokens of all long texts together: longer memories make fewer of them. */
const LONG_TOKENS: Record<Effort, number> = { quick: 25_000, usual: 100_000, thorough: 1_000_000 }
const LEAST_LONG_RUNS = 4
/** A long text takes milliseconds. */
const LONG_SHRINKS = 150
/** Ids that may open and close a stretch of their own, and a text of other tokens, long enough for a stretch to show. */
const FENCES = [...Array(1_100).keys(), ...specialIds(2 ** 18).filter((id) => id >= 1_100)]
const PLAIN = Array.from({ length: 64 }, (_, t) => 2_000 + t)
const [NEAR, FAR] = [4, 60]

/** Edits that open, close or move a fence: in a text that has it once, and in one that has it twice. */
function* fenceEdits(token: number): Generator<[tokens: number[], edit: Edit]> {
  const once = PLAIN.with(NEAR, token)
  const twice = once.with(FAR, token)
  yield [once, { kind: 'insertion', at: FAR, token }]
  yield [once, { kind: 'substitution', at: FAR, token }]
  yield [PLAIN, { kind: 'insertion', at: NEAR, token }]
  yield [twice, { kind: 'deletion', at: NEAR }]
  yield [twice, { kind: 'deletion', at: FAR }]
}

const replacements = Array.from({ length: VOCAB }, (_, i) => i)

/**
 * One edit changes at most as many scores as the context rule declares. Every edit of short random texts is tried, edits that make one token open or
 * close a stretch, and single edits of long texts that repeat themselves: where a rule forgets contexts after some time, at just that distance.
 */
export const editsReachLaw = defineLaw(
  {
    name: 'an edit reaches as far as declared',
    statement:
      'one edit takes or adds at most as many scores as the context rule declares, in long texts too',
    sampled: false,
  },
  async (watermark, trial) => {
    const { context: rule } = watermark
    if (watermark.detector === undefined) return notApplicable('declares no detector')
    if (!Number.isFinite(reachUpTo(rule, 1))) return notApplicable(`${rule.id} declares no bound`)
    const check = (tokens: ArrayLike<number>, edit: Edit): void => {
      const { verdict, detail } = reachLaw(watermark, tokens, edit)
      if (verdict === 'fails') throw new Violation(detail)
    }
    const arbitrary = text({ vocabSize: VOCAB, maxLength: LENGTH })
    const short = await forAll(trial, { part: 'short', arbitrary, runs: RUNS, show: showText }, (tokens) => {
      for (const edit of allEdits(tokens, replacements)) check(tokens, edit)
    })
    if (short.why !== undefined) return resultOf(short)
    const fences = await forAll(
      trial,
      {
        part: 'fences',
        arbitrary: fc.constantFrom(...FENCES),
        examples: FENCES,
        runs: FENCES.length,
        show: (token) => ({ also: `the token ${token} as a fence, in a text of ${PLAIN.length} others` }),
      },
      (token) => {
        for (const [tokens, edit] of fenceEdits(token)) check(tokens, edit)
      },
    )
    if (fences.why !== undefined) return resultOf(fences)
    const memory = memoryOf(rule)
    const length = longEnough(memory, LONG)
    // while a declared memory lasts the smaller reach must hold
    const lengths = rule.memory === undefined ? [length] : [length, rule.memory.tokens - 1]
    const long = await forAll(
      trial,
      {
        part: 'long',
        arbitrary: cycles(memory, length),
        examples: memory === undefined ? [] : cycleExamples(memory, lengths),
        runs: Math.max(LEAST_LONG_RUNS, Math.round(LONG_TOKENS[trial.effort] / length)),
        shrinks: LONG_SHRINKS,
        show: showCycle,
      },
      (one) => {
        const { tokens, edit } = cycleEdit(one)
        check(tokens, edit)
      },
    )
    const cases = short.cases + fences.cases + long.cases
    const memorable = memory === undefined ? '' : `; contexts are forgotten after ${memory} tokens`
    const detail = `${cases} cases, texts of up to ${length} tokens${memorable}`
    return resultOf(long, { kind: 'exact', cases }, detail)
  },
)
