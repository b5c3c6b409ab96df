/** Texts whose masked positions a model writes anew, side by side. */

import { checkTokens, type Stream, seededRandom } from '../../core/keys/index.ts'
import { integer, outOfRange } from '../../input.ts'
import type { LanguageModel } from '../decode/language-model.ts'
import { draw, type Sampling, type Warp, warper } from '../decode/warp.ts'
import { type Attack, type AttackOptions, attacked, checkAttackOptions } from './attack.ts'

/** A text while it is rewritten. */
interface Rewriting extends Mask {
  readonly context: readonly number[]
  readonly tokens: number[]
  readonly stream: Stream
  /** Tokens that are never drawn. */
  readonly banned: ReadonlySet<number>
  /** The position whose logits come next. */
  at: number
  /** After the last masked position; the rest stays as it is. */
  readonly end: number
}

/** The positions of a text that are written anew. */
interface Mask {
  readonly masked: ReadonlySet<number>
  /** Takes the mass from tokens that may not come next, at position `at`. */
  readonly restrict?: (p: Float64Array, at: number) => void
}

/** Returns the end of a prompt that fits before a text of `length` tokens. */
function fitting(model: LanguageModel, prompt: ArrayLike<number>, length: number): number[] {
  const room = model.maxLength - length
  return room === 0 ? [] : Array.from(prompt).slice(-room)
}

/** Prints the sampling options of an id: `,temperature=0.5,topK=3`. */
export const samplingSuffix = (sampling: Sampling): string =>
  Object.entries(sampling)
    .map(([name, value]) => `,${name}=${value}`)
    .sort()
    .join('')

/** The settings of an attack by rewriting. */
interface Rewriter {
  readonly model: LanguageModel
  /** Name and parameters, as in `rewrite(strength=0.4,span=10`. */
  readonly id: string
  readonly sampling: Sampling
  /** Texts rewritten side by side. */
  readonly batchSize: number
  /** Chooses the positions of a text that are written anew. */
  readonly mask: (tokens: readonly number[], stream: Stream) => Mask
}

/** An attack that rewrites many texts at once. */
type BatchAttack = Attack & Required<Pick<Attack, 'applyAll'>>

/** Makes the attack in which a model rewrites the masked positions of texts. */
export function rewriting({ model, id: start, sampling, batchSize, mask }: Rewriter): BatchAttack {
  integer('batchSize', batchSize, 1)
  if (model.kind !== 'causal') throw outOfRange('model', 'a causal language model', model.kind)
  const warp = warper(sampling) // checks the values before the id shows them
  const id = `${start}${samplingSuffix(sampling)})`
  const plan = (text: ArrayLike<number>, given: AttackOptions): Rewriting => {
    const { seed, prompt = [], exclude = [] } = checkAttackOptions(given)
    checkTokens(text, model.vocabSize)
    checkTokens(prompt, model.vocabSize, 'prompt')
    if (text.length > model.maxLength)
      throw outOfRange('tokens', `at most ${model.maxLength}, the length of the model`, text.length)
    const stream = seededRandom(seed, 'attack', id)
    const tokens = Array.from(text)
    const { masked, ...rest } = mask(tokens, stream)
    return {
      ...rest,
      masked,
      context: fitting(model, prompt, text.length),
      tokens,
      stream,
      banned: new Set([...model.endTokens, ...exclude]),
      at: masked.size === 0 ? 0 : Math.min(...masked),
      end: masked.size === 0 ? 0 : Math.max(...masked) + 1,
    }
  }
  const applyAll: BatchAttack['applyAll'] = async (texts) => {
    const rewritings = texts.map(({ tokens, options }) => plan(tokens, options))
    for (let start = 0; start < rewritings.length; start += batchSize)
      await regenerate(model, rewritings.slice(start, start + batchSize), warp)
    return rewritings.map(({ tokens }, i) => attacked(texts[i]!.tokens, tokens))
  }
  return { id, applyAll, apply: async (tokens, options) => (await applyAll([{ tokens, options }]))[0]! }
}

async function regenerate(model: LanguageModel, rewritings: readonly Rewriting[], warp: Warp): Promise<void> {
  let live = rewritings.filter(({ end }) => end > 0)
  if (live.length === 0) return
  const p = new Float64Array(model.vocabSize)
  const session = await model.begin(
    live.map(({ context, tokens, at }) => [...context, ...tokens.slice(0, at)]),
  )
  try {
    for (;;) {
      live.forEach((text, row) => {
        if (text.masked.has(text.at)) {
          warp(session.logits, row * model.vocabSize, p)
          text.tokens[text.at] = drawAllowed(p, text)
        }
        text.at++
      })
      const rows = live.flatMap(({ at, end }, row) => (at < end ? [row] : []))
      if (rows.length === 0) return
      if (rows.length < live.length) session.select(rows)
      live = rows.map((row) => live[row]!)
      await session.step(live.map(({ tokens, at }) => tokens[at - 1]!))
    }
  } finally {
    session.dispose()
  }
}

/** Draws from p given that the token is allowed; where no allowed token has mass, the token that is there stays. */
function drawAllowed(p: Float64Array, { banned, restrict, stream, tokens, at }: Rewriting): number {
  for (const token of banned) if (token < p.length) p[token] = 0
  restrict?.(p, at)
  let mass = 0
  for (let i = 0; i < p.length; i++) mass += p[i]!
  const u = stream.uniform()
  return mass > 0 ? draw(p, u * mass) : tokens[at]!
}
