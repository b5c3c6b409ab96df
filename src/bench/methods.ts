/** The rows of every table: the study's watermarks, with the paper's names and figures where it has them. */
import type { PaperRow } from '../paper/index.ts'
import { publishedTables } from '../paper/index.ts'
import type { AnyWatermark } from '../watermarks/index.ts'

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

/** `sta1(gamma=0.5)` is the paper's `sta1`: its row is the id, or the id's name alone. */
function paperRow(id: string): PaperRow | undefined {
  const [name] = id.split('(')
  return (published.find(({ method }) => method === id) ?? published.find(({ method }) => method === name))
    ?.method
}

export function methodOf(watermark: AnyWatermark): Method {
  const { id, unbiased } = watermark
  const paper = paperRow(id)
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
