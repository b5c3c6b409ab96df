import { lawFor } from '../../core/detect/index.ts'
import { claimOf } from '../../watermark.ts'
import { type AnyWatermark, shippedWatermarks } from '../../watermarks/index.ts'
import type { Command } from './command.ts'
import { print, printJson, wrap } from './output.ts'

const describe = (watermark: AnyWatermark) => {
  const { id, unbiased, unbiasedUpTo, context, detector } = watermark
  const law = detector?.nullLaw === undefined ? '' : lawFor(detector.nullLaw, 50_000).name
  return {
    id,
    unbiased,
    ...(unbiasedUpTo !== undefined && { unbiasedUpTo }),
    claim: claimOf(watermark),
    context: context.id,
    detector: detector?.id ?? 'none',
    nullLaw: law.replace(/(\([^)]{24})[^)]*/, '$1...'),
  }
}

type Row = Pick<ReturnType<typeof describe>, 'id' | 'claim' | 'context' | 'detector' | 'nullLaw'>

/** Two lines, which fit a terminal of 80 columns. */
const lines = ({ id, claim, context, detector, nullLaw }: Row): string =>
  `${id}\n${wrap([claim, context, detector, nullLaw].filter(Boolean).join(', '), '    ', '    ')}`

const header = ['watermark', 'claim', 'context', 'detector', 'null law of a score']

/** A table whose columns are as wide as their longest cell. */
function table(rows: readonly Row[]): string {
  const cells = [
    header,
    ...rows.map(({ id, claim, context, detector, nullLaw }) => [id, claim, context, detector, nullLaw]),
  ]
  const widths = header.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)))
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export const list: Command = {
  usage: '[--json]',
  summary: 'Lists the shipped watermarks: the rows of the paper, then the others.',
  flags: { json: { help: 'print JSON' } },
  async run(input, output) {
    const rows = shippedWatermarks().map(describe)
    if (input.on('json')) printJson(output, rows)
    else if (output.isTerminal) print(output, rows.map(lines).join('\n'))
    else print(output, table(rows))
    return 0
  },
}
