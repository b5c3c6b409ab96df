/**
 * Stealing a watermark from marked texts, without its key (after Jovanović, Staab and Vechev, "Watermark Stealing in Large Language Models",
 * ICML 2024; the estimator is our own). For a context c of w tokens and a token t let k be how often t follows c in marked texts and E how often it
 * would without a mark: the number of places with c times the share of t there in unmarked texts. The ratio k / E is large where the mark
 * prefers t. Few occurrences say little, so each is drawn towards the ratio r' of the context without its first word, like a Gamma prior with weight a:
 *
 *   r(t | c) = (k + a r'(t | c')) / (E + a),   r = 1 below the empty context,
 *
 * and likewise the shares of the unmarked texts. The empty context alone is what Unigram-like marks need. `argmax` instead takes each context's
 * commonest token: under one key an unbiased mark draws the same code in the same context, so repeated prompts show it (Theorem 1).
 */

import { checkTokens, MAX_VOCAB, ngram } from '../../core/keys/index.ts'
import { defineWatermark } from '../../core/method/index.ts'
import { integer, list, number, oneOf, requireOptions, wrongType } from '../../input.ts'
import type { Watermark } from '../../watermark.ts'
import type { LanguageModel } from '../decode/language-model.ts'
import { requireModel } from '../decode/prompt.ts'
import type { Sampling } from '../decode/warp.ts'
import type { Attack } from './attack.ts'
import { rewriting } from './regenerate.ts'

export interface StealOptions {
  readonly vocabSize: number
  /** Unmarked texts of the same kind, such as those of the model without its mark. */
  readonly reference: readonly ArrayLike<number>[]
  /** The most tokens of context that are looked at; 0 for marks without context. Default 2. */
  readonly width?: number
  /** `ratio` (default): how much likelier a token is; `argmax`: the commonest token of each context that occurs again. */
  readonly estimate?: 'ratio' | 'argmax'
  /** a: the weight of the shorter context, in occurrences. Default 2. */
  readonly prior?: number
}

/** Beliefs of an attacker about a mark. */
export interface Stolen {
  /** Printable: the estimate and the number of texts that it comes from. */
  readonly id: string
  readonly vocabSize: number
  readonly width: number
  /** Returns ln r of every token after these tokens, from ln 1/8 to ln 20: positive where the mark seems to prefer it. Valid until the next call. */
  preferences(context: ArrayLike<number>): Float64Array
}

/** Occurrences of each token after each context of one length. */
type Counts = Map<string, { total: number; readonly tokens: Map<number, number> }>

/** Counts the tokens after every context of `width` tokens. */
function count(texts: readonly ArrayLike<number>[], width: number): Counts {
  const counts: Counts = new Map()
  for (const text of texts)
    for (let t = width; t < text.length; t++) {
      const context = contextAt(text, t, width)
      const seen = counts.get(context) ?? { total: 0, tokens: new Map<number, number>() }
      if (seen.total++ === 0) counts.set(context, seen)
      seen.tokens.set(text[t]!, (seen.tokens.get(text[t]!) ?? 0) + 1)
    }
  return counts
}

const contextAt = (text: ArrayLike<number>, end: number, width: number): string =>
  Array.from({ length: width }, (_, i) => text[end - width + i]).join()

function checkTexts(name: string, texts: readonly ArrayLike<number>[], vocabSize: number): void {
  list(name, texts, 'a list of texts, each a list of token ids')
  for (let i = 0; i < texts.length; i++) checkTokens(texts[i]!, vocabSize, `${name}[${i}]`)
}

/** Half an occurrence of every token: no share is 0. */
const HALF = 0.5
/** Ratios beyond these are not believed: they come from few occurrences. */
const [LEAST, MOST] = [Math.log(1 / 8), Math.log(20)]
const believed = (ratio: number): number => Math.max(LEAST, Math.min(MOST, Math.log(ratio)))
/** ln of what `argmax` gives to a context's commonest token. */
const CERTAIN = Math.log(1000)

/**
 * Estimates from marked texts which tokens a mark prefers after which context, without its key.
 * @example
 * const model = markovModel({ vocabSize: 50, entropy: 3 })
 * const mark = { watermark: unigram({ delta: 2 }), key: 'a secret that nobody guesses' }
 * const prompts = Array.from({ length: 100 }, (_, i) => ({ prompt: [i % 50], index: i }))
 * const texts = async (options) => (await generateMany(model, prompts, options)).map(({ tokens }) => tokens)
 * const [marked, reference] = [await texts({ ...mark, seed: 1 }), await texts({ seed: 2 })]
 * const stolen = steal(marked, { vocabSize: 50, reference, width: 0 })
 * const [spoof] = await generate(model, [1], { watermark: stolenWatermark(stolen), key: 'the forger has no key', seed: 3 })
 * detect(mark.watermark, spoof.tokens, { key: mark.key, vocabSize: 50 }).pValue < 1e-3 // true
 */
export function steal(marked: readonly ArrayLike<number>[], options: StealOptions): Stolen {
  requireOptions('steal', options, ['vocabSize', 'reference', 'width', 'estimate', 'prior'])
  const vocabSize = integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  const width = integer('width', options.width ?? 2, 0, 64)
  const estimate = oneOf('estimate', options.estimate ?? 'ratio', ['ratio', 'argmax'])
  const a = number('prior', options.prior ?? 2, 0, Number.MAX_VALUE, true)
  checkTexts('marked', marked, vocabSize)
  checkTexts('reference', options.reference, vocabSize)
  const levels = Array.from({ length: width + 1 }, (_, w) => [
    count(marked, w),
    count(options.reference, w),
  ]) as [Counts, Counts][]
  const ratio = new Float64Array(vocabSize)
  const share = new Float64Array(vocabSize)

  /** Takes one more token of context into account; false where no marked text has the context. */
  const refine = ([own, others]: [Counts, Counts], context: string): boolean => {
    const [seen, known] = [own.get(context), others.get(context)]
    if (seen === undefined) return false
    const total = known?.total ?? 0
    for (let t = 0; t < vocabSize; t++) share[t]! *= a / (total + a)
    for (const [t, n] of known?.tokens ?? []) share[t]! += n / (total + a)
    for (let t = 0; t < vocabSize; t++) ratio[t] = (a * ratio[t]!) / (seen.total * share[t]! + a)
    for (const [t, k] of seen.tokens) ratio[t]! += k / (seen.total * share[t]! + a)
    return true
  }
  const ratios = (context: ArrayLike<number>): Float64Array => {
    ratio.fill(1)
    const all = levels[0]![1].get('')
    const total = (all?.total ?? 0) + HALF * vocabSize
    for (let t = 0; t < vocabSize; t++) share[t] = ((all?.tokens.get(t) ?? 0) + HALF) / total
    const [own] = levels[0]!
    const seen = own.get('')
    for (let t = 0; t < vocabSize; t++)
      ratio[t] = ((seen?.tokens.get(t) ?? 0) + a) / ((seen?.total ?? 0) * share[t]! + a)
    for (let w = 1; w <= Math.min(width, context.length); w++)
      if (!refine(levels[w]!, contextAt(context, context.length, w))) break
    return ratio.map(believed)
  }
  const commonest = (context: ArrayLike<number>): Float64Array => {
    const out = new Float64Array(vocabSize)
    if (context.length < width) return out
    const seen = levels[width]![0].get(contextAt(context, context.length, width))
    for (const [t, k] of seen?.tokens ?? []) if (k > 1 && 2 * k > seen!.total) out[t] = CERTAIN
    return out
  }
  return {
    id: `${estimate}(texts=${marked.length},width=${width})`,
    vocabSize,
    width,
    preferences(context) {
      checkTokens(context, vocabSize, 'context')
      return estimate === 'ratio' ? ratios(context) : commonest(context)
    },
  }
}

function checkStolen(stolen: Stolen): void {
  if (typeof stolen?.preferences !== 'function')
    throw wrongType('stolen', 'what steal(marked, options) returns', stolen)
  integer('stolen.width', stolen.width, 0, 64)
}

/** Multiplies p by exp(strength * preference), and divides by the sum. */
function tilt(p: Float64Array, preferences: Float64Array, strength: number): void {
  let sum = 0
  for (let t = 0; t < p.length; t++) sum += p[t]! *= Math.exp(strength * preferences[t]!)
  for (let t = 0; sum > 0 && t < p.length; t++) p[t]! /= sum
}

/**
 * Returns what was stolen as a watermark: texts generated with it imitate the mark, under any key. It prefers each token by its ratio to the power
 * `strength`.
 * @example stolenWatermark(steal([[1, 2]], { vocabSize: 3, reference: [[2, 1]] })).id // 'stolen(ratio(texts=1,width=2),strength=1)'
 */
export function stolenWatermark(
  stolen: Stolen,
  options: { readonly strength?: number } = {},
): Watermark<Float64Array> {
  checkStolen(stolen)
  requireOptions('stolenWatermark', options, ['strength'])
  const strength = number('strength', options.strength ?? 1, 0, 100)
  return defineWatermark<Float64Array>({
    id: `stolen(${stolen.id},strength=${strength})`,
    unbiased: false,
    context: ngram(stolen.width, { repeated: 'reuse', short: true }),
    draw: (_random, _vocabSize, site) => stolen.preferences(site.context).slice(),
    reweight(p, preferences, q) {
      let sum = 0
      for (let t = 0; t < p.length; t++) sum += q[t] = p[t]! * Math.exp(strength * preferences[t]!)
      for (let t = 0; t < p.length; t++) q[t]! /= sum
    },
    score: (token, preferences) => preferences[token]!,
    detector: undefined,
  })
}

export interface ScrubOptions extends Sampling {
  /** Share of the tokens that are replaced: those that the mark seems to prefer most. */
  readonly share: number
  /** Replacements avoid preferred tokens by their ratio to this power. Default 2. */
  readonly strength?: number
  /** Texts edited side by side. Default 16. */
  readonly batchSize?: number
}

/**
 * Replaces the tokens that a stolen mark seems to prefer most by others that a model without the mark holds probable and the mark does not prefer.
 * @example
 * const stolen = steal([[1, 2]], { vocabSize: 50, reference: [[2, 1]] })
 * scrub(markovModel({ vocabSize: 50 }), stolen, { share: 0.3 }).id // 'scrub(share=0.3,strength=2,ratio(texts=1,width=2))'
 */
export function scrub(
  model: LanguageModel,
  stolen: Stolen,
  options: ScrubOptions,
): Attack & Required<Pick<Attack, 'applyAll'>> {
  requireModel(model)
  checkStolen(stolen)
  requireOptions('scrub', options, ['share', 'strength', 'batchSize', 'temperature', 'topK', 'topP'])
  const { share, strength = 2, batchSize = 16, ...sampling } = options
  number('share', share, 0, 1)
  number('strength', strength, 0, 100)
  const before = (tokens: readonly number[], at: number): readonly number[] =>
    tokens.slice(Math.max(0, at - stolen.width), at)
  return rewriting({
    model,
    id: `scrub(share=${share},strength=${strength},${stolen.id}`,
    sampling,
    batchSize,
    mask(tokens) {
      const gain = tokens.map((token, at) => stolen.preferences(before(tokens, at))[token]!)
      const best = [...tokens.keys()].sort((i, j) => gain[j]! - gain[i]! || i - j)
      return {
        masked: new Set(best.slice(0, Math.round(share * tokens.length))),
        restrict(p, at) {
          const preferences = stolen.preferences(before(tokens, at))
          p[tokens[at]!] = 0
          tilt(p, preferences, -strength)
        },
      }
    },
  })
}
