/** The law of q over keys at one step: what Theorem 1 and the query budget are about. */

import { checkSeed, keySchedule } from '../core/keys/index.ts'
import { integer, refuseUnknown } from '../input.ts'
import { codeAt, type Watermark, type Weighted, weightedOrbit } from '../watermark.ts'
import { checkStep, requireListed } from './checked.ts'

/** One possible q and the share of keys that give it. */
export interface StepMember {
  readonly q: Float64Array
  readonly weight: number
}

/** Every q that one step can have, with its weight. */
export interface StepLaw {
  readonly members: readonly StepMember[]
  /** False where the members are a sample of keys rather than all of them. */
  readonly exact: boolean
}

export interface StepLawOptions {
  /** Keys to draw where the codes cannot be listed; default 200. */
  readonly keys?: number
  readonly seed?: number | string
}

/** More codes than this are not listed. */
const MAX_CODES = 2 ** 20

/** The most keys that are drawn. */
const MAX_KEYS = 1_000_000

/** Checks the number of keys to draw where codes cannot be listed, and their seed. */
export function keysToDraw(name: string, options: StepLawOptions, byDefault: number) {
  refuseUnknown(name, options, ['keys', 'seed'])
  const { seed = 0 } = options
  checkSeed(seed)
  return { keys: integer('keys', options.keys ?? byDefault, 1, MAX_KEYS), seed }
}

/** Returns the code that a watermark draws under a key, at a position with no context. */
export function drawCode<Code>(watermark: Watermark<Code>, key: string, vocabSize: number): Code {
  return codeAt(watermark, keySchedule(key, watermark.domain), vocabSize, [0])
}

/** Returns every code with its probability; undefined where there are too many, or the watermark cannot list them. */
export function listCodes<Code>(watermark: Watermark<Code>, vocabSize: number): Weighted<Code>[] | undefined {
  if (watermark.enumerate === undefined) return undefined
  const codes: Weighted<Code>[] = []
  for (const member of watermark.enumerate(vocabSize)) {
    if (codes.length === MAX_CODES) return undefined
    codes.push(member)
  }
  return codes
}

/** Members with the same q, to the last few digits, become one. */
function merged(members: Iterable<StepMember>): StepMember[] {
  const byValue = new Map<string, { q: Float64Array; weight: number }>()
  for (const { q, weight } of members) {
    const key = Array.from(q, (x) => x.toPrecision(12)).join()
    const known = byValue.get(key)
    if (known) known.weight += weight
    else byValue.set(key, { q, weight })
  }
  return [...byValue.values()]
}

/**
 * Returns the law of q over random keys at a step with distribution p. Exact where the codes can be listed, and where q is a
 * point mass (then every orbit has the same law of q: token i with probability p_i); else over sampled keys.
 *
 * @example stepLaw(dipmark({ alpha: 0.4 }), Float64Array.of(0.5, 0.3, 0.2)).members.length // 6 orders
 */
export function stepLaw<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  options: StepLawOptions = {},
): StepLaw {
  requireListed(watermark)
  checkStep('p', p)
  const { keys, seed } = keysToDraw('stepLaw', options, 200)
  const vocabSize = p.length
  const reweighted = ({ code, weight }: Weighted<Code>): StepMember => {
    const q = new Float64Array(vocabSize)
    watermark.reweight(p, code, q)
    return { q, weight }
  }
  const listed = listCodes(watermark, vocabSize)
  if (listed) return { members: merged(listed.map(reweighted)), exact: true }
  if (watermark.choose) {
    const orbit = weightedOrbit(watermark, drawCode(watermark, 'any', vocabSize), p)
    if (orbit) return { members: merged(orbit.map(reweighted)), exact: true }
  }
  const sampled = Array.from({ length: keys }, (_, i) => {
    const code = drawCode(watermark, `${seed}/${i}`, vocabSize)
    return reweighted({ code, weight: 1 / keys })
  })
  return { members: merged(sampled), exact: false }
}
