/** The server of the tests computes signatures as Amazon publishes them: the examples of its S3 documentation. */
import { expect, test } from 'vitest'
import { signatureOf } from './signature.ts'

const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

test.each([
  {
    what: 'a GET of a part',
    method: 'GET',
    target: '/test.txt',
    more: { range: 'bytes=0-9', 'x-amz-content-sha256': empty },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    what: 'a PUT whose name has a $',
    method: 'PUT',
    target: '/test$file.text',
    more: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    what: 'a list',
    method: 'GET',
    target: '/?max-keys=2&prefix=J',
    more: { 'x-amz-content-sha256': empty },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
])('$what is signed as published', ({ method, target, more, signature }) => {
  const headers = { host: 'examplebucket.s3.amazonaws.com', 'x-amz-date': '20130524T000000Z', ...more }
  const names = Object.keys(headers).sort().join(';')
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=${names}, Signature=${'0'.repeat(64)}`
  expect(signatureOf({ method, target, headers: { ...headers, authorization } }, secret)).toBe(signature)
})
