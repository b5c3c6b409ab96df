/**
 * A reweight may carry a faster way to do many codes at once, as its property: what a watermark in another process has. It belongs to
 * the function: whoever declares another reweight is not left with the old one. Texts under several keys are then written in step,
 * position by position.
 */
import { Expansion, keySchedule, labelSeed } from '../keys/index.ts'
import type { Cursor } from '../keys/rule.ts'
import type { KeySchedule } from '../keys/schedule.ts'
import { codeAt, type Watermark } from '../watermark.ts'

export interface ManyRows<Code> {
  /** Writes q = F(p, code) for each code, row after row. */
  many?(p: Float64Array, codes: readonly Code[], out: Float64Array): void
}

/** One of several texts, as an embedder would follow it. */
export interface TextInStep {
  readonly schedule: KeySchedule
  readonly cursor: Cursor
  readonly tokens: number[]
  /** The context of each position, undefined where the rule marks nothing. */
  readonly contexts: (string | undefined)[]
}

/** Begins a text under a key, which also seeds its own randomness. */
export const beginInStep = <Code>(
  { domain, context }: Pick<Watermark<Code>, 'domain' | 'context'>,
  key: string,
  prompt: readonly number[] = [],
): TextInStep => ({
  schedule: keySchedule(key, domain),
  cursor: context.begin(new Expansion(labelSeed('text', key))),
  tokens: [...prompt],
  contexts: [],
})

/** The distribution of each text's next token: q, or p where the rule marks nothing. Texts with the same p are asked for together. */
export function stepTogether<Code>(
  watermark: Watermark<Code>,
  texts: readonly TextInStep[],
  ps: readonly Float64Array[],
  many: NonNullable<ManyRows<Code>['many']>,
): Float64Array[] {
  const out = [...ps]
  const groups = new Map<
    string,
    { readonly p: Float64Array; readonly at: number[]; readonly codes: Code[] }
  >()
  for (const [i, { schedule, cursor, tokens, contexts }] of texts.entries()) {
    const [p, context] = [ps[i]!, cursor.next(tokens)]
    contexts.push(context?.join())
    if (context === undefined) continue
    const name = p.join()
    const group = groups.get(name) ?? { p, at: [], codes: [] }
    groups.set(name, group)
    group.at.push(i)
    group.codes.push(codeAt(watermark, schedule, p.length, context))
  }
  for (const { p, at, codes } of groups.values()) {
    const rows = new Float64Array(codes.length * p.length)
    many(p, codes, rows)
    for (const [row, i] of at.entries()) out[i] = rows.subarray(row * p.length, (row + 1) * p.length)
  }
  return out
}

/** Tells a text which token was drawn. */
export function drew({ cursor, tokens }: TextInStep, token: number, probability: number): void {
  cursor.drew?.(token, probability)
  tokens.push(token)
}
