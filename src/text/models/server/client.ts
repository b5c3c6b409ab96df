/** Talks to an OpenAI-style server: requests with a time limit, and retries where another attempt may help. */
import { setTimeout as sleep } from 'node:timers/promises'
import { didYouMean, outOfRange } from '../../../input.ts'

/**
 * The server failed: it does not answer, refuses, or answers something else than the API says.
 * @example new ServerFailure('status 503: busy', true).isTransient // true: another attempt may help
 */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure'
  /** True where another attempt may help: the server is busy, slow, or cut the answer. */
  readonly isTransient: boolean
  /** Milliseconds that the server asks to wait. */
  readonly waitMs: number | undefined

  constructor(message: string, isTransient = false, waitMs?: number) {
    super(message)
    this.isTransient = isTransient
    this.waitMs = waitMs
  }
}

export interface ClientOptions {
  /** Milliseconds for one answer. */
  readonly timeout: number
  /** Attempts after the first that fails in a way that may pass. */
  readonly retries: number
  /** A bearer token. */
  readonly token?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** The longest answer, in characters: a server that never ends must not fill the memory. */
const MAX_ANSWER = 2 ** 26
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 30_000

/** Returns the base address of the API: with `/v1`, without a slash at the end. */
export function baseOf(name: string, url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw outOfRange(name, 'the address of a server, such as http://127.0.0.1:8000/v1', url)
  const plain = url.replace(/[?#].*$/, '').replace(/\/+$/, '')
  return /\/v\d+$/.test(plain) ? plain : `${plain}/v1`
}

/** The message of an error in OpenAI's shape, in one line. */
function messageOf(body: string): string {
  try {
    const { error, message, detail } = JSON.parse(body)
    const found = error?.message ?? message ?? detail ?? error
    if (typeof found === 'string') return found.split('\n')[0]!.slice(0, 300)
  } catch {
    // not JSON: shown as it is
  }
  return body.trim().split('\n')[0]!.slice(0, 200)
}

async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of response.body ?? []) {
    text += decoder.decode(part as Uint8Array, { stream: true })
    if (text.length > MAX_ANSWER) throw new ServerFailure(`answer of more than ${MAX_ANSWER} characters`)
  }
  return text
}

async function attempt(url: string, body: unknown, options: ClientOptions): Promise<unknown> {
  const limit = AbortSignal.timeout(options.timeout)
  const signal = options.signal ? AbortSignal.any([limit, options.signal]) : limit
  let text: string
  let response: Response
  try {
    response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(options.token && { authorization: `Bearer ${options.token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    })
    text = await readBody(response)
  } catch (error) {
    options.signal?.throwIfAborted()
    if (error instanceof ServerFailure) throw error
    const { message, cause } = error as Error & { cause?: Error }
    const reason = limit.aborted
      ? `no answer within ${options.timeout / 1000} s`
      : (cause?.message ?? message)
    throw new ServerFailure(`${url}: ${reason}`, true)
  }
  if (!response.ok) {
    const wait = Number(response.headers.get('retry-after'))
    const isTransient = response.status === 429 || response.status === 408 || response.status >= 500
    throw new ServerFailure(
      `${url}: status ${response.status}: ${messageOf(text)}`,
      isTransient,
      wait > 0 ? 1000 * wait : undefined,
    )
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ServerFailure(`${url}: malformed answer: not JSON, ${text.length} characters`, true)
  }
}

/** Sends a request, again after a growing wait where the failure may pass; the last failure counts the attempts. */
export async function send(url: string, body: unknown, options: ClientOptions): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(url, body, options)
    } catch (error) {
      if (!(error instanceof ServerFailure) || !error.isTransient) throw error
      if (tries > options.retries)
        throw new ServerFailure(`${error.message} (${tries} ${tries === 1 ? 'attempt' : 'attempts'})`)
      const wait = Math.min(MAX_WAIT_MS, error.waitMs ?? FIRST_WAIT_MS * 2 ** (tries - 1))
      await sleep(wait, undefined, { signal: options.signal })
    }
  }
}

/** The entry of a model in the list of a server. */
export type ModelCard = Readonly<Record<string, unknown>>

/**
 * Returns the entry of a model in the list of the server, and refuses a model that is not there; of a server that lists one model, that
 * one by default. A server without a list is taken at its word.
 */
export async function modelCard(
  base: string,
  model: string | undefined,
  options: ClientOptions,
): Promise<ModelCard> {
  let listed: unknown
  try {
    listed = await send(`${base}/models`, undefined, options)
  } catch (error) {
    if (model !== undefined && error instanceof ServerFailure && /status 40[345]/.test(error.message))
      return { id: model }
    throw error
  }
  const data = (listed as { data?: ModelCard[] } | null)?.data
  const cards = Array.isArray(data) ? data.filter((card) => typeof card?.id === 'string') : []
  const ids = cards.map(({ id }) => id as string)
  const found =
    cards.find(({ id }) => id === model) ?? (model === undefined && ids.length === 1 ? cards[0] : undefined)
  if (found !== undefined) return found
  if (ids.length === 0 && model !== undefined) return { id: model }
  const { message } = outOfRange('model', `one that ${base} serves: ${ids.join(', ') || 'none'}`, model)
  throw new RangeError(`${message}${didYouMean(model, ids)}`)
}

/** Returns the text of a choice; of a chat that ended while the model was thinking, what it thought. Undefined for a choice without text. */
export function textOf(choice: unknown): string | undefined {
  // biome-ignore lint/suspicious/noExplicitAny: JSON of a server, of which one text is taken
  const { message, text } = (choice ?? {}) as any
  const said = [message?.content, message?.reasoning_content, message?.reasoning, text]
  return said.find((one) => typeof one === 'string')
}
