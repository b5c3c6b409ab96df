/**
 * Everything about a position follows from key and context alone: not from what was asked before, in which order, when, or for
 * which other text. Compared bit by bit, so nothing is assumed about how often codes differ.
 */
import { type Detection, detect } from '../detect/index.ts'
import { embedder } from '../embed/index.ts'
import { type Context, seededRandom } from '../keys/index.ts'
import type { Watermark } from '../watermark.ts'
import { codesOf, contextsOf, secretKey } from './codes.ts'
import { Violation } from './for-all.ts'
import { probabilities } from './fractions.ts'

/** The vocabulary of this law's texts. */
export const VOCAB = 16

/** A distribution of its own for each call: a watermark that writes into p harms nobody else. */
const somewhat = (): Float64Array => probabilities(Array.from({ length: VOCAB }, (_, i) => 1 + (i % 5)))

/** What a code does: q for a fixed p, and every token's score. */
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

/** The distributions along a text, from an embedder that does something else `between` every two positions. */
function along<Code>(
  watermark: Watermark<Code>,
  key: string,
  tokens: readonly number[],
  between: () => void = () => {},
): Float64Array {
  const one = embedder(watermark, { key, vocabSize: VOCAB, seed: 7 })
  const out = new Float64Array(tokens.length * VOCAB)
  for (let t = 0; t < tokens.length; t++) {
    const p = somewhat()
    one.reweight(tokens.slice(0, t), p, out.subarray(t * VOCAB, (t + 1) * VOCAB))
    one.drew(tokens[t]!, p[tokens[t]!]!)
    between()
  }
  return out
}

/** Another text, embedded token by token. */
function stranger<Code>(watermark: Watermark<Code>, key: string, seed: number): () => void {
  const other = embedder(watermark, { key, vocabSize: VOCAB, seed })
  const q = new Float64Array(VOCAB)
  const asked: number[] = []
  return () => {
    const p = somewhat()
    other.reweight(asked, p, q)
    const token = (3 * asked.length + seed) % VOCAB
    other.drew(token, p[token]!)
    asked.push(token)
  }
}

/** Lets the clock go on, for results that depend on it; gives up where the clock stands still. */
function later(): void {
  const now = Date.now()
  for (let i = 0; i < 1e6 && Date.now() < now + 2; i++);
}

export const sameDetection = (a: Detection, b: Detection): boolean =>
  equal(a.perToken, b.perToken) && equal([a.logPValue, a.statistic], [b.logPValue, b.statistic])

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
  // one text more in between, then two: no counter of texts comes back to where it was both times
  for (const names of [[otherKey], [key, otherKey]]) {
    const strangers = names.map((name, i) => stranger(watermark, name, 8 + i))
    const busy = along(watermark, key, tokens, () => {
      for (const next of strangers) next()
    })
    if (!equal(quiet, busy)) throw new Violation('another text, embedded in between, changed this one')
  }
  if (detected !== undefined && !sameDetection(detected, detection()!))
    throw new Violation('detect gave another result after other texts were embedded')
}
