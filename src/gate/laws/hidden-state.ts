/**
 * Everything about a position follows from key and context alone: not from what was asked before, in which order, when, or for
 * which other text. Compared bit by bit, so nothing is assumed about how often codes differ.
 */
import { type Detection, detect } from '../../core/detect/index.ts'
import { embedder } from '../../core/embed/index.ts'
import { type Context, seededRandom } from '../../core/keys/index.ts'
import type { Watermark } from '../../watermark.ts'
import { distributionOf } from './arbitraries/index.ts'
import { codesOf, contextsOf, secretKey } from './codes.ts'
import { Violation } from './for-all.ts'
import { probabilities } from './fractions.ts'

/** The vocabulary of this law's texts. */
export const VOCAB = 16
/** Keys under which distributions are asked for twice. */
const RELATIVES = 8
/** The vocabulary of a distribution whose tail has half of the mass, in tokens of 7e-6 each, and its keys: all give a token of the head with 2^-20. */
const TAIL = 70_000
const TAIL_KEYS = 20

/** A distribution of its own for each call: a watermark that writes into p harms nobody else. */
const weights = Array.from({ length: VOCAB }, (_, i) => 1 + (i % 5))
const somewhat = (): Float64Array => probabilities(weights)

/** Returns what a code does: q for a fixed p, and every token's score. */
export function behaviour<Code>(watermark: Watermark<Code>, key: string, context: Context): Float64Array {
  const code = codesOf(watermark, key, VOCAB, [context])[0]!
  const out = new Float64Array(2 * VOCAB)
  watermark.reweight(somewhat(), code, out.subarray(0, VOCAB))
  for (let token = 0; token < VOCAB; token++) out[VOCAB + token] = watermark.score(token, code)
  return out
}

export const equal = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false
  return true
}

/** Embeds a given text token by token: takes the next token and writes its distribution. */
function follower<Code>(
  watermark: Watermark<Code>,
  key: string,
  seed: number,
): (token: number, q: Float64Array) => void {
  const text = embedder(watermark, { key, vocabSize: VOCAB, seed })
  const asked: number[] = []
  return (token, q) => {
    const p = somewhat()
    text.reweight(asked, p, q)
    text.drew(token, p[token]!)
    asked.push(token)
  }
}

/** The distributions along a text, from an embedder that does something else `between` every two positions. */
function along<Code>(
  watermark: Watermark<Code>,
  key: string,
  tokens: readonly number[],
  between: (t: number) => void = () => {},
): Float64Array {
  const next = follower(watermark, key, 7)
  const out = new Float64Array(tokens.length * VOCAB)
  for (const [t, token] of tokens.entries()) {
    next(token, out.subarray(t * VOCAB, (t + 1) * VOCAB))
    between(t)
  }
  return out
}

/** Lets the clock go on, for results that depend on it; gives up where the clock stands still. */
function later(): void {
  const now = Date.now()
  for (let i = 0; i < 1e6 && Date.now() < now + 2; i++);
}

export const sameDetection = (a: Detection, b: Detection): boolean =>
  equal(a.perToken, b.perToken) && equal([a.logPValue, a.statistic], [b.logPValue, b.statistic])

/** Distributions that share a part with that one: its first half, its ends and its masses, its order. */
function relatives(): Float64Array[] {
  const [first, last, middle] = [weights[0]!, weights.at(-1)!, weights.slice(1, -1)]
  const turned = [first, ...middle.reverse(), last]
  const half = weights.slice(VOCAB / 2).reduce((sum, weight) => sum + weight, 0)
  const ones = Array<number>(VOCAB / 2 - 1).fill(1)
  const halves = [...weights.slice(0, VOCAB / 2), half - ones.length, ...ones]
  return [halves, turned, weights.map((weight) => weight * weight)].map((one) => probabilities(one))
}

/** Returns the q of a code for a distribution of its own. */
function answer<Code>(watermark: Watermark<Code>, p: Float64Array, code: Code): Float64Array {
  const q = new Float64Array(p.length)
  watermark.reweight(p.slice(), code, q)
  return q
}

/** Throws where q for a distribution depends on the distributions that were asked for before. */
function sameForEach<Code>(watermark: Watermark<Code>, keys: number): void {
  const all = [somewhat(), ...relatives()]
  const contexts = contextsOf(watermark, VOCAB, 1, seededRandom(keys, 'relatives'))
  for (let key = 0; key < RELATIVES && contexts.length > 0; key++) {
    const [code] = codesOf(watermark, secretKey(keys, key), VOCAB, contexts)
    // what the key before this one left behind is forgotten
    answer(watermark, all.at(-1)!, code!)
    const before = all.map((p) => answer(watermark, p, code!))
    for (let i = all.length - 1; i >= 0; i--)
      if (!equal(before[i]!, answer(watermark, all[i]!, code!)))
        throw new Violation(
          'the same p, key and context gave another q after distributions that share a part with p: something is cached by a part of p',
        )
  }
}

/** Throws where q over many tokens depends on anything but key, context and p. */
export function sameInTail<Code>(watermark: Watermark<Code>, keys: number): void {
  const contexts = contextsOf(watermark, TAIL, 1, seededRandom(keys, 'tail'))
  const p = distributionOf({ shape: 'special', vocabSize: TAIL, top: 1 / 2 })
  for (let key = 0; key < TAIL_KEYS && contexts.length > 0; key++) {
    const [code] = codesOf(watermark, secretKey(keys, key), TAIL, contexts)
    if (!equal(answer(watermark, p, code!), answer(watermark, p, code!)))
      throw new Violation(`the same p, key and context gave another q for a long tail over ${TAIL} tokens`)
  }
}

export interface Asked {
  readonly keys: number
  readonly tokens: readonly number[]
}

/** Asks for everything twice, and throws where an answer changes. */
export function sameTwice<Code>(watermark: Watermark<Code>, { keys, tokens }: Asked): void {
  const [key, otherKey] = [secretKey(keys, 0), secretKey(keys, 1)]
  const contexts = contextsOf(watermark, VOCAB, 4, seededRandom(keys, 'contexts'))
  const detection = (): Detection | undefined =>
    watermark.detector === undefined
      ? undefined
      : detect(watermark, tokens, { key, vocabSize: VOCAB, runs: 3 })
  sameForEach(watermark, keys)
  const codes = contexts.map((context) => behaviour(watermark, key, context))
  const detected = detection()
  const quiet = along(watermark, key, tokens)
  later()
  // in another order, with another key's codes drawn and used in between
  for (let i = contexts.length - 1; i >= 0; i--) {
    behaviour(watermark, otherKey, contexts[i]!)
    if (!equal(codes[i]!, behaviour(watermark, key, contexts[i]!)))
      throw new Violation(`the same key and context [${contexts[i]}] gave another result the second time`)
  }
  // alone again, twice, then with one text more in between, then two: a counter of texts that repeats after up to four shows each of its states
  for (const names of [[], [], [otherKey], [key, otherKey]]) {
    const strangers = names.map((name, i) => follower(watermark, name, 8 + i))
    const q = new Float64Array(VOCAB)
    const busy = along(watermark, key, tokens, (t) => {
      for (const [i, next] of strangers.entries()) next((3 * t + 8 + i) % VOCAB, q)
    })
    if (!equal(quiet, busy))
      throw new Violation('another text, embedded before or in between, changed this one')
  }
  if (detected !== undefined && !sameDetection(detected, detection()!))
    throw new Violation('detect gave another result after other texts were embedded')
}
