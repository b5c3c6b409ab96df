/** Texts whose every position has a distribution of its own, drawn from a list, and how long they must be to be detected. */
import { embedder } from '../../src/core/embed/embedder.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import type { AnyWatermark } from '../../src/watermark.ts'

/** Every position has randomness of its own: contexts that are always fresh. */
const positions: ContextRule = {
  id: 'positions()',
  reach: 1,
  recurs: false,
  begin: () => ({ next: (tokens) => [tokens.length] }),
  scored: (tokens) => Array.from({ length: tokens.length }, (_, t) => [t]),
  follow: () => (_, t) => [t],
}

/** The same watermark with fresh contexts, where it reads contexts from the text. */
export const withFreshContexts = (watermark: AnyWatermark): AnyWatermark =>
  watermark.context.window === undefined ? watermark : { ...watermark, context: positions }

export interface Text {
  readonly key: string
  readonly tokens: number[]
  /** The distribution of each position. */
  readonly steps: Float64Array[]
}

/** The token at a place in [0, 1) of a distribution. */
function at(q: Float64Array, place: number): number {
  let rest = place
  for (let x = 0; x < q.length; x++) {
    rest -= q[x]!
    if (rest < 0) return x
  }
  return q.reduce((last, mass, x) => (mass > 0 ? x : last), 0)
}

/** Writes texts one token at a time, as long as they are asked for: the same tokens whatever is asked first. */
export class Texts {
  readonly texts: Text[]
  readonly vocabSize: number
  readonly #next: ((text: Text) => void)[]

  /** @param messages what the texts say, for a watermark that carries messages */
  constructor(
    watermark: AnyWatermark,
    distributions: readonly Float64Array[],
    count: number,
    messages?: readonly bigint[],
  ) {
    this.vocabSize = distributions[0]!.length
    const { vocabSize } = this
    this.texts = Array.from({ length: count }, (_, i) => ({ key: `text ${i}`, tokens: [], steps: [] }))
    this.#next = this.texts.map(({ key }, i) => {
      const random = seededRandom('texts', i)
      const text = embedder(watermark, { key, vocabSize, seed: i, check: false, message: messages?.[i] })
      const q = new Float64Array(vocabSize)
      return ({ tokens, steps }) => {
        const p = distributions[Math.floor(random.uniform() * distributions.length)]!
        text.reweight(tokens, p, q)
        const token = at(q, random.uniform())
        text.drew(token, p[token]!)
        tokens.push(token)
        steps.push(p)
      }
    })
  }

  /** The texts with at least n tokens. */
  upTo(n: number): readonly Text[] {
    for (const [i, text] of this.texts.entries()) while (text.tokens.length < n) this.#next[i]!(text)
    return this.texts
  }
}

/** The smallest length, to a part in `resolution`, at which 90% of texts are found; Infinity beyond `most`. */
export function lengthNeeded(
  texts: Texts,
  found: (text: Text, n: number) => boolean,
  most: number,
  resolution = 64,
): number {
  const enough = (n: number): boolean => {
    const all = texts.upTo(n)
    // who misses more than a tenth need not be asked to the end
    let [missed, allowed] = [0, Math.floor(all.length / 10)]
    return all.every((text) => found(text, n) || ++missed <= allowed)
  }
  let [no, yes] = [0, 4]
  while (!enough(yes)) {
    if (yes >= most) return Number.POSITIVE_INFINITY
    no = yes
    yes = Math.min(most, 2 * yes)
  }
  while (yes - no > Math.max(1, yes / resolution)) {
    const middle = Math.floor((no + yes) / 2)
    if (enough(middle)) yes = middle
    else no = middle
  }
  return yes
}
