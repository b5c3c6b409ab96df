/**
 * Files in an S3-compatible bucket, for machines that share no folder. Requests are signed by aws4fetch, an optional peer of 11 kB without
 * dependencies: it signs for the `fetch` that Node has, where the SDK of AWS would bring an HTTP client, an XML parser and some
 * 50 packages.
 */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { AwsClient } from 'aws4fetch'
import { type BucketAddress, bucketAddress } from './address.ts'
import { limiter } from './limiter.ts'
import { isPassing, lineOf, type Refused, refusedBy, textOf } from './problem.ts'

/** Files in a bucket, by name. */
export interface Bucket {
  /** `s3://bucket/prefix` */
  readonly url: string
  /** Returns the content of a file; undefined where it does not exist. */
  get(name: string): Promise<string | undefined>
  /** Writes a file whole; with `isNew`, only where it does not exist. */
  put(name: string, content: string, options?: { readonly isNew?: boolean }): Promise<void>
  /** Lists the names of all files that begin with these characters. */
  list(start: string): Promise<string[]>
}

/** Requests under way at a time. */
const MAX_REQUESTS = 16
/** The number of tries of a request, and the milliseconds before the second try, doubled each time. */
const [TRIES, BACKOFF] = [5, 200] as const
const TIMEOUT_MS = 60_000
/** The most bytes of one page of a list, and of one file. */
const [MAX_PAGE, MAX_FILE] = [2 ** 24, 2 ** 28]
/** The most pages of a list; S3 puts 1000 names on each. */
const MAX_PAGES = 10_000
/** The most names in a page, as S3 has it. */
const PAGE = 1000

interface Asked {
  readonly method: 'GET' | 'PUT'
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Answers that are no errors, besides successes. */
  readonly fine?: (refused: Refused) => boolean
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * Opens a bucket. Nothing is asked of the server yet.
 * @param url `s3://bucket/prefix`
 * @param env with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, where they are needed, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL
 */
export function openBucket(url: string, env: Env = process.env): Bucket {
  const address = bucketAddress(url, env)
  const turn = limiter(MAX_REQUESTS)
  let client: Promise<AwsClient> | undefined

  /** Asks once; returns the text of the answer, or the reason of a refusal. */
  const ask = async ({ method, path = '', query = {}, headers, body }: Asked): Promise<string | Refused> => {
    client ??= clientFor(address)
    const target = new URL(`${address.base}/${path}`)
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value)
    const sum = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const response = await (await client).fetch(target, {
      method,
      headers: { ...headers, 'x-amz-content-sha256': sum },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await textOf(response, path === '' ? MAX_PAGE : MAX_FILE)
    return response.ok ? text : refusedBy(response, text)
  }
  /** Asks until there is an answer that more tries would not change. */
  const request = (asked: Asked): Promise<string | undefined> =>
    turn(async () => {
      for (let tries = 1; ; tries++) {
        const answer = await ask(asked).catch((error: Error) => error)
        if (typeof answer === 'string') return answer
        if (!(answer instanceof Error) && asked.fine?.(answer)) return undefined
        if (!isPassing(answer) || tries === TRIES)
          throw new Error(`bucket ${url}: ${lineOf(answer, address)}`, { cause: answer })
        await pause(BACKOFF * 2 ** (tries - 1))
      }
    })
  const keyOf = (name: string): string => address.prefix + name

  return {
    url,
    get: (name) =>
      request({
        method: 'GET',
        path: keyOf(name),
        fine: ({ status, code }) => status === 404 && code !== 'NoSuchBucket',
      }),
    async put(name, body, { isNew = false } = {}) {
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        ...(isNew ? { 'if-none-match': '*' } : {}),
      }
      // 412: there is one; 409: somebody else is writing it
      const fine = ({ status }: Refused) => isNew && (status === 412 || status === 409)
      await request({ method: 'PUT', path: keyOf(name), headers, body, fine })
    },
    async list(start) {
      const names: string[] = []
      const tokens = new Set<string>()
      let next: string | undefined
      do {
        const query = {
          'list-type': '2',
          prefix: keyOf(start),
          ...(next ? { 'continuation-token': next } : {}),
        }
        const page = (await request({ method: 'GET', query }))!
        const found = Array.from(page.matchAll(/<Key>([^<]*)<\/Key>/g), ([, key]) => key!)
        if (found.length > PAGE)
          throw new Error(
            `bucket ${url}: its list has a page of ${found.length} names; S3 gives at most ${PAGE}`,
          )
        // copies: parts of a page would keep all of it
        for (const key of found) names.push(Buffer.from(key.slice(address.prefix.length)).toString())
        next = plain(/<NextContinuationToken>([^<]*)</.exec(page)?.[1])
        if (next && (tokens.has(next) || tokens.size === MAX_PAGES))
          throw new Error(
            `bucket ${url}: its list does not end after ${tokens.size + 1} pages; use a prefix of its own`,
          )
        if (next) tokens.add(next)
      } while (next)
      return names
    },
  }
}

async function clientFor({ region, credentials }: BucketAddress): Promise<AwsClient> {
  const { AwsClient } = await import('aws4fetch')
  return new AwsClient({ ...credentials, region, service: 's3', retries: 0 })
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Text of XML without its entities. */
const plain = (text: string | undefined): string | undefined =>
  text?.replace(/&(?:#(\d+)|(\w+));/g, (all, code, name) =>
    Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : (entities[name] ?? all),
  )
