/** A testee as a declaration, so that the laws of watermarks in this process apply to it. */

import { siphash128 } from '../../core/kernels/index.ts'
import type { ContextRule } from '../../core/keys/index.ts'
import { defineWatermark } from '../../core/method/index.ts'
import type { Detector, Outcome, Watermark } from '../../watermark.ts'
import type { Connection } from './connection.ts'
import { decodeNumbers, encodeInts } from './protocol.ts'
import { type Place, Rows, vocabularyFor } from './rows.ts'

/** ln of the smallest positive number: what a p-value that underflowed to 0 is taken for. */
const UNDERFLOW = Math.log(Number.MIN_VALUE)

/**
 * A testee knows the key and the text before a position, and may use any part of that. So
 * different contexts may well share a code. A finished text has one context per position, of which only the key is used.
 */
const textSoFar: ContextRule = {
  id: 'testee',
  reach: Number.POSITIVE_INFINITY,
  recurs: false,
  sharesCodes: true,
  begin: () => ({ next: (tokens) => Array.from(tokens) }),
  scored: (tokens) => Array.from(tokens, (_, t) => [t]),
}

/** Tokens after which most testees mark: a context of a few tokens is there, and few of them have come back. */
const LATE = 8

/** The same testee for laws that look at one position, the first that is marked: that must not be the one before all tokens. */
export const afterSomeTokens = (watermark: Watermark<Place>): Watermark<Place> => ({
  ...watermark,
  context: {
    ...textSoFar,
    begin: () => ({ next: (tokens) => (tokens.length < LATE ? undefined : Array.from(tokens)) }),
  },
})

const HASH = Uint32Array.of(0x7577_6265, 0x6e63_6820, 0x7465_7374, 0x6565_0001)

/** The secret as testees get it: 64 bits as sixteen hexadecimal digits, which any language turns into a seed. */
function hexKey(secret: Uint8Array): string {
  const [a, b] = siphash128(HASH, Array.from(secret), new Uint32Array(4))
  return [a!, b!].map((word) => word.toString(16).padStart(8, '0')).join('')
}

/** The testee's own detector. It needs the key, which detectors do not see: a code does. */
function detectorOf(connection: Connection, keyOf: () => string): Detector {
  const { info } = connection
  return {
    id: 'testee',
    bound: Number.POSITIVE_INFINITY,
    guaranteed: info.guaranteed ?? true,
    test({ tokens, vocabSize, score }): Outcome {
      score(0, [0])
      const fields = {
        keys: [keyOf()],
        texts: encodeInts([tokens], info.encoding),
        vocabSize: vocabularyFor(info, vocabSize),
      }
      return connection.ask('detect', fields, ({ pValues, statistics }) => {
        const [p] = decodeNumbers('pValues', pValues, 1, { low: 0, high: 1 })
        const logPValue = p === 0 ? UNDERFLOW : Math.log(p!)
        const range = { low: -Number.MAX_VALUE, high: Number.MAX_VALUE }
        const [statistic] =
          statistics === undefined || statistics === null
            ? [-logPValue]
            : decodeNumbers('statistics', statistics, 1, range)
        const perToken = new Float64Array(tokens.length).fill(Number.NaN)
        return { statistic: statistic!, logPValue, exact: false, scored: tokens.length, perToken }
      })
    },
  }
}

/**
 * Makes a declaration of a testee. Where it can do neither, `reweight` leaves p as it is: only laws of detection apply then.
 */
export function testeeWatermark(connection: Connection): Watermark<Place> {
  const { id, unbiased, unbiasedUpTo, capabilities } = connection.info
  const rows = new Rows(connection)
  const marks = capabilities.includes('reweight') || capabilities.includes('sample')
  let key = ''
  return defineWatermark<Place>({
    id,
    unbiased,
    ...(unbiasedUpTo !== undefined && { unbiasedUpTo }),
    context: textSoFar,
    needsKey: true,
    draw: (random, _, { key: secret, context }) => ({
      key: hexKey(secret),
      tokens: context,
      seed: random.uint32(0),
    }),
    reweight(p, place, q) {
      if (marks) rows.reweight(p, [place], q)
      else q.set(p)
    },
    fast: marks ? { reweightMany: (p, places, out) => rows.reweight(p, places, out) } : undefined,
    score(_, place) {
      key = place.key
      return 0
    },
    detector: capabilities.includes('detect') ? detectorOf(connection, () => key) : undefined,
  })
}
