/** Errors of a bucket, in one line each. The message of a server may repeat parts of a request: only its code is shown. */
import { printable } from '../../../input.ts'
import type { BucketAddress } from './address.ts'

/** An answer other than success. */
export interface Refused {
  readonly status: number
  /** The code of S3, such as `NoSuchBucket`; empty where the answer has no code. */
  readonly code: string
  /** The region of the bucket, where the server says that it is another. */
  readonly region?: string
}

export function refusedBy({ status, headers }: Response, text: string): Refused {
  const region = headers.get('x-amz-bucket-region') ?? /<Region>([\w-]+)<\/Region>/.exec(text)?.[1]
  return { status, code: /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '', ...(region ? { region } : {}) }
}

/** An answer that does not end, or not soon enough: asking again would not help. */
class Unbounded extends Error {}

/** Returns the text of an answer of at most `most` bytes. */
export async function textOf(response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const check = (size: number): void => {
    if (size > most) throw new Unbounded(`an answer has more than ${most / 2 ** 20} MB; expected less`)
  }
  try {
    check(Number(response.headers.get('content-length') ?? 0))
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      check(bytes)
      chunks.push(chunk)
    }
  } catch (error) {
    await response.body?.cancel().catch(() => {})
    throw error
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns whether another try may help. */
export const isPassing = (problem: Refused | Error): boolean =>
  problem instanceof Error
    ? !isMissingPackage(problem) && !(problem instanceof Unbounded)
    : problem.status >= 500 || problem.status === 429 || problem.code === 'RequestTimeout'

const isMissingPackage = (error: Error): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'

const DENIED: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'unknown access key; check AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'wrong secret key; check AWS_SECRET_ACCESS_KEY',
  ExpiredToken: 'the session has expired; renew AWS_SESSION_TOKEN',
  InvalidToken: 'wrong session token; check AWS_SESSION_TOKEN',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  AccessDenied: 'access denied; expected the rights to list the bucket, and to read and write its objects',
}

export function lineOf(problem: Refused | Error, { bucket, endpoint, region }: BucketAddress): string {
  if (problem instanceof Error) return unreachable(problem, endpoint)
  const { status, code } = problem
  if (code === 'NoSuchBucket') return `no bucket '${bucket}' at ${endpoint}`
  if (DENIED[code]) return DENIED[code]
  if (problem.region !== undefined && problem.region !== region)
    return `it is in the region ${printable(problem.region)}, not in ${region}; set AWS_REGION`
  if (status === 401 || status === 403) return `access denied (${code || status}); check the credentials`
  return `${endpoint} answered ${status}${code ? ` (${code})` : '; expected an S3 server'}`
}

function unreachable(error: Error, endpoint: string): string {
  if (error instanceof Unbounded) return error.message
  if (isMissingPackage(error)) return 'it needs the package aws4fetch: npm install aws4fetch'
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return `nothing listens at ${endpoint} (ECONNREFUSED); check AWS_ENDPOINT_URL`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `unknown host ${endpoint} (${code}); check AWS_ENDPOINT_URL`
  if (error.name === 'TimeoutError') return `no answer from ${endpoint} within 60 s`
  return `no answer from ${endpoint} (${code ?? 'connection lost'})`
}
