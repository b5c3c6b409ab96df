import { lawFor } from '../detect/null-laws.ts'
import { claimOf } from '../watermark.ts'
import { type AnyWatermark, shippedWatermarks } from '../watermarks/index.ts'
import type { Command } from './command.ts'
import { print, printJson } from './output.ts'

const describe = (watermark: AnyWatermark) => {
  const { id, unbiased, unbiasedUpTo, context, detector } = watermark
  return {
    id,
    unbiased,
    ...(unbiasedUpTo !== undefined && { unbiasedUpTo }),
    claim: claimOf(watermark),
    context: context.id,
    detector: detector?.id ?? 'none',
    nullLaw:
      detector?.nullLaw === undefined
        ? ''
        : lawFor(detector.nullLaw, 50_000).name.replace(/(\([^)]{24})[^)]*/, '$1...'),
  }
}

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
        claim: 'claim',
        context: 'context',
        detector: 'detector',
        nullLaw: 'null law of a score',
      }
      for (const { id, claim, context, detector, nullLaw } of [header, ...rows])
        print(
          output,
          `${id.padEnd(38)} ${claim.padEnd(25)} ${context.padEnd(21)} ${detector.padEnd(10)} ${nullLaw}`.trimEnd(),
        )
    }
    return 0
  },
}
