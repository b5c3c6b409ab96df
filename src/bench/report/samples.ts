/**
 * Samples: a few texts of each method as they were written and after attacks, each token with the shade of its score. They are kept
 * as strings, which makes a thousand tokens take kilobytes where objects would take a megabyte.
 */
import { printable } from './escape.ts'

/** One text of a sample: as it was written, without a watermark, or after an attack. */
export interface SampleText {
  /** The column of a table that counts such texts, or another unique name. */
  readonly id: string
  readonly label: string
  readonly pValue: number
  readonly text: string
  /** Lengths of the pieces of the text, one per token, separated by blanks. */
  readonly lengths: string
  /** One letter per piece: see {@link shadeOf}. */
  readonly shades: string
}

/** The texts of a method for one prompt. */
export interface Sample {
  /** The row of tables that it belongs to. */
  readonly row: string
  readonly label: string
  readonly family: string
  readonly prompt: string
  /** The model that wrote it, where there are several. */
  readonly model?: string
  readonly texts: readonly SampleText[]
}

/** Shades of each colour. */
const SHADES = 10
const letters = 'abcdefghijklmnopqrstu'

/**
 * The letter of a strength in [0, 1]: from `a`, most against the watermark, over `k` to `u`, most for it; a dot for none.
 *
 * ```ts
 * shadeOf(1) // 'u'
 * ```
 */
export const shadeOf = (strength: number | undefined): string =>
  strength === undefined ? '.' : letters[Math.round(2 * SHADES * Math.min(1, Math.max(0, strength)))]!

/** The classes of all shades; text stays readable on every one of them, in light and in dark. */
export const shadeRules = (): string =>
  [...letters]
    .map((letter, i) => {
      const part = Math.abs(i - SHADES) / SHADES
      const colour = i >= SHADES ? '22 128 60' : '190 40 40'
      return `.s-${letter}{background:rgb(${colour} / ${(8 + 34 * part).toFixed(0)}%)}`
    })
    .join('')

/** Text of several lines, printable line by line; no character is added or lost. */
const lines = (text: string): string => text.split('\n').map(printable).join('\n')

/** Prompts of a row that a page has, at most, where the texts are of one model; of several models it has one text, of the last. */
const MAX_PROMPTS = 2

/** The samples of each row that a page shows. */
function shownOf(samples: readonly Sample[]): Sample[] {
  const rows = new Map<string, Sample[]>()
  for (const sample of samples) rows.set(sample.row, [...(rows.get(sample.row) ?? []), sample])
  return [...rows.values()].flatMap((own) => {
    const { model } = own.at(-1)!
    const last = own.filter((one) => one.model === model)
    return last.slice(0, last.length < own.length ? 1 : MAX_PROMPTS)
  })
}

/** Lengths without blanks: a digit each, and longer ones in brackets. */
const dense = (lengths: string): string =>
  lengths
    .split(' ')
    .map((length) => (/^\d$/.test(length) ? length : `(${length})`))
    .join('')

/** Samples as a data block of a page: JSON that HTML cannot end early. */
export const sampleData = (samples: readonly Sample[]): string =>
  JSON.stringify(
    shownOf(samples).map(({ row, label, model, prompt, texts }) => ({
      row,
      label: printable(label),
      ...(model === undefined ? {} : { model: printable(model) }),
      prompt: lines(prompt),
      texts: texts.map((one) => ({
        ...{ ...one, label: printable(one.label), text: lines(one.text) },
        lengths: dense(one.lengths),
      })),
    })),
  ).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
