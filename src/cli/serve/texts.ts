/** Answers requests for texts, at once or as a stream of events. */
import type { ServerResponse } from 'node:http'
import { freshSeed } from '../../text/decode/index.ts'
import { type Answer, answerTo } from './answer.ts'
import { ApiError, errorBody } from './api-error.ts'
import type { Batcher, Writing } from './batcher.ts'
import { type Delta, type Mark, openChoice } from './choice.ts'
import type { Metrics } from './metrics.ts'
import type { Limits, TextsRequest } from './request.ts'

/** The parts of the server that answers need. */
export interface Desk {
  readonly limits: Limits
  readonly mark: Mark | undefined
  readonly batcher: Batcher
  readonly metrics: Metrics
  readonly nameOf: (token: number) => string
  readonly alone: (token: number) => string
  /** Turns any error into one that a client may read; the rest goes to the log. */
  publicError(error: unknown): ApiError
}

/** Hears the tokens of all texts of a request. */
interface Listener {
  onDelta(delta: Delta): void
  onError(error: unknown): void
}

/** Begins the texts of a request; they end when the client leaves. */
function begin(desk: Desk, request: TextsRequest, signal: AbortSignal, listener: Listener): void {
  const { limits, mark, alone, batcher, metrics } = desk
  const seed = request.seed ?? freshSeed()
  const count = request.prompts.length * request.n
  batcher.requireRoom(count)
  const texts: Writing[] = Array.from({ length: count }, (_, index) => {
    return openChoice({ request, limits, mark, alone, index, seed, ...listener })
  })
  batcher.add(texts)
  metrics.texts += texts.length
  metrics.promptTokens += request.prompts.reduce((sum, { length }) => sum + length, 0)
  const leave = (): void => {
    metrics.disconnected++
    for (const text of texts) text.finish ??= 'stop'
  }
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
}

/** Answers when all texts are written. */
export function wholeAnswer(desk: Desk, request: TextsRequest, signal: AbortSignal): Promise<object> {
  const answer = answerTo(request, desk.limits.name, desk.nameOf)
  const parts: Delta[][] = []
  let open = request.prompts.length * request.n
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ApiError(503, 'the client left')), { once: true })
    begin(desk, request, signal, {
      onDelta(delta) {
        desk.metrics.tokens += delta.tokens.length
        parts[delta.index] ??= []
        parts[delta.index]!.push(delta)
        if (delta.finish !== null && --open === 0) resolve(answer.whole(parts.map(joined)))
      },
      onError: reject,
    })
  })
}

const joined = (parts: readonly Delta[]): Delta => ({
  ...parts.at(-1)!,
  text: parts.map(({ text }) => text).join(''),
  tokens: parts.flatMap(({ tokens }) => tokens),
  reported: parts.flatMap(({ reported }) => reported),
})

const event = (data: object | '[DONE]'): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

/** Milliseconds between two writes to a connection: for a small model a write takes as long as a token. */
const WRITE_MS = 25

/** Writes to a connection now and then, and at the end. */
function gathering(out: ServerResponse) {
  let waiting = ''
  let last = 0
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    last = performance.now()
    if (waiting !== '') out.write(waiting)
    waiting = ''
  }
  return {
    write(text: string): void {
      waiting += text
      if (performance.now() - last >= WRITE_MS) flush()
      else timer ??= setTimeout(flush, WRITE_MS)
    },
    end(text: string): void {
      clearTimeout(timer)
      out.end(waiting + text)
    },
  }
}

/** Answers as the tokens come. A token that adds no text is sent where the client asked for tokens. */
export function streamAnswer(desk: Desk, request: TextsRequest, connection: ServerResponse): void {
  const out = gathering(connection)
  const answer: Answer = answerTo(request, desk.limits.name, desk.nameOf)
  const each = request.tokenIds || request.logprobs !== undefined
  const count = request.prompts.length * request.n
  const left = new AbortController()
  let open = count
  let tokens = 0
  const close = (...last: (object | '[DONE]')[]): void => {
    open = 0
    out.end(last.map(event).join(''))
  }
  begin(desk, request, left.signal, {
    onDelta(delta) {
      desk.metrics.tokens += delta.tokens.length
      tokens += delta.tokens.length
      if (open === 0) return
      if (each || delta.text !== '' || delta.finish !== null) out.write(event(answer.chunk(delta)))
      if (delta.finish === null || --open > 0) return
      close(...(request.streamUsage ? [answer.usageChunk(tokens)] : []), '[DONE]')
    },
    onError(error) {
      if (open > 0) close(errorBody(desk.publicError(error)))
    },
  })
  // a request that is refused has been answered with an error by now
  connection.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  connection.on('close', () => open > 0 && left.abort())
  for (let index = 0; index < count; index++) {
    const opening = answer.opening(index)
    if (opening) out.write(event(opening))
  }
}
