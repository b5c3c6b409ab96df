/** A small S3 server for tests: it verifies signatures, contents and rights as S3 does, keeps its objects in memory, and can fail. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { authorizationOf, signatureOf } from './signature.ts'

export interface S3Server {
  readonly endpoint: string
  /** Variables for who may do everything with the bucket `cells`. */
  readonly env: Readonly<Record<string, string>>
  /** Objects of the bucket `cells` by their keys. */
  readonly objects: Map<string, string>
  /** `METHOD key` of every request that was answered with success. */
  readonly served: string[]
  /** Requests that fail next: answered with this status, or cut off with 0. */
  readonly faults: number[]
  /** Whether nothing may be written. */
  readOnly: boolean
  end(): Promise<void>
}

const KEY = 'AKIDFORTESTS'
const SECRET = 'secret/of+tests0123456789'
const REGION = 'eu-test-1'
/** Keys of one page of a list. */
const PAGE = 5
const MAX_SKEW = 15 * 60_000

class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

const timeOf = (stamp: string): number =>
  Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

/** Throws what S3 says where a request is not signed by who may ask. */
function authenticate(request: IncomingMessage, body: Buffer): void {
  const headers = request.headers as Record<string, string | undefined>
  const given = authorizationOf(headers.authorization)
  if (!given) throw new Refusal(403, 'AccessDenied')
  if (given.accessKeyId !== KEY) throw new Refusal(403, 'InvalidAccessKeyId')
  const [date, region, service] = given.scope
  const stamp = headers['x-amz-date'] ?? ''
  if (region !== REGION || service !== 's3') throw new Refusal(400, 'AuthorizationHeaderMalformed')
  if (!(Math.abs(timeOf(stamp) - Date.now()) < MAX_SKEW) || !stamp.startsWith(date!))
    throw new Refusal(403, 'RequestTimeTooSkewed')
  const required = [
    'host',
    'x-amz-content-sha256',
    'x-amz-date',
    ...(headers['if-none-match'] ? ['if-none-match'] : []),
  ]
  if (!required.every((name) => given.names.includes(name))) throw new Refusal(403, 'AccessDenied')
  const expected = signatureOf({ method: request.method!, target: request.url!, headers }, SECRET)
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(given.signature)))
    throw new Refusal(403, 'SignatureDoesNotMatch')
  if (createHash('sha256').update(body).digest('hex') !== headers['x-amz-content-sha256'])
    throw new Refusal(400, 'XAmzContentSHA256Mismatch')
}

/** Starts a server with one empty bucket, `cells`. */
export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, string>()
  const state = { served: [] as string[], faults: [] as number[], readOnly: false }

  const page = (query: URLSearchParams): string => {
    const after = query.get('continuation-token')?.replace(/^after <&>/, '') ?? ''
    const start = query.get('prefix') ?? ''
    const found = [...objects.keys()].filter((key) => key.startsWith(start) && key > after).sort()
    const keys = found.slice(0, PAGE)
    const next =
      found.length > PAGE
        ? `<NextContinuationToken>after &lt;&amp;&gt;${keys.at(-1)}</NextContinuationToken>`
        : ''
    const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
    return `<?xml version="1.0"?><ListBucketResult>${contents}${next}</ListBucketResult>`
  }
  const answer = (request: IncomingMessage, body: Buffer): string => {
    authenticate(request, body)
    const { pathname, searchParams } = new URL(request.url!, 'http://host')
    const [, bucket, ...parts] = decodeURIComponent(pathname).split('/')
    const key = parts.join('/')
    if (bucket !== 'cells') throw new Refusal(404, 'NoSuchBucket')
    state.served.push(`${request.method} ${key}`)
    if (request.method === 'GET' && key === '') return page(searchParams)
    if (request.method === 'GET') {
      const found = objects.get(key)
      if (found === undefined) throw new Refusal(404, 'NoSuchKey')
      return found
    }
    if (state.readOnly) throw new Refusal(403, 'AccessDenied')
    if (request.headers['if-none-match'] === '*' && objects.has(key))
      throw new Refusal(412, 'PreconditionFailed')
    objects.set(key, body.toString('utf8'))
    return ''
  }
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const fault = state.faults.shift()
    if (fault === 0) return void request.socket.destroy()
    try {
      if (fault !== undefined) throw new Refusal(fault, 'SlowDown')
      response.end(answer(request, Buffer.concat(chunks)))
    } catch (error) {
      const { status, code } = error as Refusal
      // as S3 does, with what was signed and by whom: none of it may reach a message
      response
        .writeHead(status)
        .end(
          `<Error><Code>${code}</Code><AWSAccessKeyId>${KEY}</AWSAccessKeyId><Region>${REGION}</Region></Error>`,
        )
    }
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(state, {
    ...{ endpoint, objects },
    env: {
      ...{ AWS_ENDPOINT_URL: endpoint, AWS_REGION: REGION },
      ...{ AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: SECRET },
    },
    async end() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
