/** A text as its tokens, each with what it says about the watermark. */

import { editDistance } from '../../attacks/edit-distance.ts'
import { detect } from '../../detect/detect.ts'
import { freshScores } from '../../detect/fresh-scores.ts'
import { lawFor } from '../../detect/null-laws.ts'
import { stream } from '../../detect/stream.ts'
import type { LanguageModel } from '../../models/language-model.ts'
import { certifiedDecisionRadius } from '../../theory/certified-radius.ts'
import { certifiedScoreRadius } from '../../theory/score-certificate.ts'
import type { AnyWatermark } from '../../watermark.ts'
import type { Piece, Verdict, Written } from './protocol.ts'

const ALPHA = 0.01

/** Tokens that may share a character with the next one. */
const WINDOW = 4

/** The text that each token adds: half a character by the token that completes it, a line's end by one that ends a text. */
function pieceReader({ tokenizer, endTokens }: LanguageModel): (token: number) => string {
  let recent: number[] = []
  let shown = ''
  return (token) => {
    if (endTokens.includes(token)) return '\n'
    if (recent.length >= WINDOW && !shown.endsWith('\uFFFD')) {
      recent = recent.slice(-1)
      shown = tokenizer.decode(recent)
    }
    recent.push(token)
    const all = tokenizer.decode(recent)
    const complete = all.replace(/\uFFFD+$/, '')
    const piece = complete.slice(shown.replace(/\uFFFD+$/, '').length)
    shown = all
    return piece
  }
}

interface Marked {
  readonly watermark: AnyWatermark
  readonly key: string
  readonly model: LanguageModel
}

const optionsOf = ({ key, model }: Marked) => ({ key, vocabSize: model.vocabSize, skip: model.endTokens })

/** Whether scores can be read token by token. */
const streams = ({ detector }: AnyWatermark): boolean =>
  (detector?.id === 'sum' || detector?.id === 'pairs') && detector.nullLaw !== undefined

/** Follows a text that is being written. */
export function follower(marked: Marked): (token: number) => Omit<Written, 'side'> {
  const read = pieceReader(marked.model)
  if (!streams(marked.watermark)) return (token) => ({ piece: { text: read(token) } })
  const scores = freshScores(marked.watermark, optionsOf(marked))
  const evidence = stream(marked.watermark, optionsOf(marked))
  return (token) => {
    const score = scores.next(token)
    const { logPValue } = evidence.push(token)
    const tail = score === undefined ? {} : { score, tail: Math.exp(scores.law.logTail(score, 1)) }
    return { piece: { text: read(token), ...tail }, logPValue }
  }
}

/** How large a score is among those of the text, where its law is not known. */
function rankTails(scores: Float64Array): (score: number) => number {
  const sorted = scores.filter((score) => !Number.isNaN(score)).sort()
  return (score) => sorted.filter((other) => other >= score).length / sorted.length
}

function radiusOf({ watermark, ...marked }: Marked, tokens: readonly number[]): number | string {
  const options = { ...optionsOf({ watermark, ...marked }), alpha: ALPHA }
  const byScores = certifiedScoreRadius(watermark, tokens, options)
  const found = byScores.applicable ? byScores : certifiedDecisionRadius(watermark, tokens, options)
  return found.applicable ? found.radius : found.reason
}

export function verdictOf(marked: Marked, tokens: readonly number[], original?: readonly number[]): Verdict {
  const { watermark, model } = marked
  const found = detect(watermark, tokens, { ...optionsOf(marked), alpha: ALPHA })
  const law = streams(watermark) ? lawFor(watermark.detector!.nullLaw!, model.vocabSize) : undefined
  const rank = rankTails(found.perToken)
  const read = pieceReader(model)
  const pieces = tokens.map((token, t): Piece => {
    const score = found.perToken[t]!
    if (Number.isNaN(score)) return { text: read(token) }
    return { text: read(token), score, tail: law ? Math.exp(law.logTail(score, 1)) : rank(score) }
  })
  return {
    watermark: watermark.id,
    tokens,
    pieces,
    logPValue: found.logPValue,
    detected: found.detected,
    scored: found.scored,
    radius: radiusOf(marked, tokens),
    ...(original && { edits: editDistance(original, tokens) }),
  }
}
