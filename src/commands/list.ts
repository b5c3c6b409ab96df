import { lawFor } from '../detect/null-laws.ts'
import { type AnyWatermark, shippedWatermarks } from '../watermarks/index.ts'
import type { Command } from './command.ts'
import { print, printJson } from './output.ts'

const describe = ({ id, unbiased, context, detector }: AnyWatermark) => ({
  id,
  unbiased,
  context: context.id,
  detector: detector?.id ?? 'none',
  nullLaw:
    detector?.nullLaw === undefined
      ? ''
      : lawFor(detector.nullLaw, 50_000).name.replace(/(\([^)]{24})[^)]*/, '$1...'),
})

export const list: Command = {
  usage: '[--json]',
  summary: 'Lists the shipped watermarks: the rows of the paper, then the others.',
  flags: { json: { help: 'print JSON' } },
  async run(input, output) {
    const rows = shippedWatermarks().map(describe)
    if (input.on('json')) printJson(output, rows)
    else {
      const header = {
        id: 'watermark',
        unbiased: 'claim',
        context: 'context',
        detector: 'detector',
        nullLaw: 'null law of a score',
      }
      const lines = [
        header,
        ...rows.map((row) => ({ ...row, unbiased: row.unbiased ? 'unbiased' : 'biased' })),
      ]
      for (const { id, unbiased, context, detector, nullLaw } of lines)
        print(
          output,
          `${id.padEnd(38)} ${unbiased.padEnd(9)} ${context.padEnd(21)} ${detector.padEnd(10)} ${nullLaw}`.trimEnd(),
        )
    }
    return 0
  },
}
