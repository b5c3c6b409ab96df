/**
 * UPV (Liu et al. 2024), the generator's half: a network reads the codes of the token before and of a candidate, ten bits each, and says whether the candidate is green. Green tokens get
 * delta added to their logits. Biased.
 *
 * The published code of a token is its id, and the network is the key. Here the network is public (it was trained by scripts/train-networks.mjs, see reports/learned-lists.md), the token before
 * has its id modulo 1024 as its code, and the code of a candidate is secret and random: that gives p-values an exact law. The public detector, a network that answers yes or no, is left out.
 */
import { ngram } from '../core/keys/index.ts'
import { defineMethod, parameter } from '../core/method/index.ts'
import { greenTests } from './mechanisms/green.ts'
import { type LearnedLists, type List, learned } from './mechanisms/learned-lists.ts'
import { layer, relu } from './mechanisms/network.ts'
import { upvNetwork } from './mechanisms/upv-network.ts'

const CODES = 2 ** upvNetwork.bits
/** Added to the variance of one token by the published test. */
const SPREAD = 0.01 ** 2

/** Returns the list after each code, made when first asked for. */
function lists(): (code: number) => List {
  let parts: { fromContext: Float64Array[]; fromCandidate: Float64Array[] } | undefined
  const last = layer(upvNetwork.last)
  const load = () => {
    const [first, ...more] = upvNetwork.sub.map(layer)
    const embed = (code: number): Float64Array => {
      const bits = Array.from({ length: upvNetwork.bits }, (_, i) => (code >>> (upvNetwork.bits - 1 - i)) & 1)
      return more.reduce((state, next) => next(relu(state)), first!(bits))
    }
    const embedded = Array.from({ length: CODES }, (_, code) => embed(code))
    return {
      fromContext: embedded.map(layer(upvNetwork.context)),
      fromCandidate: embedded.map(layer(upvNetwork.candidate)),
    }
  }
  const made: List[] = []
  return (code) => {
    parts ??= load()
    const { fromContext, fromCandidate } = parts
    made[code] ??= Uint8Array.from(fromCandidate, (candidate) => {
      const mixed = candidate.map((value, i) => value + fromContext[code]![i]!)
      return last(relu(mixed))[0]! > 0 ? 1 : 0
    })
    return made[code]
  }
}

const listAfterCode = lists()

/** The lists of UPV, and its published test: z = (g - T/2) / sqrt(T (1/4 + 0.01^2)). */
export const upvLists: LearnedLists = {
  classes: CODES,
  // a context of another length has one code as well
  listAfter: (context) => listAfterCode((context.at(-1) ?? 0) & (CODES - 1)),
  published(green, counted) {
    const z = (green - counted / 2) / Math.sqrt(counted * (1 / 4 + SPREAD))
    return { statistic: z, z }
  },
}

/**
 * UPV (Liu et al., 2024): green lists that a trained network makes of the token before. Biased: a control.
 * @example upv({ delta: 2 }).unbiased // false
 */
export const upv = defineMethod('upv', {
  parameters: {
    /** Added to the logits of green tokens. */
    delta: parameter.number(0, 100, { default: 2 }),
    /** 'guaranteed': the exact tail, over secret codes of tokens. 'published': the normal z of the published code; it promises nothing. */
    detector: parameter.oneOf(greenTests),
  },
  rows: [], // not in the paper
  make: ({ delta, detector }) => ({
    ...learned(upvLists, delta, detector),
    // tokens share codes, and so contexts do
    context: { ...ngram(1, { repeated: 'reuse' }), sharesCodes: true },
  }),
})
