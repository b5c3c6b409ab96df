/**
 * Another key, or another context, gives another result. How often two codes differ is the watermark's business (with one
 * token in 300 green, most codes do nothing), so neither question assumes it:
 *
 * - **keys**: where the detector has power, texts are detected under their own key and not under another one. In a world in
 *   which a share of at least `power` is detected at level alpha, a text has the same result under an independent key with
 *   probability at most 1 - (power - alpha); n texts all have it with that to the n. "detectable" says that there is such a
 *   world, so only texts of all worlds together are evidence.
 * - **contexts**: two contexts of texts under one key, against the same two under independent keys. If contexts have codes of
 *   their own, the two comparisons are exchangeable: those in which one agrees and the other does not are fair coins.
 */
import { detect } from '../../core/detect/index.ts'
import { type Context, Expansion, labelSeed, type Stream, seededRandom, walk } from '../../core/keys/index.ts'
import { logBinomialTail } from '../../core/stats/index.ts'
import type { Watermark } from '../../watermark.ts'
import { randomTokens, secretKey } from './codes.ts'
import { Violation } from './for-all.ts'
import { behaviour, equal, sameDetection, VOCAB } from './hidden-state.ts'
import { generated } from './iid-texts.ts'
import type { Trial } from './law.ts'
import { ALPHA, searches } from './power.ts'

/** Throws where texts give the same result under another key, in every world; returns how many keys it took. */
export async function keyMatters<Code>(
  watermark: Watermark<Code>,
  level: number,
  trial: Trial,
): Promise<number> {
  const { worlds, power } = searches[trial.effort]
  const texts = Math.ceil(Math.log(level) / Math.log1p(ALPHA - power))
  let keys = 0
  for (const { vocabSize, length } of worlds)
    for (let i = 0; i < texts; i++) {
      // keys that differ in their last character only
      const [own, other] = ['a', 'b'].map((letter) => `${secretKey(trial.seed, i)}${letter}`)
      const tokens = generated(watermark, vocabSize, length, own!)
      const under = (key: string) => detect(watermark, tokens, { key, vocabSize, alpha: ALPHA })
      keys += 2
      if (!sameDetection(under(own!), under(other!))) return keys
      await trial.breathe()
    }
  throw new Violation(`another key gives the same result, for ${keys / 2} texts: the key is not mixed in`)
}

/** Tokens of the texts that contexts are taken from: enough for a rule that begins late or marks rarely. */
const LENGTH = 240
const EDITS = 24
/** Keys after which contexts that were never seen to differ are given up: most of their codes do nothing. */
const MAX_KEYS = 4000

/** Pairs of contexts that texts really have, one for each set of places in which two of them differ. */
export function contextPairs(
  { context: rule }: Pick<Watermark, 'context'>,
  stream: Stream,
): [Context, Context][] {
  const tokens = [...randomTokens(VOCAB, LENGTH, stream)]
  const along = (text: readonly number[]) => {
    const perText = new Expansion(labelSeed('contexts'))
    return Array.from(walk(rule, text, { perText }), (context) => context && [...context])
  }
  const own = along(tokens)
  const pairs = new Map<string, [Context, Context]>()
  const note = (a: Context | undefined, b: Context | undefined): void => {
    if (a === undefined || b === undefined || a.length !== b.length) return
    const places = a.flatMap((x, j) => (x === b[j] ? [] : [j])).join()
    if (places !== '' && !pairs.has(places)) pairs.set(places, [a, b])
  }
  for (let edit = 0; edit < EDITS; edit++) {
    const at = stream.below(LENGTH)
    const edited = along(tokens.with(at, (tokens[at]! + 1 + stream.below(VOCAB - 1)) % VOCAB))
    for (let t = at + 1; t < LENGTH; t++) note(own[t], edited[t])
  }
  // positions that no token decides, such as places in a list
  const marked = own.filter((context) => context !== undefined)
  for (let i = 1; i < marked.length; i++) note(marked[i - 1], marked[i])
  return [...pairs.values()]
}

/** Throws where two contexts always have the same code although codes differ; returns how many keys it took. */
function contextMatters<Code>(
  watermark: Watermark<Code>,
  [one, two]: [Context, Context],
  keys: number,
  level: number,
): number {
  let wealth = 1
  for (let i = 0; i < MAX_KEYS; i += 2) {
    const first = behaviour(watermark, secretKey(keys, i), one)
    if (!equal(first, behaviour(watermark, secretKey(keys, i), two))) return i
    // a coin came down on the side of "the same code"; on the other side all is lost, and the comparison over
    if (!equal(first, behaviour(watermark, secretKey(keys, i + 1), two))) wealth *= 2
    if (wealth >= 1 / level) throw new Violation(`contexts [${one}] and [${two}] always have the same code`)
  }
  return MAX_KEYS
}

/** The same for all ways in which contexts differ. */
export function contextsMatter<Code>(watermark: Watermark<Code>, keys: number, level: number): number {
  const pairs = contextPairs(watermark, seededRandom(keys, 'context pairs'))
  return pairs.reduce((taken, pair) => taken + contextMatters(watermark, pair, keys, level / pairs.length), 0)
}

/** The chance that contexts with one code are not found, where codes differ under a share of `rate` of keys. */
export function missOfContexts(rate: number, level: number): number {
  const [coins, trials] = [Math.ceil(Math.log2(1 / level)), MAX_KEYS / 2]
  return Math.exp(logBinomialTail(trials - coins + 1, trials, 1 - rate))
}
