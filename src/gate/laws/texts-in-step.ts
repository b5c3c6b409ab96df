/**
 * Texts under several keys, written in step, position by position: a watermark that does many rows at once, such as one in
 * another process, is asked once per position.
 */
import { targetLaw } from '../../core/embed/index.ts'
import { type Context, Expansion, keySchedule, labelSeed } from '../../core/keys/index.ts'
import { codeAt, type FastPaths, reweightMany, type Watermark } from '../../watermark.ts'
import { SURPRISE } from './codes.ts'
import type { Opening } from './toy-world.ts'

/** Writes q = F(p, code) for each code, row after row. */
export type ReweightMany<Code> = NonNullable<FastPaths<Code>['reweightMany']>

/** Names the keys from number `from` on whose rows are asked for at once: `most`, or one where rows are made one by one. */
export const keysAtOnce = <Code>(
  watermark: Watermark<Code>,
  most: number,
  keyOf: (index: number) => string,
  from: number,
): string[] =>
  Array.from({ length: reweightMany(watermark) === undefined ? 1 : most }, (_, i) => keyOf(from + i))

/** Texts that are written in step. */
export interface TextsInStep {
  /** Prompt, forced and generated tokens of each text. */
  readonly tokens: readonly number[][]
  /** Returns the distribution of each text's next token: q, or what is decoded from p where the rule marks nothing. Valid until the next step. */
  step(ps: readonly Float64Array[]): readonly Float64Array[]
  /** Tells text `i` which token was drawn, and its probability under the model. */
  drew(i: number, token: number, probability: number): void
}

interface Beginning {
  /** The way to the first position. Default: none. */
  readonly opening?: Opening
  /** Seeds of the texts' own randomness. Default: the keys. */
  readonly seeds?: readonly string[]
  /** Told the context of each position of text `i`, undefined where the rule marks nothing. */
  note?(i: number, context: Context | undefined): void
}

/** Begins a text under each key. */
export function beginTexts<Code>(
  watermark: Watermark<Code>,
  keys: readonly string[],
  { opening: { prompt, forced } = { prompt: [], forced: 0 }, seeds = keys, note }: Beginning = {},
): TextsInStep {
  const many = reweightMany(watermark)
  const schedules = keys.map((key) => keySchedule(key, watermark.domain))
  const cursors = seeds.map((seed) => watermark.context.begin(new Expansion(labelSeed('text', seed))))
  const tokens = keys.map(() => [...prompt])
  const rows: Float64Array[] = []
  const random = new Expansion()
  const next = (i: number): Context | undefined => {
    const context = cursors[i]!.next(tokens[i]!)
    note?.(i, context)
    return context
  }
  const drew = (i: number, token: number, probability: number): void => {
    cursors[i]!.drew?.(token, probability)
    tokens[i]!.push(token)
  }
  for (let t = 0; t < forced; t++)
    for (let i = 0; i < keys.length; i++) {
      next(i)
      drew(i, 0, SURPRISE)
    }

  /** Rows one by one. */
  const alone = (p: Float64Array, i: number): Float64Array => {
    const context = next(i)
    if (context === undefined) return targetLaw(watermark, p)
    const schedule = schedules[i]!
    const code = codeAt(watermark, schedule, p.length, context, schedule.random(context, random))
    if (rows[i]?.length !== p.length) rows[i] = new Float64Array(p.length)
    watermark.reweight(p, code, rows[i]!)
    return rows[i]!
  }
  /** Rows of texts with the same p at once. */
  const together = (ps: readonly Float64Array[], ask: ReweightMany<Code>): Float64Array[] => {
    const out = ps.map((p) => targetLaw(watermark, p))
    const groups = new Map<string, { readonly at: number[]; readonly codes: Code[] }>()
    for (const [i, p] of ps.entries()) {
      const context = next(i)
      if (context === undefined) continue
      const name = p.join()
      const group = groups.get(name) ?? { at: [], codes: [] }
      groups.set(name, group)
      group.at.push(i)
      group.codes.push(codeAt(watermark, schedules[i]!, p.length, context))
    }
    for (const { at, codes } of groups.values()) {
      const p = ps[at[0]!]!
      const several = new Float64Array(codes.length * p.length)
      ask(p, codes, several)
      for (const [row, i] of at.entries()) out[i] = several.subarray(row * p.length, (row + 1) * p.length)
    }
    return out
  }
  return {
    tokens,
    step: (ps) => (many === undefined ? ps.map(alone) : together(ps, many)),
    drew,
  }
}
