/** `POST /detect`: the test of one text, for those who have the token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { DetectPool } from '../../bench/cells/index.ts'
import { text as string } from '../../input.ts'
import { checkedTokens, type LanguageModel } from '../../text/decode/index.ts'
import { ApiError, refuseFields } from './api-error.ts'
import type { Mark } from './choice.ts'

export interface DetectionOptions {
  readonly model: LanguageModel
  readonly mark: Mark
  /** The module that exports the watermark, unless it is a shipped one. */
  readonly module?: string | undefined
  readonly alpha: number
  /** True: the answer is the decision alone. */
  readonly decisionOnly: boolean
  /** The token that requests must carry; undefined for none. */
  readonly token: string | undefined
  /** Requests per minute. */
  readonly rate: number
}

/** The longest text that is tested. */
const MAX_TOKENS = 8192
/** Texts that may wait for their test. */
const MAX_WAITING = 16
/** Seconds that the tests under way may take: alignments of long texts take minutes. */
const MAX_SECONDS = 20

const digest = (value: string): Buffer => createHash('sha256').update(value).digest()

/** Allows `rate` requests at once, and as many again spread over each minute. */
function rateLimit(rate: number, now: () => number): () => void {
  let left = rate
  let last = now()
  return () => {
    const time = now()
    left = Math.min(rate, left + ((time - last) / 60_000) * rate)
    last = time
    if (left < 1)
      throw new ApiError(429, `more than ${rate} requests per minute; try again later`, {
        code: 'rate_limited',
      })
    left--
  }
}

export class Detection {
  readonly #options: DetectionOptions
  readonly #allow: () => void
  /** Requests without the token have a limit of their own, so that strangers cannot use up the limit of others. */
  readonly #allowStranger: () => void
  #pool: DetectPool | undefined
  #waiting = 0

  constructor(options: DetectionOptions, now: () => number = Date.now) {
    this.#options = options
    this.#allow = rateLimit(options.rate, now)
    this.#allowStranger = rateLimit(options.rate, now)
  }

  /** Answers a request. @param authorization the header, if any */
  async answer(body: unknown, authorization: string | undefined): Promise<object> {
    this.#authorise(authorization)
    this.#allow()
    const tokens = this.#tokensOf(body)
    const { alpha, decisionOnly } = this.#options
    const pValue = await this.#test(tokens)
    const detected = pValue <= alpha
    return decisionOnly ? { detected } : { detected, p_value: pValue }
  }

  close(): Promise<void> {
    return this.#pool?.close() ?? Promise.resolve()
  }

  #authorise(authorization: string | undefined): void {
    const { token } = this.#options
    if (token === undefined) return
    const [, given = ''] = /^Bearer (.+)$/i.exec(authorization ?? '') ?? []
    if (timingSafeEqual(digest(given), digest(token))) return
    this.#allowStranger()
    throw new ApiError(401, 'expected a header `Authorization: Bearer TOKEN` with the token of this server', {
      code: 'invalid_api_key',
    })
  }

  #tokensOf(body: unknown): number[] {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new ApiError(400, 'expected a JSON object with text or token_ids')
    refuseFields(body, ['text', 'token_ids'])
    const { text, token_ids: ids } = body as { text?: unknown; token_ids?: unknown }
    if ((text === undefined) === (ids === undefined))
      throw new ApiError(400, 'expected text or token_ids, one of them', { param: 'text' })
    const { tokenizer, vocabSize } = this.#options.model
    const given = ids === undefined ? tokenizer.encode(string('text', text)) : (ids as number[])
    const tokens = checkedTokens(ids === undefined ? 'text' : 'token_ids', given, vocabSize)
    if (tokens.length > MAX_TOKENS)
      throw new ApiError(400, `expected at most ${MAX_TOKENS} tokens, got ${tokens.length}`, {
        param: 'text',
      })
    return tokens
  }

  /** Tests in a thread of its own, so that texts are written meanwhile; a test that takes too long ends with its thread. */
  async #test(tokens: readonly number[]): Promise<number> {
    if (tokens.length === 0) return 1
    if (this.#waiting >= MAX_WAITING)
      throw new ApiError(429, `${MAX_WAITING} texts wait for their test; try again later`, {
        code: 'queue_full',
      })
    this.#waiting++
    this.#pool ??= new DetectPool(1)
    const pool = this.#pool
    const late = new ApiError(503, `the test took longer than ${MAX_SECONDS} seconds; send a shorter text`)
    const timer = setTimeout(() => {
      if (this.#pool === pool) this.#pool = undefined
      void pool.close(late)
    }, MAX_SECONDS * 1000)
    try {
      const { model, mark, module, alpha } = this.#options
      const own = module === undefined ? {} : { module }
      const options = { key: mark.key, vocabSize: model.vocabSize, alpha, ...own }
      const [found] = await pool.test(mark.watermark, [Int32Array.from(tokens)], options)
      return Math.exp(found!.logPValue)
    } finally {
      this.#waiting--
      clearTimeout(timer)
    }
  }
}
