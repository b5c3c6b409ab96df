/** Texts whose masked positions a model writes anew, side by side. */
import { outOfRange } from '../input.ts'
import type { Stream } from '../keys/stream.ts'
import { checkTokens } from '../keys/tokens.ts'
import type { LanguageModel } from '../models/language-model.ts'
import { draw, type Warp } from '../models/warp.ts'
import { type Attack, type AttackOptions, attacked, checkAttackOptions } from './attack.ts'

/** A text while it is rewritten. */
export interface Rewriting {
  readonly context: readonly number[]
  readonly tokens: number[]
  /** The positions that are written anew. */
  readonly masked: ReadonlySet<number>
  readonly stream: Stream
  /** Takes the mass from tokens that may not come next, at position `at`. */
  readonly restrict: (p: Float64Array, at: number) => void
  /** The position whose logits come next. */
  at: number
  /** After the last masked position; the rest stays as it is. */
  readonly end: number
}

/** What of a prompt fits before a text: its end. */
export function fitting(model: LanguageModel, prompt: ArrayLike<number>, length: number): number[] {
  const room = model.maxLength - length
  return room === 0 ? [] : Array.from(prompt).slice(-room)
}

/** How a model rewrites texts. */
interface Rewriter {
  readonly id: string
  readonly model: LanguageModel
  readonly warp: Warp
  /** Texts rewritten side by side. */
  readonly batchSize: number
  /** Which positions of a text are written anew, and from what. */
  readonly plan: (text: ArrayLike<number>, options: AttackOptions) => Rewriting
}

/** The attack that rewrites texts by a plan. */
export function rewriting({
  id,
  model,
  warp,
  batchSize,
  plan,
}: Rewriter): Attack & Required<Pick<Attack, 'applyAll'>> {
  const applyAll: NonNullable<Attack['applyAll']> = async (texts) => {
    const rewritings = texts.map(({ tokens, options: given }) => {
      const options = checkAttackOptions(given)
      checkTokens(tokens, model.vocabSize)
      if (options.prompt !== undefined) checkTokens(options.prompt, model.vocabSize, 'prompt')
      if (tokens.length > model.maxLength)
        throw outOfRange('tokens', `at most ${model.maxLength}, the length of the model`, tokens.length)
      return plan(tokens, options)
    })
    for (let start = 0; start < rewritings.length; start += batchSize)
      await regenerate(model, rewritings.slice(start, start + batchSize), warp)
    return rewritings.map(({ tokens }, i) => attacked(texts[i]!.tokens, tokens))
  }
  return {
    id,
    applyAll,
    apply: async (tokens, options) => (await applyAll([{ tokens, options }]))[0]!,
  }
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

/** A draw from p given that the token is allowed; where no allowed token has mass, the token that is there stays. */
function drawAllowed(p: Float64Array, { restrict, stream, tokens, at }: Rewriting): number {
  restrict(p, at)
  let mass = 0
  for (let i = 0; i < p.length; i++) mass += p[i]!
  const u = stream.uniform()
  return mass > 0 ? draw(p, u * mass) : tokens[at]!
}
