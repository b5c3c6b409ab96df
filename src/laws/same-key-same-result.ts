/**
 * Everything about a position follows from key and context, and nothing else: not from what was asked before, in which order,
 * or for which other text. And it does follow from them: another key, or a context that differs in any of its numbers, gives
 * another code.
 */

import { detect } from '../detect/index.ts'
import { embedder } from '../embed/index.ts'
import { type Context, seededRandom } from '../keys/index.ts'
import type { Watermark } from '../watermark.ts'
import { keySeed, text } from './arbitraries/index.ts'
import { codesOf, contextsOf, secretKey } from './codes.ts'
import { fc } from './fast-check.ts'
import { forAll, Violation } from './for-all.ts'
import { probabilities } from './fractions.ts'
import type { LawResult, Trial } from './law.ts'
import { resultOf } from './result.ts'

const NAME = 'same key, same result'
const VOCAB = 16
const p = probabilities(Array.from({ length: VOCAB }, (_, i) => 1 + (i % 5)))

/** What a code does: q for a fixed p, and every token's score. */
function behaviour<Code>(watermark: Watermark<Code>, code: Code): Float64Array {
  const out = new Float64Array(2 * VOCAB)
  watermark.reweight(p, code, out.subarray(0, VOCAB))
  for (let token = 0; token < VOCAB; token++) out[VOCAB + token] = watermark.score(token, code)
  return out
}

const equal = (a: Float64Array, b: Float64Array): boolean => a.every((x, i) => Object.is(x, b[i]))

/** The distributions along a text, from an embedder that is asked `between` every two positions to do something else. */
function along<Code>(
  watermark: Watermark<Code>,
  key: string,
  tokens: readonly number[],
  between: () => void,
): Float64Array {
  const one = embedder(watermark, { key, vocabSize: VOCAB, seed: 7 })
  const out = new Float64Array(tokens.length * VOCAB)
  for (let t = 0; t < tokens.length; t++) {
    one.reweight(tokens.slice(0, t), p, out.subarray(t * VOCAB, (t + 1) * VOCAB))
    one.drew(tokens[t]!, p[tokens[t]!]!)
    between()
  }
  return out
}

interface Case {
  readonly keys: number
  readonly tokens: number[]
}

function sameTwice<Code>(watermark: Watermark<Code>, { keys, tokens }: Case): void {
  const key = secretKey(keys, 0)
  const contexts = contextsOf(watermark, VOCAB, 4, seededRandom(keys, 'contexts'))
  const codes = () => codesOf(watermark, key, VOCAB, contexts)
  const first = codes().map((code) => behaviour(watermark, code))
  const second = codes()
  // in another order, with another key's codes drawn and used in between, and scores asked backwards
  for (let i = contexts.length - 1; i >= 0; i--) {
    behaviour(watermark, codesOf(watermark, secretKey(keys, 1), VOCAB, [contexts[i]!])[0]!)
    for (let token = VOCAB - 1; token >= 0; token--) watermark.score(token, second[i]!)
    if (!equal(first[i]!, behaviour(watermark, second[i]!)))
      throw new Violation(`the same key and context [${contexts[i]}] gave another result the second time`)
  }
  const quiet = along(watermark, key, tokens, () => {})
  const other = embedder(watermark, { key: secretKey(keys, 1), vocabSize: VOCAB, seed: 8 })
  const q = new Float64Array(VOCAB)
  const asked: number[] = []
  const interleaved = along(watermark, key, tokens, () => {
    other.reweight(asked, p, q)
    other.drew(3, p[3]!)
    asked.push(3)
  })
  if (!equal(quiet, interleaved)) throw new Violation('another text, embedded in between, changed this one')
  if (watermark.detector === undefined) return
  const scores = () => detect(watermark, tokens, { key, vocabSize: VOCAB, runs: 3 }).perToken
  if (!equal(scores(), scores())) throw new Violation('detect gave other scores the second time')
}

/** Enough that results which differ with probability 1/2 all coincide with probability at most `level`. */
const pairsFor = (level: number): number => Math.ceil(Math.log2(1 / level))

/** Whether two ways to draw a code agree in all of so many trials. */
const alwaysEqual = (
  trials: number,
  a: (i: number) => Float64Array,
  b: (i: number) => Float64Array,
): boolean => Array.from({ length: trials }, (_, i) => i).every((i) => equal(a(i), b(i)))

/** Throws where another key or context never changes the result; returns how many keys it took. */
function differs<Code>(watermark: Watermark<Code>, keys: number, level: number): number {
  const [context] = contextsOf(watermark, VOCAB, 1, seededRandom(keys, 'context'))
  if (context === undefined) return 0
  const trials = pairsFor(level / (context.length + 1))
  const drawn = (key: string, at: Context) => behaviour(watermark, codesOf(watermark, key, VOCAB, [at])[0]!)
  const key = (i: number) => secretKey(keys, i)
  // keys that differ in their last character only
  if (
    alwaysEqual(
      trials,
      (i) => drawn(`${key(i)}a`, context),
      (i) => drawn(`${key(i)}b`, context),
    )
  )
    throw new Violation('another key gives the same result: the key is not mixed in')
  for (let j = 0; j < context.length; j++) {
    const changed = (i: number) => context.with(j, context[j]! + 1 + i)
    if (
      alwaysEqual(
        trials,
        (i) => drawn(key(i), context),
        (i) => drawn(key(i), changed(i)),
      )
    )
      throw new Violation(`the code does not depend on number ${j} of its context [${context}]`)
  }
  return trials * (context.length + 1)
}

async function sameKeySameResult<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  const arbitrary = fc.record({ keys: keySeed(), tokens: text({ vocabSize: VOCAB, maxLength: 12 }) })
  const cases = 10
  let keys = 0
  const found = await forAll(trial, { arbitrary, runs: cases }, (one) => {
    sameTwice(watermark, one)
    if (watermark.detector !== undefined) keys += differs(watermark, one.keys, trial.falseAlarm / cases)
  })
  // "another key, another result" is sampled: results that never differ are always found
  const evidence = {
    kind: 'sampled',
    keys,
    falseAlarm: trial.falseAlarm,
    miss: 0,
    smallestBias: 1,
    observedBias: 0,
  } as const
  const show = ({ keys, tokens }: Case) => ({ also: `key seed ${keys}, text [${tokens}]` })
  return resultOf(NAME, trial, found, show, evidence, `${found.cases} cases`)
}

export const sameKeySameResultLaw = {
  name: NAME,
  statement:
    'key and context determine the result, whatever was asked before; another key or context changes it',
  sampled: true,
  check: sameKeySameResult,
}
