/** The rows of every table: the study's watermarks, with the paper's names and figures where it has them. */

import type { MethodParameter } from '../../core/method/index.ts'
import { madeBy } from '../../core/method/index.ts'
import { type AnyWatermark, parseWatermark } from '../../watermarks/index.ts'
import type { PaperRow } from '../paper/index.ts'
import { publishedTables } from '../paper/index.ts'

export interface Method {
  /** The watermark that tests. */
  readonly id: string
  /** The watermark that writes: another one only where the same texts are tested in two ways. */
  readonly writer: string
  /** False for tests as published code has them, whose p-values promise nothing. */
  readonly guaranteed: boolean
  /** As the paper writes it. */
  readonly label: string
  readonly family: string
  readonly unbiased: boolean
  /** The length in tokens up to which it claims that texts are unbiased; absent: all. */
  readonly unbiasedUpTo?: number | undefined
  /** The paper's row, where it has one. */
  readonly paper?: PaperRow
  /** Detected by aligning with a key list, which is slow. */
  readonly alignment: boolean
  /** Leaves a context that the text already used unmarked and unscored. */
  readonly skips: boolean
}

const published = publishedTables.oneShot.rows

/** The paper's rows by id: its `sta1` is `sta1(gamma=0.5)`, and no other setting is. */
const paperRows = new Map(
  published
    .filter(({ method }) => method !== 'none')
    .map(({ method }) => [parseWatermark(method).id, method] as const),
)

/** Returns the name of a family of methods: the paper's, without parameters, where it has one. */
function familyLabel(family: string): string {
  const row = published.find(({ method }) => method.split('(')[0] === family)
  return row ? row.name.replace(/\(.*$/, '') : family
}

/** Lists the families of methods with their names, each once. */
export const familiesOf = (
  methods: readonly { readonly family: string }[],
): { family: string; label: string }[] =>
  [...new Set(methods.map(({ family }) => family))].map((family) => ({ family, label: familyLabel(family) }))

/** Returns the label of a method of the paper with other contexts: that marks repeated ones as well, or has longer ones. */
function otherContexts(watermark: AnyWatermark): string | undefined {
  const origin = madeBy(watermark)
  const { recurs, window } = watermark.context
  if (origin?.options.context === undefined) return undefined
  const { context: _, ...others } = origin.options
  const paper = paperRows.get((origin.method(others) as AnyWatermark).id)
  const name = published.find(({ method }) => method === paper)?.name
  return name && `${name}, ${recurs ? 'no skipping' : `contexts of ${window}`}`
}

export function methodOf(watermark: AnyWatermark): Method {
  const { id, unbiased, unbiasedUpTo } = watermark
  const paper = paperRows.get(id)
  const label = published.find(({ method }) => method === paper)?.name ?? otherContexts(watermark) ?? id
  const alignment = watermark.detector?.id === 'alignment'
  const guaranteed = watermark.detector?.guaranteed ?? true
  const family = id.split('(')[0]!
  const skips = !watermark.context.recurs && watermark.context.window !== undefined
  return {
    id,
    writer: id,
    label,
    family,
    unbiased,
    unbiasedUpTo,
    alignment,
    guaranteed,
    skips,
    ...(paper ? { paper } : {}),
  }
}

function accepts(parameter: MethodParameter | undefined, value: unknown): boolean {
  try {
    return parameter?.check('detector', value) === value
  } catch {
    return false
  }
}

/** The end of the label of a published test, after the label of its method. */
export const PUBLISHED_TEST = ', published test'

/** Returns the same method with the test of its published code on the same texts; undefined where that has no test, or it is the same. */
export function publishedTest(watermark: AnyWatermark): Method | undefined {
  const origin = madeBy(watermark)
  if (
    !origin ||
    origin.values.detector === 'published' ||
    !accepts(origin.method.parameters.detector, 'published')
  )
    return undefined
  const published = origin.method({ ...origin.options, detector: 'published' }) as AnyWatermark
  const own = methodOf(watermark)
  return { ...own, id: published.id, label: `${own.label}${PUBLISHED_TEST}`, guaranteed: false }
}

/** The row of the model without a watermark. */
export const none: Method = {
  id: 'unwatermarked',
  writer: 'unwatermarked',
  guaranteed: true,
  label: 'No watermark',
  family: 'unwatermarked',
  unbiased: true,
  alignment: false,
  skips: false,
  paper: 'none',
}
