import { counted, hits } from '../../bench/report/index.ts'
import { logBinomialTail } from '../../core/stats/index.ts'
import type { Document } from '../../gate/server/index.ts'
import { number } from '../../input.ts'
import { expand, openSource } from '../../text/corpus/index.ts'
import { Calibration } from './calibration.ts'
import { type Command, UsageError } from './command.ts'
import { detect } from './detect.ts'
import { batchesIn, lengthsOf, readerOf } from './detect-many.ts'
import { readKey } from './key.ts'
import { print, printJson } from './output.ts'
import { watermarkOf } from './own-watermark.ts'
import { tableToText } from './text-table.ts'

/** A rate is called too high where chance explains it with a probability of at most this. */
const LEVEL = 1e-3

const {
  watermark,
  key,
  'key-file': keyFile,
  tokenizer,
  ids,
  'vocab-size': vocabSize,
  format,
  field,
  lengths,
} = detect.flags

export const calibrate: Command = {
  usage: "UNMARKED... --watermark 'gumbel(codes=vllm)' --key-file K [--tokenizer DIR_OR_ID]",
  summary:
    'Measures the false positives that a key has on your unmarked texts. Exit code 0: as promised, 1: more than that.',
  words: Number.POSITIVE_INFINITY,
  flags: {
    watermark: watermark!,
    key: key!,
    'key-file': keyFile!,
    tokenizer: tokenizer!,
    ids: ids!,
    'vocab-size': vocabSize!,
    alpha: { value: 'A', help: 'level of the decision; 0.01 by default' },
    format: format!,
    field: field!,
    lengths: lengths!,
    json: { help: 'print JSON' },
  },
  async run(input, output) {
    if (input.words.length === 0) throw new UsageError('no texts: give files of texts without a watermark')
    const named = input.flag('watermark')
    if (named === undefined)
      throw new UsageError("no watermark: give --watermark, such as 'synthid(layers=20)'")
    const asked = await watermarkOf(named)
    const secret = readKey(input)
    const alpha = number('--alpha', input.number('alpha') ?? 0.01, 0, 1, true)
    const files = input.words.flatMap(expand)
    const first = await openSource(files[0]!, input.flag('format'), 'lines')
    const documents: Document[] = []
    let width = 0
    const refuse = (error: unknown): never => {
      throw error
    }
    for await (const batch of batchesIn(
      { first, files },
      input.flag('format'),
      readerOf(input, asked),
      refuse,
    )) {
      documents.push(...batch.texts)
      width = batch.vocabSize
    }
    if (documents.length === 0) throw new UsageError(`${first.name}: expected texts, found none`)
    const { pValuesOf } = await import('../../gate/server/index.ts')
    const found = pValuesOf({ watermark: asked, key: secret.key, vocabSize: width }, documents)
    const tables = (['plain', 'alone'] as const).map((way) => {
      const calibration = new Calibration(alpha, lengthsOf(input))
      for (const [i, logP] of found[way].entries())
        calibration.add({ logP, detected: logP <= Math.log(alpha), length: found.lengths[i]!, label: false })
      const title =
        way === 'plain'
          ? 'False alarms of this key'
          : 'The same without contexts of other texts (excludeContexts)'
      return { ...calibration.tables().at(-1)!, id: way, title }
    })
    const [raw, alone] = [hits(found.plain, alpha), hits(found.alone, alpha)]
    const isHigh = (count: number): boolean =>
      count > 0 && logBinomialTail(count, documents.length, alpha) <= Math.log(LEVEL)
    const texts = documents.length
    const verdict = !isHigh(raw)
      ? `as promised: at most ${+(100 * alpha).toPrecision(3)}%`
      : isHigh(alone)
        ? 'more than promised, also without contexts that texts share: the texts may be marked, or the codes are not what detection expects'
        : 'more than promised, because texts share contexts: collect them with contextSet and detect with excludeContexts'
    const warning = secret.warning(asked)
    if (warning !== undefined) output.error(warning)
    if (input.on('json'))
      printJson(output, {
        watermark: asked.id,
        alpha,
        texts,
        detected: raw,
        withoutShared: alone,
        sharedContexts: found.shared,
        tables,
      })
    else
      print(
        output,
        `${asked.id}: ${raw} of ${counted(texts, 'unmarked text')} detected at ${alpha}, ${verdict}\n` +
          `${+(100 * found.shared).toPrecision(3)}% of contexts recur in another text\n\n${tables.map(tableToText).join('\n\n')}`,
      )
    return isHigh(raw) ? 1 : 0
  },
}
