/** The rows of the paper's tables, and the names under which each table prints them. */
import { outOfRange } from '../../input.ts'

/** Identifiers of the rows, in the order of table 1; `none` is the model without a watermark. */
export const rows = [
  'none',
  'unigram(delta=0.5)',
  'unigram(delta=1)',
  'unigram(delta=1.5)',
  'unigram(delta=2)',
  'kgw(delta=0.5)',
  'kgw(delta=1)',
  'kgw(delta=1.5)',
  'kgw(delta=2)',
  'dipmark(alpha=0.3)',
  'dipmark(alpha=0.4)',
  'gammaReweight',
  'mcmark(channels=10)',
  'mcmark(channels=20)',
  'mcmark(channels=50)',
  'mcmark(channels=100)',
  'sta1',
  'synthid',
  'expEdit',
  'itsEdit',
] as const

/** A row of the paper's tables: a method, or `none`. */
export type Row = (typeof rows)[number]
/** A method of the paper's tables, by the id of its watermark. */
export type Method = Exclude<Row, 'none'>

/**
 * The 19 methods of the paper's tables.
 * @example paperMethods[0] // 'unigram(delta=0.5)'
 */
export const methods = rows.slice(1) as readonly Method[]

/** Tells whether the text calls a method unbiased; the others are its two biased baselines. */
export const isUnbiased = (method: Method): boolean => !/^(unigram|kgw)/.test(method)

/** Spellings that follow no rule. DiPmark at 1/2 is gamma-reweight; STA-1 is used at gamma 1/2 throughout. */
const spellings: Readonly<Record<string, Row>> = {
  'No watermark': 'none',
  'γ-reweight': 'gammaReweight',
  'DiPmark(α=0.5)': 'gammaReweight',
  'STA-1': 'sta1',
  'STA(γ=0.5)': 'sta1',
  SynthID: 'synthid',
  'EXP-Edit': 'expEdit',
  EXP: 'expEdit',
  'ITS-Edit': 'itsEdit',
  ITS: 'itsEdit',
}

const families: Readonly<Record<string, string>> = {
  'Unigram(δ': 'unigram(delta',
  'KGW(δ': 'kgw(delta',
  'DIP(α': 'dipmark(alpha',
  'DiPmark(α': 'dipmark(alpha',
  'MCmark(n': 'mcmark(channels',
}

/**
 * The row a printed name stands for.
 *
 * @example rowOf('KGW(δ=2.0)') // 'kgw(delta=2)'
 */
export function rowOf(name: string): Row {
  const [family = '', parameter = ''] = name.replace(')', '').split('=')
  const row = spellings[name] ?? `${families[family]}=${Number(parameter)})`
  if (!rows.includes(row as Row)) throw outOfRange('name', "a row of the paper's tables", name)
  return row as Row
}
