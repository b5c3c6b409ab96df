/** A text as its tokens, each with its score. */
import { type Decoded, decode } from '../../../core/detect/decode.ts'
import { detect } from '../../../core/detect/detect.ts'
import { freshScores } from '../../../core/detect/fresh-scores.ts'
import { lawFor } from '../../../core/detect/null-laws.ts'
import { stream } from '../../../core/detect/stream.ts'
import { editDistance } from '../../../text/attacks/edit-distance.ts'
import type { LanguageModel } from '../../../text/decode/language-model.ts'
import { certifiedDecisionRadius } from '../../../theory/certified-radius.ts'
import { certifiedScoreRadius } from '../../../theory/score-certificate.ts'
import type { AnyWatermark } from '../../../watermark.ts'
import { ALPHA, type Piece, type ReadMessage, type Verdict, type Written } from './protocol.ts'

/** Number of tokens that may share a character. */
const WINDOW = 4

/** Returns the text that each token adds. A split character belongs to the token that completes it; an end token adds a line end. */
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
  /** The message, where the watermark carries one. */
  readonly message: string
  readonly key: string
  readonly model: LanguageModel
}

const optionsOf = ({ key, model }: Marked) => ({ key, vocabSize: model.vocabSize, skip: model.endTokens })

/** Returns true if scores can be read token by token. */
const streams = ({ detector }: AnyWatermark): boolean =>
  (detector?.id === 'sum' || detector?.id === 'pairs') && detector.nullLaw !== undefined

/** Returns the watermark of one message, whose scores colour a text. */
const colouring = ({ messages, ...watermark }: AnyWatermark, message: string | Uint8Array): AnyWatermark =>
  messages === undefined ? watermark : messages.of(message)

/** Returns a message as the page shows it. */
const readMessage = ({
  text,
  message,
  blocks,
}: Pick<Decoded, 'text' | 'message'> & {
  readonly blocks: readonly { readonly pValue: number }[]
}): ReadMessage => ({
  shown: text ?? `0x${Array.from(message, (byte) => byte.toString(16).padStart(2, '0')).join('')}`,
  pValues: blocks.map(({ pValue }) => pValue),
})

/** Follows a text that is being written. */
export function follower(marked: Marked): (token: number) => Omit<Written, 'side'> {
  const read = pieceReader(marked.model)
  if (!streams(marked.watermark)) return (token) => ({ piece: { text: read(token) } })
  const scores = freshScores(colouring(marked.watermark, marked.message), optionsOf(marked))
  const evidence = stream(marked.watermark, optionsOf(marked))
  return (token) => {
    const score = scores.next(token)
    const { logPValue, message, text, blocks } = evidence.push(token)
    const tail = score === undefined ? {} : { score, tail: Math.exp(scores.law.logTail(score, 1)) }
    const soFar = message && blocks && { message: readMessage({ message, text, blocks }) }
    return { piece: { text: read(token), ...tail }, logPValue, ...soFar }
  }
}

/** Returns the share of the text's scores that are at least as large, for detectors without a null law. */
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
  const { watermark: given, model } = marked
  const options = { ...optionsOf(marked), alpha: ALPHA }
  const decoded = given.messages && decode(given, tokens, options)
  const watermark = colouring(given, decoded?.message ?? '')
  const found = detect(watermark, tokens, options)
  const law = streams(watermark) ? lawFor(watermark.detector!.nullLaw!, model.vocabSize) : undefined
  const rank = rankTails(found.perToken)
  const read = pieceReader(model)
  const pieces = tokens.map((token, t): Piece => {
    const score = found.perToken[t]!
    if (Number.isNaN(score)) return { text: read(token) }
    return { text: read(token), score, tail: law ? Math.exp(law.logTail(score, 1)) : rank(score) }
  })
  return {
    watermark: given.id,
    tokens,
    pieces,
    logPValue: (decoded ?? found).logPValue,
    detected: (decoded ?? found).detected,
    scored: found.scored,
    radius: decoded ? 'a message has certificates by block' : radiusOf(marked, tokens),
    ...(decoded && { message: readMessage(decoded) }),
    ...(original && { edits: editDistance(original, tokens) }),
  }
}
