/** The rows of every table: the study's watermarks, with the paper's names and figures where it has them. */
import type { PaperRow } from '../paper/index.ts'
import { publishedTables } from '../paper/index.ts'
import { type AnyWatermark, parseWatermark } from '../watermarks/index.ts'

export interface Method {
  readonly id: string
  /** As the paper writes it. */
  readonly label: string
  readonly family: string
  readonly unbiased: boolean
  /** The paper's row, where it has one. */
  readonly paper?: PaperRow
  /** Detected by aligning with a key list, which is slow. */
  readonly alignment: boolean
}

const published = publishedTables.oneShot.rows

/** The paper's rows by id: its `sta1` is `sta1(gamma=0.5)`, and no other setting is. */
const paperRows = new Map(
  published
    .filter(({ method }) => method !== 'none')
    .map(({ method }) => [parseWatermark(method).id, method] as const),
)

/** What people call a family of methods: the paper's name without parameters, where it has one. */
function familyLabel(family: string): string {
  const row = published.find(({ method }) => method.split('(')[0] === family)
  return row ? row.name.replace(/\(.*$/, '') : family
}

/** The families of methods with their names, each once. */
export const familiesOf = (
  methods: readonly { readonly family: string }[],
): { family: string; label: string }[] =>
  [...new Set(methods.map(({ family }) => family))].map((family) => ({ family, label: familyLabel(family) }))

export function methodOf(watermark: AnyWatermark): Method {
  const { id, unbiased } = watermark
  const paper = paperRows.get(id)
  const label = published.find(({ method }) => method === paper)?.name ?? id
  const alignment = watermark.detector?.id === 'alignment'
  return { id, label, family: id.split('(')[0]!, unbiased, alignment, ...(paper ? { paper } : {}) }
}

/** The row of the model without a watermark. */
export const none: Method = {
  id: 'unwatermarked',
  label: 'No watermark',
  family: 'unwatermarked',
  unbiased: true,
  alignment: false,
  paper: 'none',
}
