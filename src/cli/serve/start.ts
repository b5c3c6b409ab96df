/** The server of `uwbench serve`: an OpenAI-compatible API over any model, with any watermark. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { printable } from '../../input.ts'
import type { LanguageModel } from '../../text/decode/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { ApiError, asApiError, errorBody } from './api-error.ts'
import { Batcher } from './batcher.ts'
import { Detection } from './detection.ts'
import { Metrics } from './metrics.ts'
import { tokenTexts } from './pieces.ts'
import { type Limits, readRequest } from './request.ts'
import { type Desk, streamAnswer, wholeAnswer } from './texts.ts'

export interface ServeOptions {
  readonly model: LanguageModel
  /** The name that requests use. Default: the model's id. */
  readonly name?: string
  readonly watermark?: AnyWatermark
  /** The secret key; needed with a watermark. */
  readonly key?: string | Uint8Array
  /** The module that exports the watermark, unless it is a shipped one. */
  readonly module?: string
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: a free one. */
  readonly port?: number
  /** Texts that are written at once. Default 16. */
  readonly batch?: number
  /** Texts that may wait; more are answered with 429. Default 64. */
  readonly queue?: number
  /** The most tokens of a text. Default 4096. */
  readonly maxTokens?: number
  /** False: requests may not ask for texts without the watermark. Default true. */
  readonly mayUnmark?: boolean
  /** The level of `/detect`. Default 0.01. */
  readonly alpha?: number
  /** True: `/detect` answers the decision without its p-value. */
  readonly decisionOnly?: boolean
  /** The token that requests to `/detect` must carry. */
  readonly token?: string
  /** Requests to `/detect` per minute. Default 60. */
  readonly rate?: number
  /** Seconds after which a client that reads nothing of its answer is disconnected: what it leaves unread is kept in memory. Default 60. */
  readonly unreadSeconds?: number
  /** Hears errors of the server itself. */
  readonly log?: (line: string) => void
}

export interface RunningServer {
  readonly url: string
  /** Takes no more requests, lets texts be finished for some seconds (default 0), then ends the rest. */
  close(seconds?: number): Promise<void>
}

/** The objects of Node behind a request. */
type Bindings = { Bindings: HttpBindings }
type App = Hono<Bindings>

/** The largest body of a request, in bytes. */
const MAX_BODY = 2 ** 20

/** Imports the HTTP framework, an optional package. */
export async function framework() {
  try {
    const [{ Hono }, { bodyLimit }, { createAdaptorServer }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
      import('hono'),
      import('hono/body-limit'),
      import('@hono/node-server'),
      import('@hono/node-server/utils/response'),
    ])
    return { Hono, bodyLimit, createAdaptorServer, sent: RESPONSE_ALREADY_SENT }
  } catch (cause) {
    throw new Error(
      'uwbench serve needs the packages hono and @hono/node-server: npm install hono @hono/node-server',
      { cause },
    )
  }
}

/** Reads the body as JSON. Forms of other sites cannot send this content type, so they cannot use the server through a browser. */
async function bodyOf(c: Context): Promise<unknown> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
    throw new ApiError(415, 'expected the header `Content-Type: application/json`')
  try {
    return await c.req.json()
  } catch {
    throw new ApiError(400, 'expected a body in JSON')
  }
}

/** Starts listening and returns the port. */
async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use; give another port with --port N, or --port 0 for a free one`)
  }
  return (server.address() as AddressInfo).port
}

function routes(app: App, desk: Desk, detection: Detection | undefined, sent: Response): void {
  const { limits, batcher, metrics } = desk
  const { name, model } = limits
  const card = {
    ...{ id: name, object: 'model', created: Math.floor(Date.now() / 1000), owned_by: 'uwbench' },
    ...{ max_model_len: model.maxLength, vocab_size: model.vocabSize },
  }
  app.get('/health', (c) => c.json({ status: 'ok' }))
  app.get('/metrics', (c) =>
    c.text(metrics.render(batcher), 200, { 'content-type': 'text/plain; version=0.0.4' }),
  )
  app.get('/v1/models', (c) => c.json({ object: 'list', data: [card] }))
  app.get('/v1/models/:name{.+}', (c) => {
    if (c.req.param('name') === name) return c.json(card)
    throw new ApiError(404, `this server has the model ${name}`, { code: 'model_not_found' })
  })
  const texts = (chat: boolean) => async (c: Context<Bindings>) => {
    const request = readRequest(await bodyOf(c), chat, limits)
    if (!request.stream) return c.json(await wholeAnswer(desk, request, c.req.raw.signal))
    streamAnswer(desk, request, c.env.outgoing)
    return sent
  }
  app.post('/v1/completions', texts(false))
  app.post('/v1/chat/completions', texts(true))
  app.post('/detect', async (c) => {
    if (detection === undefined) throw new ApiError(404, 'this server has no watermark to detect')
    return c.json(await detection.answer(await bodyOf(c), c.req.header('authorization')))
  })
}

/** The routes that are counted by name; others are counted together. */
const ROUTES = new Set([
  '/health',
  '/metrics',
  '/v1/models',
  '/v1/completions',
  '/v1/chat/completions',
  '/detect',
])

/** Starts the server. The model stays yours: dispose of it after closing the server. */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { model, watermark, key, host = '127.0.0.1', port = 0, log = () => {} } = options
  const { Hono, bodyLimit, createAdaptorServer, sent } = await framework()
  if (watermark !== undefined && key === undefined)
    throw new TypeError('key: expected a secret key for the watermark')
  const mark = watermark === undefined ? undefined : { watermark, key: key! }
  const limits: Limits = {
    model,
    name: options.name ?? model.id,
    maxTokens: options.maxTokens ?? 4096,
    marks: mark !== undefined,
    mayUnmark: options.mayUnmark ?? true,
  }
  const batcher = new Batcher(model, options.batch ?? 16, options.queue ?? 64)
  const metrics = new Metrics()
  const publicError = (error: unknown): ApiError => {
    const known = asApiError(error)
    if (known instanceof ApiError) return known
    log(`error: ${printable(error instanceof Error ? error.message : String(error))}`)
    return new ApiError(500, 'the server failed; its log says why')
  }
  const desk: Desk = { limits, mark, batcher, metrics, ...tokenTexts(model.tokenizer), publicError }
  const { alpha = 0.01, decisionOnly = false, token, rate = 60, module } = options
  const detection = mark && new Detection({ model, mark, module, alpha, decisionOnly, token, rate })
  const app: App = new Hono<Bindings>()
  let closing = false
  app.use(async (_, next) => {
    if (closing) throw new ApiError(503, 'the server is shutting down')
    await next()
  })
  app.use(async (c, next) => {
    await next()
    metrics.request(ROUTES.has(c.req.path) ? c.req.path : 'other', c.res.status)
  })
  const tooLarge = (): never => {
    throw new ApiError(413, `expected a body of at most ${MAX_BODY} bytes`)
  }
  app.use(bodyLimit({ maxSize: MAX_BODY, onError: tooLarge }))
  routes(app, desk, detection, sent)
  app.notFound((c) =>
    c.json(errorBody(new ApiError(404, `no such route: ${c.req.method} ${c.req.path}`)), 404),
  )
  app.onError((error, c) => {
    const known = publicError(error)
    if (known.status === 429) c.header('retry-after', '1')
    if (known.status === 413) c.header('connection', 'close') // the rest of the body is not read
    return c.json(errorBody(known), known.status)
  })
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  server.setTimeout(1000 * (options.unreadSeconds ?? 60), (socket) => {
    if (socket.writableLength > 0) socket.destroy() // others wait for their text
  })
  const at = await listen(server, port, host)
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${at}`,
    async close(seconds = 0) {
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const late = new AbortController()
      const timer = setTimeout(seconds * 1000, undefined, { signal: late.signal }).catch(() => {})
      await Promise.race([batcher.idle(), timer])
      late.abort()
      batcher.stop()
      await batcher.idle()
      // answers that are on their way get a moment more
      await Promise.race([closed, setTimeout(Math.min(500, seconds * 1000))])
      server.closeAllConnections()
      await closed
      await detection?.close()
    },
  }
}
