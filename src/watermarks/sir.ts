/**
 * SIR (Liu et al. 2024): a network turns an embedding of the text so far into signs for 300 classes of tokens, similar signs for similar texts; classes with a
 * negative sign get delta added to their logits, and the others get it taken away. Each token has a random class, which is the key here. Biased.
 *
 * The network was trained by scripts/train-networks.mjs on embeddings of MiniLM and on those of `sirEmbedding`, which stands in for an encoder: it knows token ids and no words
 * (reports/learned-lists.md). The text so far are its full chunks of ten tokens, the last ten of them.
 */
import type { Context, ContextRule, Tokens } from '../core/keys/index.ts'
import { defineMethod, parameter } from '../core/method/index.ts'
import { greenTests } from './mechanisms/green.ts'
import { type LearnedLists, type List, learned } from './mechanisms/learned-lists.ts'
import { layer, relu } from './mechanisms/network.ts'
import { sirEmbedding } from './mechanisms/sir-embedding.ts'
import { sirNetwork } from './mechanisms/sir-network.ts'

/** Tokens of a chunk. The published code counts words. */
const CHUNK = 10
/** The most chunks that are embedded. Encoders cut long texts off too. */
const CHUNKS = 10
/** Tokens of context below which the published test counts no token. */
const LEAST = 40

/** The full chunks before position `at` of a text: one list for all positions of a chunk. */
function chunks(): (tokens: Tokens, start: number, at: number) => Context {
  let last: { readonly end: number; readonly context: Context } | undefined
  return (tokens, start, at) => {
    const end = start + CHUNK * Math.floor((at - start) / CHUNK)
    const length = Math.min(end - start, CHUNK * CHUNKS)
    if (last?.end !== end)
      last = { end, context: Array.from({ length }, (_, i) => tokens[end - length + i]!) }
    return last.context
  }
}

/** Contexts of SIR: the chunks that the text has filled, none at first. */
const chunkContexts: ContextRule = {
  id: `chunks(size=${CHUNK},most=${CHUNKS})`,
  reach: Number.POSITIVE_INFINITY,
  recurs: true,
  sharesCodes: true,
  freshUpTo: 1,
  begin() {
    const before = chunks()
    let start: number | undefined
    return {
      next(tokens) {
        start ??= tokens.length
        return before(tokens, start, tokens.length)
      },
    }
  },
  scored(tokens, skip) {
    const before = chunks()
    return Array.from({ length: tokens.length }, (_, t) =>
      skip(tokens[t]!) ? undefined : before(tokens, 0, t),
    )
  },
}

/** Returns the classes that are green by an embedding. */
const listOf = (() => {
  let network: ((embedding: Float64Array) => Float64Array) | undefined
  const load = () => {
    const [first, last] = [layer(sirNetwork.first), layer(sirNetwork.last)]
    const inner = sirNetwork.inner.map(layer)
    return (embedding: Float64Array) =>
      last(
        inner.reduce((state, next) => {
          const more = relu(next(state))
          return state.map((value, i) => value + more[i]!)
        }, first(embedding)),
      )
  }
  return (embedding: Float64Array): List => {
    network ??= load()
    const out = network(embedding)
    const mean = out.reduce((sum, value) => sum + value, 0) / out.length
    // the published sign is tanh(1000 (out - mean)), which delta is multiplied by and then taken away
    return Uint8Array.from(out, (value) => (value > mean ? 0 : 1))
  }
})()

/** Lists by their contexts, while they are few: the same text is often asked about under many keys. */
const known = new Map<string, List>()
const MOST_KNOWN = 1024

function listAfter(context: Context): List {
  const name = context.join()
  let list = known.get(name)
  if (list === undefined) {
    list = listOf(sirEmbedding(context))
    if (known.size === MOST_KNOWN) known.clear()
    known.set(name, list)
  }
  return list
}

/** The lists of SIR, and its published score: the mean of the signs, which has no law; z takes signs for independent fair ones. */
export const sirLists: LearnedLists = {
  classes: sirNetwork.last.outputs,
  listAfter,
  isCounted: (context) => context.length >= LEAST,
  published(green, counted) {
    const mean = (2 * green - counted) / counted
    return { statistic: mean, z: mean * Math.sqrt(counted) }
  },
}

/**
 * SIR (Liu et al., 2024): green lists that a trained network makes of an embedding of the text so far. Biased: a control.
 * @example sir({ delta: 1 }).unbiased // false
 */
export const sir = defineMethod('sir', {
  parameters: {
    /** Added to the logits of green tokens, and taken away from those of the others. */
    delta: parameter.number(0, 100, { default: 1 }),
    /** 'guaranteed': the exact tail, over secret classes of tokens. 'published': the published score, and a normal z for it; it promises nothing. */
    detector: parameter.oneOf(greenTests),
  },
  rows: [], // not in the paper
  make: ({ delta, detector }) => ({ ...learned(sirLists, 2 * delta, detector), context: chunkContexts }),
})
