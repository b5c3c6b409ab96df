/** One distribution under random keys: is the mean of q equal to p, on every set of the family, in every class of positions? */
import { targetLaw } from '../../core/embed/index.ts'
import { type Context, Expansion, keySchedule, seededRandom } from '../../core/keys/index.ts'
import { codeAt, reweightMany, type Watermark } from '../../watermark.ts'
import { secretKey } from './codes.ts'
import type { Rates, Verdict } from './engine/bounds.ts'
import { LearnedSet } from './engine/learned-set.ts'
import type { Running } from './engine/mean-test.ts'
import {
  type ProjectionClass,
  ProjectionTest,
  projectionBias,
  projectionKeys,
} from './engine/projection-test.ts'
import type { Suspicion, Trial } from './law.ts'
import { closeLanes, coarseLanes, type Lane, type Places, placesOf } from './positions.ts'
import type { ReweightMany } from './texts-in-step.ts'
import { type TokenSets, tokenSets } from './token-sets.ts'

/** Shares of the wealth: lanes as wholes, their slots, learned sets. */
const SHARES = { lanes: 1 / 2, slots: 1 / 4, learned: 1 / 4 }
/** Up to this many tokens, every class of positions is looked at. */
const CLOSE = 16
/** Texts without a marked position after which a rule is taken to mark none, or no more. */
const PATIENCE = 200
/** The most keys that one text serves, and the fewest texts of a test that takes all its keys. */
const KEYS_PER_TEXT = 64
const TEXTS = 512
/** Keys whose rows are asked for at once, where a watermark can do several. */
const KEYS_AT_ONCE = 64
/** Ids of a learned set that are shown. */
const SHOWN = 8

export const lanesFor = (vocabSize: number): readonly Lane[] =>
  vocabSize <= CLOSE ? closeLanes : coarseLanes

interface LaneClasses {
  /** The class of all its samples, and the class of each slot. */
  readonly whole: number
  readonly slots: readonly number[]
}

/** The classes of a test, with what each promises. */
export function classesOf(
  means: Float64Array,
  lanes: readonly Lane[],
  rates: Rates,
  rounding: number,
): { readonly classes: ProjectionClass[]; readonly lanes: LaneClasses[] } {
  const classes: ProjectionClass[] = []
  const share = SHARES.lanes / lanes.length
  const keys = projectionKeys(means, share, rates, rounding)
  const slotShare = SHARES.slots / lanes.reduce((n, { slots }) => n + slots.length, 0)
  const indexed = lanes.map(({ slots }) => {
    const whole = classes.push({ share, keys, bias: rates.bias }) - 1
    const slotKeys = Math.max(1, Math.ceil(keys / slots.length))
    const bias = Math.max(rates.bias, projectionBias(means, slotShare, slotKeys, rates, rounding))
    return {
      whole,
      slots: slots.map(() => classes.push({ share: slotShare, keys: slotKeys, bias, within: whole }) - 1),
    }
  })
  return { classes, lanes: indexed }
}

export interface KeysFinding extends Running {
  /** True if any position was marked: else there is nothing to test. */
  readonly marked: boolean
  /** On which set and where, in words; of a failure. */
  readonly where: string
  /** Set where the test holds although zero lies outside its confidence sequence. */
  readonly suspicious?: Suspicion
}

export const digits = (x: number): string => `${Math.abs(x) < 1e-9 ? 0 : +x.toPrecision(3)}`

/** Draws codes as keys do and tests the mean of q. */
class KeysTest<Code> implements KeysFinding {
  taken = 0
  marked = false
  readonly #watermark: Watermark<Code>
  readonly #p: Float64Array
  readonly #sets: TokenSets
  readonly #lanes: readonly Lane[]
  readonly #classes: LaneClasses[]
  readonly #test: ProjectionTest
  readonly #learned: LearnedSet[]
  readonly #q: Float64Array
  readonly #x: Float64Array
  readonly #random = new Expansion()
  /** Keys after which a point mass, on which there is nothing to bet, is taken to stay one. */
  readonly #plain: number
  readonly keysPerText: number

  constructor(watermark: Watermark<Code>, p: Float64Array, seed: number, rates: Rates, refuted: number) {
    this.#watermark = watermark
    this.#p = p
    this.#lanes = lanesFor(p.length)
    const law = targetLaw(watermark, p)
    this.#sets = tokenSets(law, seed)
    const { means, rounding, count } = this.#sets
    const { classes, lanes } = classesOf(means, this.#lanes, rates, rounding)
    this.#classes = lanes
    this.#test = new ProjectionTest(means, classes, rates, { rounding, refuted })
    const share = SHARES.learned / lanes.length
    // where every set is named, none need be learned
    this.#learned = this.#sets.isEvery ? [] : lanes.map(() => new LearnedSet(law, share, rounding))
    this.#q = new Float64Array(p.length)
    this.#x = new Float64Array(count)
    // mass elsewhere is present with probability at least `bias` per key
    this.#plain =
      count > 0 ? Number.POSITIVE_INFINITY : Math.ceil(Math.log(rates.miss) / Math.log1p(-rates.bias))
    this.keysPerText = Math.min(KEYS_PER_TEXT, Math.max(1, Math.floor((classes[0]?.keys ?? 0) / TEXTS)))
  }

  get verdict(): Verdict | undefined {
    return this.taken >= this.#plain ? 'holds' : this.#test.verdict
  }

  /** Takes one key: a position from each lane that the text has one for. */
  add(key: string, places: Places): void {
    const schedule = keySchedule(key, this.#watermark.domain)
    this.taken++
    for (const [l, contexts] of places.entries()) {
      const slot = this.#nextSlot(l, contexts)
      if (slot === undefined) continue
      const code = codeAt(
        this.#watermark,
        schedule,
        this.#p.length,
        contexts[slot]!,
        schedule.random(contexts[slot]!, this.#random),
      )
      this.#q.fill(Number.NaN)
      this.#watermark.reweight(this.#p, code, this.#q)
      this.#take(l, slot, this.#q)
      if (this.#test.verdict !== undefined) return
    }
  }

  /** The same for several keys, whose rows are asked for at once. */
  addMany(keys: readonly string[], places: Places, many: ReweightMany<Code>): void {
    const { length } = this.#p
    const asked: { readonly lane: number; readonly slot: number; readonly code: Code }[] = []
    const waiting = new Map<number, number>()
    for (const key of keys) {
      const schedule = keySchedule(key, this.#watermark.domain)
      for (const [lane, contexts] of places.entries()) {
        const slot = this.#nextSlot(lane, contexts, waiting)
        if (slot === undefined) continue
        const inClass = this.#classes[lane]!.slots[slot]!
        waiting.set(inClass, (waiting.get(inClass) ?? 0) + 1)
        asked.push({ lane, slot, code: codeAt(this.#watermark, schedule, length, contexts[slot]!) })
      }
    }
    const rows = new Float64Array(asked.length * length).fill(Number.NaN)
    many(
      this.#p,
      asked.map(({ code }) => code),
      rows,
    )
    this.taken += keys.length
    for (const [i, { lane, slot }] of asked.entries()) {
      this.#take(lane, slot, rows.subarray(i * length, (i + 1) * length))
      if (this.#test.verdict !== undefined) return
    }
  }

  /** Of the slots with a marked position the one that had fewest samples, those that are `waiting` for theirs included. */
  #nextSlot(
    lane: number,
    contexts: readonly (Context | undefined)[],
    waiting?: ReadonlyMap<number, number>,
  ): number | undefined {
    let next: number | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [slot, context] of contexts.entries()) {
      const inClass = this.#classes[lane]!.slots[slot]!
      const count = this.#test.count(inClass) + (waiting?.get(inClass) ?? 0)
      if (context === undefined || count >= fewest) continue
      fewest = count
      next = slot
    }
    return next
  }

  #take(lane: number, slot: number, q: Float64Array): void {
    const nonzero = this.#sets.project(q, this.#x)
    if (this.#x.length === 0) return
    this.#learned[lane]?.add(q, nonzero)
    const { whole, slots } = this.#classes[lane]!
    this.#test.add([whole, slots[slot]!], this.#x, this.#learned)
  }

  get observed(): number {
    if (this.#x.length === 0) return 0
    if (this.verdict === 'fails') return Math.abs(this.#best().deviation)
    return Math.max(...this.#classes.map(({ whole }) => this.#test.largest(whole)))
  }

  get suspicious(): Suspicion | undefined {
    if (!this.#test.isSuspicious) return undefined
    const { class: c, projection } = this.#test.best()
    return { estimate: this.#test.deviation(c, projection), error: this.#test.error(c, projection) }
  }

  get where(): string {
    const { words, mass, deviation, at } = this.#best()
    return `${words} (p ${digits(mass)}, mean of q ${digits(mass + deviation)}), at ${at}`
  }

  /** Describes the most successful bet. */
  #best(): { words: string; mass: number; deviation: number; at: string } {
    const best = this.#test.best()
    const learned = this.#learned.findIndex(({ share, wealth }) => share * wealth > best.wealth)
    if (learned >= 0) {
      const { tokens, ids, mass, q } = this.#learned[learned]!.describe(SHOWN)
      const list = `${ids.join(', ')}${tokens > ids.length ? ', ...' : ''}`
      return {
        words: `a learned set of ${tokens.toLocaleString('en')} tokens (${list})`,
        mass,
        deviation: q - mass,
        at: this.#lanes[learned]!.name,
      }
    }
    const { words, mass, isComplement } = this.#sets.describe(best.projection)
    const deviation = this.#test.deviation(best.class, best.projection) * (isComplement ? -1 : 1)
    const lane = this.#classes.findIndex(({ whole, slots }) => [whole, ...slots].includes(best.class))
    const slot = this.#classes[lane]!.slots.indexOf(best.class)
    const at = slot < 0 ? this.#lanes[lane]!.name : this.#lanes[lane]!.slots[slot]!.name
    return { words, mass, deviation, at }
  }
}

/**
 * Tests the mean of q over random secret keys, drawing codes as the embedder does.
 * @param seed where keys and texts come from
 * @param refuted the smallest bias that must be refuted before the test holds early, where it may be larger than the promised one
 */
export async function keysTest<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  seed: number,
  rates: Rates,
  trial: Pick<Trial, 'breathe'>,
  refuted = 0,
): Promise<KeysFinding> {
  const test = new KeysTest(watermark, p, seed, rates, refuted)
  const stream = seededRandom(seed, 'positions')
  const lanes = lanesFor(p.length)
  const many = reweightMany(watermark)
  let idle = 0
  let places: Places | undefined
  for (let turn = 0; test.verdict === undefined; turn++) {
    const found = placesOf(watermark, p.length, lanes, stream, turn)
    if (found.some((contexts) => contexts.some((context) => context !== undefined))) places = found
    else if (++idle < PATIENCE) continue
    if (places === undefined) break
    test.marked = true
    // where few texts are marked, one that is serves more keys: walking to it took long. It serves again where no text is marked any more
    const keys = test.keysPerText * (1 + idle)
    idle = 0
    for (let i = 0; i < keys && test.verdict === undefined; ) {
      const count = many === undefined ? 1 : Math.min(keys - i, KEYS_AT_ONCE)
      i += count
      if (many === undefined) test.add(secretKey(seed, test.taken), places)
      else {
        const names = Array.from({ length: count }, (_, k) => secretKey(seed, test.taken + k))
        test.addMany(names, places, many)
      }
      const pause = trial.breathe()
      if (pause !== undefined) await pause
    }
  }
  return test
}
