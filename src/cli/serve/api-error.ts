/** Errors in the shape that clients of OpenAI's API expect. */
import { didYouMean, show } from '../../input.ts'

/** An error that a client is told. */
export class ApiError extends Error {
  readonly status: 400 | 401 | 403 | 404 | 413 | 415 | 429 | 500 | 503
  readonly param: string | null
  readonly code: string | null

  constructor(
    status: ApiError['status'],
    message: string,
    { param = null, code = null }: { param?: string | null; code?: string | null } = {},
  ) {
    super(message)
    this.status = status
    this.param = param
    this.code = code
  }
}

const TYPES: Partial<Record<ApiError['status'], string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'server_error',
}

/** Returns the body of an error. */
export const errorBody = ({ status, message, param, code }: ApiError) => ({
  error: { message, type: TYPES[status] ?? 'invalid_request_error', param, code },
})

/** Makes the error for a field of a request: `max_tokens: expected an integer in [1, 251], got 300`. */
export const wrongField = (param: string, expected: string, value: unknown, code?: string): ApiError =>
  new ApiError(400, `${param}: expected ${expected}, got ${show(value)}`, { param, code: code ?? null })

/** Turns what a check of arguments threw into an error about a field of the request; other errors pass. */
export function asApiError(error: unknown): unknown {
  if (!(error instanceof RangeError || error instanceof TypeError)) return error
  const [, param = null] = /^([a-z_]+)(\[\d+\])*: expected /.exec(error.message) ?? []
  return new ApiError(400, error.message, { param })
}

/** Refuses fields that nobody would read. */
export function refuseFields(body: object, known: readonly string[]): void {
  for (const name of Object.keys(body))
    if (!known.includes(name))
      throw new ApiError(400, `unknown field ${show(name)}${didYouMean(name, known)}`, { param: name })
}
