/** Theorem 1, live: under one key the answers to one prompt drift from the model, even if the watermark is unbiased over keys. */
import { embedder } from '../../../core/embed/embedder.ts'
import { totalVariation } from '../../../core/stats/total-variation.ts'
import { generateMany } from '../../../text/decode/generate.ts'
import type { LanguageModel } from '../../../text/decode/language-model.ts'
import { warper } from '../../../text/decode/warp.ts'
import { amplificationBracket, bhattacharyya } from '../../../theory/amplification.ts'
import type { AnyWatermark } from '../../../watermark.ts'
import type { Drift } from './protocol.ts'

/** Number of answers with the mark, and without it. */
const ANSWERS = 16
const TOKENS = 12
const BARS = 8
/** Total variation at which two distributions count as told apart. */
const APART = 0.9

interface Asked {
  readonly model: LanguageModel
  readonly watermark: AnyWatermark
  readonly key: string
  readonly prompt: readonly number[]
  readonly temperature: number
  readonly signal: AbortSignal
}

/** Returns the distribution of the first token: p under the model, q under the key; q is undefined if it differs between texts. */
async function firstStep({ model, watermark, key, prompt, temperature }: Asked) {
  const { vocabSize } = model
  const session = await model.begin([prompt])
  const p = new Float64Array(vocabSize)
  warper({ temperature })(session.logits, 0, p)
  session.dispose()
  const [q, other] = [1, 2].map((seed) => {
    const found = new Float64Array(vocabSize)
    embedder(watermark, { key, vocabSize, seed, check: false }).reweight(prompt, p, found)
    return found
  })
  return { p, q: q!.every((mass, i) => mass === other![i]) ? q! : undefined }
}

/** Returns the tokens with the most mass under either distribution. */
function likeliest(p: Float64Array, q: Float64Array | undefined): number[] {
  const mass = (token: number): number => Math.max(p[token]!, q?.[token] ?? 0)
  return Array.from(p.keys())
    .sort((a, b) => mass(b) - mass(a))
    .slice(0, BARS)
}

export async function drift(asked: Asked): Promise<Drift> {
  const { model, watermark, key, prompt, temperature, signal } = asked
  const options = { temperature, maxNewTokens: TOKENS, batchSize: ANSWERS, signal }
  const { p, q } = await firstStep(asked)
  const answers: string[][] = []
  for (const mark of [{}, { watermark, key }]) {
    const requests = Array.from({ length: ANSWERS }, (_, index) => ({ prompt, index, ...mark }))
    const texts = await generateMany(model, requests, options)
    answers.push(texts.map(({ text }) => text))
  }
  return {
    watermark: watermark.id,
    answers: answers as unknown as Drift['answers'],
    bars: likeliest(p, q).map((token) => ({
      token: model.tokenizer.decode([token]),
      p: p[token]!,
      ...(q && { q: q[token]! }),
    })),
    ...(q && { distance: totalVariation(p, q), queries: amplificationBracket(bhattacharyya(p, q), APART) }),
  }
}
