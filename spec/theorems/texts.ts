/** Texts and watermarks for the robustness statements. */

import { sumDetector } from '../../src/core/detect/sum-detector.ts'
import { embedder } from '../../src/core/embed/embedder.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { keySchedule } from '../../src/core/keys/schedule.ts'
import { type Stream, seededRandom } from '../../src/core/keys/stream.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { codeAt, type NullLaw, type Watermark } from '../../src/watermark.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'

/** A token drawn from a distribution. */
function sample(p: Float64Array, stream: Stream): number {
  let left = stream.uniform()
  for (let i = 0; i < p.length; i++) {
    left -= p[i]!
    if (left < 0) return i
  }
  return p.findLastIndex((x) => x > 0)
}

/** A watermarked text of a model whose every next-token distribution is p. */
export function writeText(
  watermark: AnyWatermark,
  p: Float64Array,
  length: number,
  key: string,
  seed: number | string,
): number[] {
  const stream = seededRandom(seed, 'text', key)
  const text = embedder(watermark, { key, vocabSize: p.length, seed, check: false })
  const q = new Float64Array(p.length)
  const tokens: number[] = []
  while (tokens.length < length) {
    text.reweight(tokens, p, q)
    const token = sample(q, stream)
    text.drew(token, p[token]!)
    tokens.push(token)
  }
  return tokens
}

/** A watermark whose scores are given: what an adversary who chose the key would face. */
export const scoredBy = (
  context: ContextRule,
  law: NullLaw,
  score: (token: number, context: readonly number[]) => number,
  bound = 1,
): Watermark<readonly number[]> =>
  defineWatermark<readonly number[]>({
    id: 'given scores',
    unbiased: true,
    context,
    draw: (_random, _vocabSize, site) => site.context,
    reweight: (p, _, q) => q.set(p),
    score,
    detector: sumDetector({ nullLaw: law, bound }),
  })

/**
 * Many short texts under one key, every token after the first n scored: `salt` is part of each context, so that no two texts
 * share randomness, and their scores are independent. With `positional` so is the place within the text: every context is fresh.
 */
export function saltedTexts(
  watermark: AnyWatermark,
  p: Float64Array,
  n: number,
  key: string,
  positional = false,
) {
  const schedule = keySchedule(key, watermark.domain)
  const q = new Float64Array(p.length)
  const codeOf = (tokens: readonly number[], t: number, salt: number) =>
    codeAt(watermark, schedule, p.length, [salt, positional ? t : 0, ...tokens.slice(t - n, t)])
  return {
    write(length: number, salt: number, stream: Stream): number[] {
      const tokens: number[] = []
      while (tokens.length < length) {
        if (tokens.length < n) q.set(p)
        else watermark.reweight(p, codeOf(tokens, tokens.length, salt), q)
        tokens.push(sample(q, stream))
      }
      return tokens
    },
    sum(tokens: readonly number[], salt: number): number {
      let total = 0
      for (let t = n; t < tokens.length; t++) total += watermark.score(tokens[t]!, codeOf(tokens, t, salt))
      return total
    },
  }
}
