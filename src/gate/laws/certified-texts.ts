/** Texts, keys and edits for certificates, and the level at which a certificate is tight. */
import type { Arbitrary } from 'fast-check'
import { detect, lawFor, type Outcome } from '../../core/detect/index.ts'
import { applyEdit, type Edit } from '../../theory/index.ts'
import type { Watermark } from '../../watermark.ts'
import { keySeed } from './arbitraries/index.ts'
import { secretKey } from './codes.ts'
import { fc } from './fast-check.ts'
import { generated } from './iid-texts.ts'

/** Few tokens, so that contexts recur, and as many contexts as weak marks need. */
export const VOCAB = 32
/** Edits that are made of one text, at the most. */
export const MOST_EDITS = 3
/** A text that was not written with a key is judged under the best of a few. */
const KEYS = 6

export interface Drawn {
  /** Either the text itself, or the length of one to write under the key. */
  readonly text: readonly number[] | number
  readonly keys: number
  readonly edits: readonly Edit[]
}

/** Edits whose places lie in the text as it stands; places beyond its end count from the start again. */
function edit(): Arbitrary<Edit> {
  const at = fc.nat({ max: 400 })
  const token = fc.nat({ max: VOCAB - 1 })
  return fc.oneof(
    fc.record({ kind: fc.constant('substitution' as const), at, token }),
    fc.record({ kind: fc.constant('insertion' as const), at, token }),
    fc.record({ kind: fc.constant('deletion' as const), at }),
  )
}

export const drawn = (text: Arbitrary<Drawn['text']>): Arbitrary<Drawn> =>
  fc.record({ text, keys: keySeed(), edits: fc.array(edit(), { minLength: 1, maxLength: MOST_EDITS }) })

/** A text after edits. */
export const edited = (tokens: readonly number[], edits: readonly Edit[]): readonly number[] =>
  edits.reduce<readonly number[]>((text, edit) => {
    const places = text.length + (edit.kind === 'insertion' ? 1 : 0)
    return places === 0 ? text : applyEdit(text, { ...edit, at: edit.at % places })
  }, tokens)

/** The text, and the key under which it is judged. */
export function judged<Code>(
  watermark: Watermark<Code>,
  { text, keys }: Pick<Drawn, 'text' | 'keys'>,
): { tokens: readonly number[]; key: string } {
  const key = (i: number): string => secretKey(keys, i)
  if (typeof text === 'number') return { tokens: generated(watermark, VOCAB, text, key(0)), key: key(0) }
  const logs = Array.from(
    { length: KEYS },
    (_, i) => detect(watermark, text, { key: key(i), vocabSize: VOCAB }).logPValue,
  )
  return { tokens: text, key: key(logs.indexOf(Math.min(...logs))) }
}

/** The largest level that is tried. */
export const HIGHEST = 1 - 2 ** -20
const STEPS = 14

/**
 * The smallest level at which `edits` edits are certified, to a thousandth or so; undefined if it is not below 1. There the
 * certificate has nothing to spare.
 */
export function tightest(radius: (alpha: number) => number, edits: number): number | undefined {
  if (radius(HIGHEST) < edits) return undefined
  let [low, high] = [-40, Math.log(HIGHEST)]
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2
    if (radius(Math.exp(middle)) < edits) low = middle
    else high = middle
  }
  return Math.exp(high)
}

/** f, computed once for each name. */
function once<Value>(): (name: string, make: () => Value) => Value {
  const known = new Map<string, Value>()
  return (name, make) => {
    let value = known.get(name)
    if (value === undefined) {
      value = make()
      known.set(name, value)
    }
    return value
  }
}

/** The same watermark, which remembers tails and judgements: one text is judged at many levels, and exact tails may be slow. */
export function remembering<Code>(watermark: Watermark<Code>): Watermark<Code> {
  const { detector } = watermark
  if (detector?.nullLaw === undefined) return watermark
  const law = lawFor(detector.nullLaw, VOCAB)
  const tails = once<number>()
  const outcomes = once<Outcome>()
  return {
    ...watermark,
    detector: {
      ...detector,
      nullLaw: { ...law, logTail: (sum, n) => tails(`${sum}/${n}`, () => law.logTail(sum, n)) },
      test: (evidence) =>
        outcomes(`${Array.from(evidence.tokens).join()}|${evidence.scoreEach().join()}`, () =>
          detector.test(evidence),
        ),
    },
  }
}
