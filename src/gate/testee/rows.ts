/**
 * Rows of q that a testee makes of p, in batches. A testee that only samples gives a row with all mass on its token: over keys and
 * seeds the mean of that is p exactly where the mean of q is, so the same laws apply.
 */
import type { Connection } from './connection.ts'
import { decodeFloats, decodeNumbers, encodeFloats, encodeInts, type TesteeInfo } from './protocol.ts'

/** One position: the secret key in hexadecimal, the tokens before it, and a seed for testees that draw the token themselves. */
export interface Place {
  readonly key: string
  readonly tokens: readonly number[]
  readonly seed: number
}

/** Numbers in one request or answer. */
const MAX_NUMBERS = 2 ** 17
/** Texts that are kept open of a testee with state. */
const MAX_OPEN = 8

const FLOAT32_TOLERANCE = 1e-5

interface OpenText {
  readonly id: number
  readonly key: string
  tokens: readonly number[]
}

const isPrefix = (short: readonly number[], long: readonly number[]): boolean => {
  for (let i = short.length - 1; i >= 0; i--) if (short[i] !== long[i]) return false
  return true
}

/** The smallest vocabulary of the testee's own that holds this one. */
export function vocabularyFor({ vocabSizes }: Pick<TesteeInfo, 'vocabSizes'>, size: number): number {
  if (vocabSizes === undefined) return size
  const fitting = vocabSizes.filter((one) => one >= size)
  if (fitting.length === 0)
    throw new RangeError(`vocabSize: the testee does at most ${Math.max(...vocabSizes)}, asked for ${size}`)
  return Math.min(...fitting)
}

/** Scales a row whose sum is off by no more than the testee's precision allows; any other is left to the laws. */
function normalise(row: Float64Array, tolerance: number): void {
  let sum = 0
  for (const mass of row) sum += mass
  if (sum !== 1 && Math.abs(sum - 1) <= tolerance) for (let i = 0; i < row.length; i++) row[i]! /= sum
}

export class Rows {
  readonly #connection: Connection
  readonly #tolerance: number
  readonly #open: OpenText[] = []
  #texts = 0

  constructor(connection: Connection) {
    const { dtype, tolerance } = connection.info
    this.#connection = connection
    this.#tolerance = tolerance ?? (dtype === 'float32' ? FLOAT32_TOLERANCE : 0)
  }

  /** One row of q for each place, end to end. */
  reweight(p: Float64Array, places: readonly Place[], out: Float64Array): void {
    const { info } = this.#connection
    const width = vocabularyFor(info, p.length)
    const padded = width === p.length ? p : new Float64Array(width)
    if (padded !== p) padded.set(p)
    const step = Math.max(1, Math.floor(MAX_NUMBERS / width))
    for (let from = 0; from < places.length; from += step) {
      const some = places.slice(from, from + step)
      const rows =
        info.state === 'text' ? some.map((place) => this.#follow(padded, place)) : [this.#ask(padded, some)]
      let at = from
      for (const several of rows)
        for (let i = 0; i < several.length; i += width)
          out.set(this.#row(several.subarray(i, i + width), p.length), at++ * p.length)
    }
  }

  /** A row without the ids that only the testee's vocabulary has: they had no mass, and have none unless the testee is wrong. */
  #row(row: Float64Array, size: number): Float64Array {
    if (row.length > size) {
      const stray = row.findIndex((mass, i) => i >= size && mass !== 0)
      if (stray >= 0) throw new RangeError(`p[${stray}] is 0 but q[${stray}] is ${row[stray]}`)
    }
    const own = row.subarray(0, size)
    normalise(own, this.#tolerance)
    return own
  }

  /** Texts open in the testee go on; any other is told from its beginning, with p at every position. */
  #follow(p: Float64Array, place: Place): Float64Array {
    const { key, tokens } = place
    const open = this.#open.findIndex(
      (text) => text.key === key && text.tokens.length === tokens.length - 1 && isPrefix(text.tokens, tokens),
    )
    if (open >= 0) {
      const [text] = this.#open.splice(open, 1)
      this.#open.push(text!)
      text!.tokens = tokens.slice()
      return this.#ask(p, [place], text!.id)
    }
    if (this.#open.length >= MAX_OPEN)
      this.#connection.ask('close', { text: this.#open.shift()!.id }, () => {})
    const id = this.#texts++
    this.#connection.ask('open', { text: id, key }, () => {})
    this.#open.push({ id, key, tokens: tokens.slice() })
    const step = Math.max(1, Math.floor(MAX_NUMBERS / p.length))
    let last = new Float64Array(0)
    for (let t = 0; t <= tokens.length; t += step) {
      const along = Array.from({ length: Math.min(step, tokens.length + 1 - t) }, (_, i) => ({
        ...place,
        tokens: tokens.slice(0, t + i),
      }))
      last = this.#ask(p, along, id).slice(-p.length)
    }
    return last
  }

  #ask(p: Float64Array, places: readonly Place[], text?: number): Float64Array {
    const { info } = this.#connection
    const fields = {
      ...(text !== undefined && { text }),
      keys: places.map(({ key }) => key),
      contexts: encodeInts(
        places.map(({ tokens }) => tokens),
        info.encoding,
      ),
      p: encodeFloats(p, p.length, info.encoding),
    }
    const width = p.length
    if (info.capabilities.includes('reweight'))
      return this.#connection.ask('reweight', fields, ({ q }) => decodeFloats('q', q, places.length, width))
    const seeds = places.map(({ seed }) => seed)
    return this.#connection.ask('sample', { ...fields, seeds }, ({ tokens }) => {
      const drawn = decodeNumbers('tokens', tokens, places.length, { low: 0, high: width - 1, whole: true })
      const rows = new Float64Array(places.length * width)
      for (const [i, token] of drawn.entries()) rows[i * width + token] = 1
      return rows
    })
  }
}
