/**
 * One distribution over few tokens under scrambled nets instead of keys: the bets of projection-test.ts on means over blocks. Each block mean lies in
 * [0, 1] and has expectation p(A) if the watermark is unbiased, so the false alarm is the same; block means spread little, so far smaller biases
 * show. This is about the map from words to q; that keys give such words is for keys-test.ts. A code that reads the key itself has blocks of keys
 * in place of points: they spread as keys do, and small biases show where q varies little, as that of a weak green list does.
 *
 * The spread depends on the code, so a pilot measures it and picks which end of the words is spread evenly, the size of a block, and the smallest
 * bias that the work allows. The bets begin after the pilot.
 */
import { targetLaw } from '../../core/embed/index.ts'
import { type Context, seededRandom } from '../../core/keys/index.ts'
import type { Watermark } from '../../watermark.ts'
import { codesOf, contextsOf, secretKey } from './codes.ts'
import type { Rates } from './engine/bounds.ts'
import { ScrambledNet } from './engine/net.ts'
import { ProjectionTest } from './engine/projection-test.ts'
import { digits, type KeysFinding } from './keys-test.ts'
import type { Trial } from './law.ts'
import { type TokenSets, tokenSets } from './token-sets.ts'

/** Bits of the sizes of blocks that the pilot tries, and the blocks of each. */
const SIZES = [4, 5, 6, 7, 8] as const
const PILOT = 24
/** Contexts of marked positions among which each block takes one. */
const CONTEXTS = 64
/** Points that refuting a bias may take: a larger bias is promised where the smallest would take more. */
const WORK = 2 ** 21
/** The same of keys, which cost more than points. */
const KEYED_WORK = 2 ** 16
const LADDER = [1, 2, 5, 10] as const
/** An alarm takes this many times the evidence of a refutation. */
const ALARM = 8

const NO_KEY = new Uint8Array(0)

/** Runs blocks of a net, or of keys, through a watermark. */
class Blocks<Code> {
  readonly net: ScrambledNet
  points = 0
  readonly #watermark: Watermark<Code>
  readonly #p: Float64Array
  readonly #q: Float64Array
  readonly #mean: Float64Array
  readonly #sets: TokenSets
  readonly contexts: readonly Context[]
  readonly #stream
  readonly #seed: number

  constructor(watermark: Watermark<Code>, p: Float64Array, sets: TokenSets, seed: number) {
    this.#watermark = watermark
    this.#p = p
    this.#seed = seed
    this.#sets = sets
    this.#q = new Float64Array(p.length)
    this.#mean = new Float64Array(p.length)
    this.#stream = seededRandom(seed, 'nets')
    this.contexts = contextsOf(watermark, p.length, CONTEXTS, this.#stream)
    this.net = new ScrambledNet(this.#stream, SIZES[0])
  }

  /** Writes the mean of each q(A) over one block. */
  next(out: Float64Array): void {
    const { net } = this
    const { size } = net
    const context = this.contexts[this.#stream.below(this.contexts.length)]!
    const mean = this.#mean.fill(0)
    net.begin()
    for (let i = 0; i < size; i++) {
      net.point(i)
      this.#q.fill(Number.NaN)
      this.#watermark.reweight(this.#p, this.#code(i, context), this.#q)
      for (let token = 0; token < mean.length; token++) mean[token]! += this.#q[token]! / size
    }
    this.#sets.project(mean, out)
    this.points += size
  }

  /** The code of the next point, or of the next key. */
  #code(i: number, context: Context): Code {
    const { random, shared } = this.net
    const { length } = this.#p
    if (!this.#watermark.needsKey)
      return this.#watermark.draw(random, length, { shared, context, key: NO_KEY })
    return codesOf(this.#watermark, secretKey(this.#seed, this.points + i), length, [context])[0]!
  }

  /** The largest variance of a block mean. */
  spread(bits: number, fromLow: boolean): number {
    this.net.resize(bits, fromLow)
    const { means } = this.#sets
    const mean = new Float64Array(means.length)
    const squares = new Float64Array(means.length)
    // words get their coordinates
    this.next(mean)
    for (let n = 0; n < PILOT; n++) {
      this.next(mean)
      for (let j = 0; j < mean.length; j++) squares[j]! += (mean[j]! - means[j]!) ** 2
    }
    return Math.max(...squares) / PILOT
  }
}

/** A guess, about the refutation of a bias at the mean that takes longest: nats over the growth of the best bet. */
function blocksFor(bias: number, variance: number, nats: number): number {
  const stake = Math.min(0.9, bias / variance)
  return nats / (stake * bias - (stake * stake * variance) / 2)
}

interface NetPlan {
  readonly bits: number
  readonly fromLow: boolean
  readonly bias: number
}

/** Returns the blocks to take, and the bias to look for, by the spread that a pilot saw; undefined where nets do not help. */
function planOf<Code>(
  blocks: Blocks<Code>,
  { bias, miss }: Pick<Rates, 'bias' | 'miss'>,
  most: number,
): NetPlan | undefined {
  const nats = Math.log(2 / miss)
  const largest = SIZES.at(-1)!
  const fromLow = blocks.spread(largest, true) < blocks.spread(largest, false)
  const spreads = SIZES.map((bits) => ({ bits, variance: blocks.spread(bits, fromLow) }))
  for (const factor of LADDER) {
    const works = spreads.map(({ bits, variance }) => ({
      bits,
      work: 2 ** bits * blocksFor(factor * bias, variance, nats),
    }))
    const { bits, work } = works.reduce((a, b) => (b.work < a.work ? b : a))
    if (work <= most) return { bits, fromLow, bias: factor * bias }
  }
  return undefined
}

/** The finding of a test with nets. */
export interface NetsFinding extends KeysFinding {
  /** The bias that was refuted, but for the miss rate; absent if the test ended before. */
  readonly refuted?: number
}

/**
 * Tests the mean of q over scrambled nets, or over keys where the code reads the key itself; undefined where no position is marked, or q varies
 * so much that this is no better than the test of all positions.
 * @param rates with the smallest bias to look for
 */
export async function netsTest<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  seed: number,
  rates: Rates,
  trial: Pick<Trial, 'breathe'>,
  refuted = 0,
): Promise<NetsFinding | undefined> {
  const sets = tokenSets(targetLaw(watermark, p), seed)
  if (sets.count === 0) return undefined
  const work = watermark.needsKey ? KEYED_WORK : WORK
  const blocks = new Blocks(watermark, p, sets, seed)
  const plan = blocks.contexts.length === 0 ? undefined : planOf(blocks, rates, work)
  if (plan === undefined) return undefined
  const { bits, fromLow, bias } = plan
  blocks.net.resize(bits, fromLow)
  const { means, rounding } = sets
  const keys = Math.ceil((ALARM * work) / 2 ** bits)
  const test = new ProjectionTest(means, [{ share: 1, bias, keys }], rates, {
    rounding,
    refuted,
    prior: 4 / 2 ** bits,
  })
  const mean = new Float64Array(means.length)
  while (test.verdict === undefined) {
    blocks.next(mean)
    test.add([0], mean)
    const pause = trial.breathe()
    if (pause !== undefined) await pause
  }
  const { projection } = test.best()
  const { words, mass, isComplement } = sets.describe(projection)
  const deviation = test.deviation(0, projection) * (isComplement ? -1 : 1)
  const { verdict, isSuspicious } = test
  const isRefuted = verdict === 'holds' && test.isRefuted(0)
  return {
    marked: true,
    taken: blocks.points,
    verdict,
    observed: verdict === 'fails' ? Math.abs(deviation) : test.largest(0),
    where: `${words} (p ${digits(mass)}, mean of q ${digits(mass + deviation)}), over ${watermark.needsKey ? 'keys' : 'words that fill a net'}`,
    ...(isSuspicious && { suspicious: { estimate: deviation, error: test.error(0, projection) } }),
    ...(isRefuted && { refuted: bias }),
  }
}
