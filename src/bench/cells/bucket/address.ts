/** The address of a bucket and the credentials for it: `s3://bucket/prefix` and the variables that other programs for S3 read. */
import { outOfRange, wrongType } from '../../../input.ts'

export interface BucketAddress {
  /** URL of the bucket, without a slash at the end. */
  readonly base: string
  /** The beginning of all keys: empty, or with a slash at the end. */
  readonly prefix: string
  readonly bucket: string
  readonly endpoint: string
  readonly region: string
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
}

export const isBucketUrl = (store: string): boolean => store.startsWith('s3://')

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.=-]+(?:\/[\w.=-]+)*)?)?\/?$/

type Env = Readonly<Record<string, string | undefined>>

/** Reads and checks the address of a bucket; errors show no credentials. */
export function bucketAddress(url: string, env: Env): BucketAddress {
  const [, bucket, path = ''] = ADDRESS.exec(url) ?? []
  if (bucket === undefined || path.split('/').some((part) => /^\.+$/.test(part)))
    throw outOfRange(
      'store',
      's3://BUCKET or s3://BUCKET/PREFIX, of letters, digits and . _ = -',
      url.replace(/\/\/[^/]*@/, '//...@'), // a password is not repeated
    )
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1'
  const given = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL
  const endpoint = given ? checkedEndpoint(given) : `https://s3.${region}.amazonaws.com`
  // other servers rarely have a host name per bucket; certificates of AWS do not cover names with dots
  const ownHost = !given && !bucket.includes('.')
  return {
    ...{ bucket, endpoint, region, credentials: credentialsIn(env, url) },
    base: ownHost ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint}/${bucket}`,
    prefix: path === '' ? '' : `${path}/`,
  }
}

function checkedEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // a value that holds a password is not shown
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== ''
  )
    throw wrongType(
      'AWS_ENDPOINT_URL',
      'the address of an S3 server, such as https://s3.example:9000',
      undefined,
    )
  return url.href.replace(/\/+$/, '')
}

function credentialsIn(env: Env, url: string): BucketAddress['credentials'] {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: token,
  } = env
  const missing = [
    ...(accessKeyId ? [] : ['AWS_ACCESS_KEY_ID']),
    ...(secretAccessKey ? [] : ['AWS_SECRET_ACCESS_KEY']),
  ]
  if (!accessKeyId || !secretAccessKey)
    throw new Error(`bucket ${url}: no credentials; set ${missing.join(' and ')}`)
  return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) }
}
