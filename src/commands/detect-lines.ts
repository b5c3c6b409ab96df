/** The lines of `uwbench detect` on many texts: for people, as JSON Lines, or as CSV. */
import { csvField } from '../report/csv.ts'
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
  readonly pValue: number
  readonly logPValue: number
  readonly detected: boolean
  readonly scored: number
  readonly length: number
}

/** A text of which nothing was scored says nothing either way. */
const decision = ({ detected, scored }: Tested): string =>
  detected ? 'detected' : scored === 0 ? 'nothing scored' : 'not detected'

const columns = ['text', 'id', 'label', 'watermark', 'p_value', 'log_p_value', 'decision', 'scored', 'length']

const csvLine = (t: Tested): string =>
  [t.where, t.id ?? '', t.label ?? '', t.watermark, t.pValue, t.logPValue, decision(t), t.scored, t.length]
    .map(csvField)
    .join(',')

const row = (t: Tested): object => ({
  text: t.where,
  ...(t.id === undefined ? {} : { id: t.id }),
  ...(t.label === undefined ? {} : { label: t.label }),
  watermark: t.watermark,
  pValue: t.pValue,
  logPValue: t.logPValue,
  decision: decision(t),
  scored: t.scored,
  length: t.length,
})

const plain = (name: string, p: string, verdict: string, scored: string, length: string): string =>
  `${name.padEnd(30)} ${p.padStart(10)}  ${verdict.padEnd(14)} ${scored.padStart(7)} ${length.padStart(7)}`

/** Prints the outcomes that it is given, the heading before the first. */
export function lineWriter(
  input: Input,
  output: Output,
  labelled: boolean,
): (tested: readonly Tested[]) => void {
  if (input.on('summary')) return () => undefined
  const [lineOf, head]: [(t: Tested) => string, string | undefined] = input.on('json')
    ? [(t) => jsonLine(row(t)), undefined]
    : input.on('csv')
      ? [csvLine, columns.join(',')]
      : [
          (t) => {
            const mark = labelled ? (t.label ? '  watermarked' : '  unmarked') : ''
            const name = safeLine(t.id ?? t.where)
            return `${plain(name, probability(t), decision(t), `${t.scored}`, `${t.length}`)}${mark}`
          },
          `${plain('text', 'p-value', 'decision', 'scored', 'length')}${labelled ? '  label' : ''}`,
        ]
  let headed = head === undefined
  return (tested) => {
    const lines = tested.map(lineOf)
    if (!headed) lines.unshift(head!)
    headed = true
    if (lines.length > 0) output.raw(`${lines.join('\n')}\n`)
  }
}
