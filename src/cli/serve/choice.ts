/** One text of an answer: what it says so far, and what is still to be sent. */
import { scratchP, scratchQ } from '../../core/kernels/index.ts'
import { openText, type Text, warper } from '../../text/decode/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import type { Writing } from './batcher.ts'
import { GrowingText } from './pieces.ts'
import type { Limits, TextsRequest } from './request.ts'

/** A token with its log-probability before the watermark and after the warpers, and the most likely tokens at its place. */
export interface ReportedToken {
  readonly token: number
  readonly logprob: number
  readonly top: readonly (readonly [token: number, logprob: number])[]
  /** Characters of the text before it. */
  readonly offset: number
}

export type Finish = NonNullable<Text['finish']> | 'abort'

/** The addition of one token to an answer. */
export interface Delta {
  readonly index: number
  readonly text: string
  readonly tokens: readonly number[]
  readonly reported: readonly ReportedToken[]
  readonly finish: Finish | null
}

/** The watermark of a server. The key stays in this object. */
export interface Mark {
  readonly watermark: AnyWatermark
  readonly key: string | Uint8Array
}

/** Returns the k most likely tokens of p, the most likely first; those of equal probability by their id. Tokens without mass are left out. */
function mostLikely(p: Float64Array, k: number): [number, number][] {
  const best: number[] = []
  for (let token = 0; token < p.length && k > 0; token++) {
    if (!(p[token]! > 0) || (best.length === k && p[token]! <= p[best[k - 1]!]!)) continue
    if (best.length === k) best.pop()
    let at = best.length
    while (at > 0 && p[best[at - 1]!]! < p[token]!) at--
    best.splice(at, 0, token)
  }
  return best.map((token) => [token, Math.log(p[token]!)])
}

/** Finds the first stop string in a text, from a place on. */
function firstStop(text: string, stops: readonly string[], from: number): number {
  const found = stops.map((stop) => text.indexOf(stop, from)).filter((at) => at >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

export interface ChoiceOptions {
  readonly request: TextsRequest
  readonly limits: Limits
  readonly mark: Mark | undefined
  /** The text of one token, remembered. */
  readonly alone: (token: number) => string
  /** Place of the text in the answer. */
  readonly index: number
  readonly seed: number | string
  /** Hears every token, and the end. */
  readonly onDelta: (delta: Delta) => void
  readonly onError: (error: unknown) => void
}

/** Prepares a text of a request for the batch. */
export function openChoice(options: ChoiceOptions): Writing {
  const { request, limits, mark, alone, index, seed, onDelta, onError } = options
  const { model } = limits
  const { n, stop, sampling, maxTokens } = request
  const growing = new GrowingText(model.tokenizer, alone)
  const longest = Math.max(0, ...stop.map(({ length }) => length))
  let text = ''
  let sent = 0
  const report = (token: number, logprob: number, p: Float64Array): ReportedToken[] =>
    request.logprobs === undefined
      ? []
      : [{ token, logprob, top: mostLikely(p, request.logprobs), offset: text.length }]
  /** Sends what can no longer be part of a stop string. */
  const send = (upTo: number, token: number[], reported: ReportedToken[], finish: Finish | null): void => {
    const piece = text.slice(sent, Math.max(sent, upTo))
    sent += piece.length
    onDelta({ index, text: piece, tokens: token, reported, finish })
  }
  const onToken = (own: Text, token: number): void => {
    const reported = report(token, own.logProbabilities.at(-1)!, loop.p)
    const before = text.length
    text += growing.add(token)
    if (own.finish !== undefined) text += growing.rest()
    const at = firstStop(text, stop, Math.max(0, before - longest + 1))
    if (at >= 0) {
      own.finish = 'stop'
      text = text.slice(0, at)
    }
    const held = own.finish === undefined ? Math.max(0, longest - 1) : 0
    send(text.length - held, [token], reported, own.finish ?? null)
  }
  const loop = {
    warp: warper(sampling),
    // used within one step only, between two awaits
    p: scratchP(model.vocabSize),
    q: scratchQ(model.vocabSize),
    stops: new Set(request.ignoreEnd ? [] : model.endTokens),
    signal: undefined,
    onToken,
  }
  const marked = request.watermarking ? mark : undefined
  const opened = openText(
    model,
    { prompt: request.prompts[Math.floor(index / n)]!, index, ...(marked ?? {}) },
    index,
    { seed, ...(maxTokens === undefined ? {} : { maxNewTokens: maxTokens }) },
  )
  const cut = (error?: unknown): void => {
    if (error !== undefined) onError(error)
    else {
      text += growing.rest()
      send(text.length, [], [], 'abort')
    }
  }
  return { ...opened, loop, cut }
}
