/**
 * The law of whole texts under a watermark, averaged over keys, without sampling a key.
 *
 * A key that is a random oracle is a product of independent code choices, one per distinct context. So along one text
 *
 *   P(x) = product over unmarked t of p_t(x_t)  times  product over contexts c of  E_code prod_{t uses c} q_t(x_t)
 *
 * and the expectation is an average over the orbit of the code drawn for c. A context that is used once gives p_t(x_t); one
 * that is used twice gives a correlation that no single step shows.
 */
import { targetLaw } from '../../core/embed/index.ts'
import type { Context } from '../../core/keys/index.ts'
import type { Watermark } from '../../watermark.ts'
import { nextToken, type ToyModel, textsOf } from './arbitraries/index.ts'
import { membersFor } from './average.ts'
import { codesOf } from './codes.ts'
import { beginTexts } from './texts-in-step.ts'
import type { Opening } from './toy-world.ts'

/** q of every member of an orbit, one row per member. */
interface Rows {
  readonly weights: Float64Array
  readonly q: Float64Array[]
}

/** The codes that a text used, with their positions. */
type Uses = Map<string, { readonly context: Context; readonly steps: number[] }>

/** Follows one text and notes the context of each marked position. */
function usesAlong<Code>(
  watermark: Watermark<Code>,
  model: ToyModel,
  opening: Opening,
  text: readonly number[],
): Uses {
  const uses: Uses = new Map()
  let step = -1
  const note = (_: number, context: Context | undefined): void => {
    if (context === undefined || step < 0) return
    const known = uses.get(context.join())
    if (known === undefined) uses.set(context.join(), { context: [...context], steps: [step] })
    else known.steps.push(step)
  }
  const blank: Watermark = { ...watermark, draw: () => undefined, reweight: () => {} }
  const texts = beginTexts(blank, ['sequence'], { opening, note })
  for (step = 0; step < text.length; step++) {
    const p = nextToken(model, text.slice(0, step))
    texts.step([p])
    texts.drew(0, text[step]!, p[text[step]!]!)
  }
  return uses
}

/** The law over texts of `length` tokens, in the order of `textsOf`. */
export function sequenceLaw<Code>(
  watermark: Watermark<Code>,
  model: ToyModel,
  length: number,
  opening: Opening,
  key: string,
): Float64Array {
  const codes = new Map<string, Code>()
  const codeAt = (context: Context): Code => {
    const known = codes.get(context.join())
    if (known !== undefined) return known
    const code = codesOf(watermark, key, model.vocabSize, [context])[0]!
    codes.set(context.join(), code)
    return code
  }
  const cache = new Map<string, Rows>()
  /** q at p of every member of the orbit that the context's code has at the p of its first use. */
  const rowsAt = (context: Context, first: Float64Array, p: Float64Array): Rows => {
    const id = `${context.join()}|${first.join()}|${p.join()}`
    const known = cache.get(id)
    if (known !== undefined) return known
    const code = codeAt(context)
    const members = membersFor(watermark, code, first)
    const q: Float64Array[] = []
    const weights: number[] = []
    for (const member of members) {
      const row = new Float64Array(p.length)
      watermark.reweight(p, member.code, row)
      q.push(row)
      weights.push(member.weight)
    }
    const rows = { weights: Float64Array.from(weights), q }
    cache.set(id, rows)
    return rows
  }
  return Float64Array.from(textsOf(model.vocabSize, length), (text) => {
    const at = (t: number): Float64Array => nextToken(model, text.slice(0, t))
    // a text that the model never writes: that a watermark does not either is another law's
    if (text.some((token, t) => at(t)[token] === 0)) return 0
    const uses = usesAlong(watermark, model, opening, text)
    const marked = new Set([...uses.values()].flatMap(({ steps }) => steps))
    let mass = 1
    for (let t = 0; t < length; t++) if (!marked.has(t)) mass *= targetLaw(watermark, at(t))[text[t]!]!
    for (const { context, steps } of uses.values()) {
      const first = at(steps[0]!)
      const rows = steps.map((t) => rowsAt(context, first, at(t)))
      let sum = 0
      for (let m = 0; m < rows[0]!.weights.length; m++)
        sum += steps.reduce((product, t, k) => product * rows[k]!.q[m]![text[t]!]!, rows[0]!.weights[m]!)
      mass *= sum
    }
    return mass
  })
}
