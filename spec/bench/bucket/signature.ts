/** Version 4 of Amazon's signatures from its definition, for the server of the tests: nothing here is shared with the client. */
import { createHash, createHmac } from 'node:crypto'

export interface Signed {
  readonly method: string
  /** Path and query as they were sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/

/** The parts of an `Authorization` header; undefined where it is none of version 4. */
export function authorizationOf(header: string | undefined) {
  const [, accessKeyId, date, region, service, names, signature] = AUTHORIZATION.exec(header ?? '') ?? []
  if (signature === undefined) return undefined
  return { accessKeyId: accessKeyId!, scope: [date!, region!, service!], names: names!.split(';'), signature }
}

/** Everything but letters, digits and `-_.~` as percent codes. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** The signature that a request must have. */
export function signatureOf({ method, target, headers }: Signed, secret: string): string {
  const { scope, names } = authorizationOf(headers.authorization)!
  const [path = '', query = ''] = target.split('?')
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
  const canonical = [
    method,
    decodeURIComponent(path).split('/').map(encoded).join('/'),
    pairs.sort().join('&'),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ].join('\n')
  const what = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'],
    [...scope, 'aws4_request'].join('/'),
    sha256(canonical),
  ]
  const key = [...scope, 'aws4_request'].reduce<string | Buffer>((k, part) => hmac(k, part), `AWS4${secret}`)
  return hmac(key, what.join('\n')).toString('hex')
}
