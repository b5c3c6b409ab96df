/** Theorem 1, live: under one key the answers to one prompt drift from the model, however unbiased the watermark is over keys. */
import { embedder } from '../../embed/embedder.ts'
import { generateMany } from '../../models/generate.ts'
import type { LanguageModel } from '../../models/language-model.ts'
import { warper } from '../../models/warp.ts'
import { amplificationBracket } from '../../theory/amplification.ts'
import { bhattacharyya } from '../../theory/divergence.ts'
import type { AnyWatermark } from '../../watermark.ts'
import type { Drift } from './protocol.ts'

/** How often the prompt is asked, with and without the mark. */
const ANSWERS = 16
const TOKENS = 12
const BARS = 8
/** Total variation at which the two laws count as told apart. */
const APART = 0.9

interface Asked {
  readonly model: LanguageModel
  readonly watermark: AnyWatermark
  readonly key: string
  readonly prompt: readonly number[]
  readonly temperature: number
  readonly signal: AbortSignal
}

/** The law of the first token, p under the model and q under the key. q is undefined where it is another one for each text. */
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

const total = (p: Float64Array, q: Float64Array): number =>
  p.reduce((sum, mass, i) => sum + Math.abs(mass - q[i]!), 0) / 2

/** Tokens with the most mass under either law. */
function likeliest(p: Float64Array, q: Float64Array | undefined): number[] {
  const mass = (token: number): number => Math.max(p[token]!, q?.[token] ?? 0)
  return Array.from(p.keys())
    .sort((a, b) => mass(b) - mass(a))
    .slice(0, BARS)
}

export async function drift(asked: Asked): Promise<Drift> {
  const { model, watermark, key, prompt, temperature, signal } = asked
  const side = { prompt, temperature, maxNewTokens: TOKENS, batchSize: ANSWERS, signal }
  const { p, q } = await firstStep(asked)
  const answers: string[][] = []
  for (const mark of [{}, { watermark, key }]) {
    const requests = Array.from({ length: ANSWERS }, (_, index) => ({ prompt, index, ...mark }))
    const { maxNewTokens, batchSize } = side
    const texts = await generateMany(model, requests, { temperature, maxNewTokens, batchSize, signal })
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
    ...(q && { distance: total(p, q), queries: amplificationBracket(bhattacharyya(p, q), APART) }),
  }
}
