/** `uwbench detect --follow`: detection of a text that is still being written to standard input. */
import { readSync } from 'node:fs'
import { type StreamedEvidence, stream } from '../detect/stream.ts'
import { parseWatermark } from '../watermarks/index.ts'
import { type Input, UsageError } from './command.ts'
import { numbers } from './ids.ts'
import { keyFlags, readKey } from './key.ts'
import { checkLocal } from './local.ts'
import { type Output, print } from './output.ts'

/** Tokens at the end of a text that more text may still change. */
const UNSETTLED = 8

/** The options of `detect` that go with --follow. */
const followed = [
  'follow',
  'watermark',
  ...Object.keys(keyFlags),
  'tokenizer',
  'ids',
  'vocab-size',
  'alpha',
  'skip',
  'json',
]

/** The bytes of standard input as they come. Waiting for them blocks: commands run in a thread of their own. */
function* standardInput(): Generator<Uint8Array> {
  for (;;) {
    const chunk = new Uint8Array(2 ** 12)
    let count: number
    try {
      count = readSync(0, chunk)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EOF') return
      if (code !== 'EAGAIN') throw error
      // a terminal or pipe that has nothing yet: look again soon
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      continue
    }
    if (count === 0) return
    yield chunk.subarray(0, count)
  }
}

/** The text so far -> the tokens that are settled, all of them once the text has ended. */
type Reader = (text: string, ended: boolean) => readonly number[]

/** Token ids: all up to the last separator. */
const readTokenIds: Reader = (text, ended) =>
  numbers('standard input', ended ? text : text.replace(/[^\s,]*$/, ''), /[\s,]+/)

async function readerOf(input: Input): Promise<{ read: Reader; vocabSize: number }> {
  const width = input.number('vocab-size')
  if (input.on('ids')) {
    if (width === undefined)
      throw new UsageError("token ids need --vocab-size N, the width of the model's logits")
    return { read: readTokenIds, vocabSize: width }
  }
  const given = input.flag('tokenizer')
  if (given !== undefined) checkLocal('--tokenizer', given)
  const { loadTokenizer } = await import('../models/load-tokenizer.ts')
  const { tokenizer, vocabSize = width } = await loadTokenizer(given ?? 'embedded')
  if (vocabSize === undefined)
    throw new UsageError(`${given}: its config.json names no vocab_size; give --vocab-size N`)
  const read: Reader = (text, ended) => {
    const tokens = tokenizer.encode(text)
    return ended ? tokens : tokens.slice(0, -UNSETTLED)
  }
  return { read, vocabSize: width ?? vocabSize }
}

/**
 * Pushes the tokens of a growing text; stops where the p-value is at most alpha. Yields what is known whenever the p-value has fallen tenfold, and at
 * the end.
 */
export function* evidenceOf(
  chunks: Iterable<Uint8Array>,
  read: Reader,
  push: (token: number) => StreamedEvidence,
  alpha: number,
): Generator<StreamedEvidence & { readonly tokens: number }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let tokens = 0
  let reached = 0
  let told = 1
  let last: StreamedEvidence = { pValue: 1, logPValue: 0, eValue: 1, logEValue: 0, scored: 0 }
  const settle = function* (ended: boolean) {
    const settled = read(text, ended)
    for (; tokens < settled.length && last.pValue > alpha; ) {
      last = push(settled[tokens++]!)
      if (last.pValue > told / 10 || last.pValue <= alpha) continue
      told = last.pValue
      yield { ...last, tokens }
    }
  }
  for (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    // reading again costs as much as the text is long: wait until it has grown by a hundredth
    if (text.length - reached < text.length / 100) continue
    reached = text.length
    yield* settle(false)
    if (last.pValue <= alpha) break
  }
  text += decoder.decode()
  yield* settle(true)
  yield { ...last, tokens }
}

const probability = ({ pValue, logPValue }: StreamedEvidence): string =>
  pValue > 1e-300 ? `${+pValue.toPrecision(3)}` : `10^${(logPValue / Math.LN10).toFixed(1)}`

/** One line whenever the p-value has fallen tenfold, and at the end; with --json each is JSON. Returns the exit code: 0 as soon as the text is detected, 1 where it ends before. */
export async function follow(
  input: Input,
  output: Output,
  others: readonly string[],
  chunks: Iterable<Uint8Array> = standardInput(),
): Promise<number> {
  const wrong = others.find(
    (name) => !followed.includes(name) && (input.on(name) || input.flag(name) !== undefined),
  )
  if (wrong !== undefined)
    throw new UsageError(`--${wrong} does not go with --follow (see uwbench detect --help)`)
  if ((input.words[0] ?? '-') !== '-') throw new UsageError('--follow reads standard input: give no file')
  const named = input.flag('watermark')
  if (named === undefined)
    throw new UsageError("no watermark: give --watermark, such as 'synthid(layers=20)'")
  const alpha = input.number('alpha') ?? 0.01
  if (!(alpha > 0 && alpha < 1)) throw new UsageError(`--alpha: expected a number in (0, 1), got ${alpha}`)
  const watermark = parseWatermark(named)
  const { key, warning } = readKey(input)
  const skip = numbers('--skip', input.flag('skip') ?? '', /,/)
  const { read, vocabSize } = await readerOf(input)
  const { push } = stream(watermark, { key, vocabSize, skip })
  let detected = false
  for (const evidence of evidenceOf(chunks, read, push, alpha)) {
    const { tokens, scored, pValue } = evidence
    detected = pValue <= alpha
    if (input.on('json'))
      output.raw(`${JSON.stringify({ watermark: watermark.id, alpha, ...evidence, detected })}\n`)
    else print(output, `${tokens} tokens, ${scored} scored: p = ${probability(evidence)}`)
  }
  if (warning !== undefined) output.error(warning)
  if (!input.on('json')) print(output, `${detected ? 'detected' : 'not detected'} at alpha = ${alpha}`)
  return detected ? 0 : 1
}
