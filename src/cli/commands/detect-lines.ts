/** The lines of `uwbench detect` on many texts: for people, as JSON Lines, or as CSV. */
import { csvField } from '../../bench/report/index.ts'
import type { Input } from './command.ts'
import { probability } from './detect-one.ts'
import { jsonLine, type Output, safeLine } from './output.ts'

/** A text and its outcome. */
export interface Tested {
  readonly where: string
  readonly line: number
  readonly id: string | undefined
  readonly label: boolean | undefined
  readonly watermark: string
  /** The file of the key, where there are several. */
  readonly key: string | undefined
  readonly pValue: number
  readonly logPValue: number
  readonly detected: boolean
  readonly scored: number
  readonly length: number
}

/** Names the decision; a text of which nothing was scored is not decided either way. */
const decision = ({ detected, scored }: Tested): string =>
  detected ? 'detected' : scored === 0 ? 'nothing scored' : 'not detected'

const columns = (keys: boolean): string[] => [
  ...['text', 'id', 'label', 'watermark', ...(keys ? ['key'] : [])],
  ...['p_value', 'log_p_value', 'decision', 'scored', 'length'],
]

/** The outcome as JSON prints it, in the order of the columns of CSV. */
const row = (t: Tested) => ({
  text: t.where,
  id: t.id,
  label: t.label,
  watermark: t.watermark,
  ...(t.key !== undefined && { key: t.key }),
  pValue: t.pValue,
  logPValue: t.logPValue,
  decision: decision(t),
  scored: t.scored,
  length: t.length,
})

const csvLine = (t: Tested): string =>
  Object.values(row(t))
    .map((field) => csvField(field ?? ''))
    .join(',')

const plain = (name: string, p: string, verdict: string, scored: string, length: string): string =>
  `${name.padEnd(30)} ${p.padStart(10)}  ${verdict.padEnd(14)} ${scored.padStart(7)} ${length.padStart(7)}`

/** Prints the outcomes that it is given, the heading before the first. */
export function lineWriter(
  input: Input,
  output: Output,
  { labelled, keys }: { labelled: boolean; keys: boolean },
): (tested: readonly Tested[]) => void {
  if (input.on('summary')) return () => undefined
  const [lineOf, head]: [(t: Tested) => string, string | undefined] = input.on('json')
    ? [(t) => jsonLine(row(t)), undefined]
    : input.on('csv')
      ? [csvLine, columns(keys).join(',')]
      : [
          (t) => {
            const mark = labelled ? (t.label ? '  watermarked' : '  unmarked') : ''
            const name = safeLine(t.id ?? t.where)
            const key = t.key === undefined ? '' : `  ${safeLine(t.key)}`
            return `${plain(name, probability(t), decision(t), `${t.scored}`, `${t.length}`)}${mark}${key}`
          },
          `${plain('text', 'p-value', 'decision', 'scored', 'length')}${labelled ? '  label' : ''}${keys ? '  key' : ''}`,
        ]
  let headed = head === undefined
  return (tested) => {
    const lines = tested.map(lineOf)
    if (!headed) lines.unshift(head!)
    headed = true
    if (lines.length > 0) output.raw(`${lines.join('\n')}\n`)
  }
}
