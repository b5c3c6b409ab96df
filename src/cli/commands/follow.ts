/** `uwbench detect --follow`: detection of a text that is still being written to standard input. */
import { readSync } from 'node:fs'
import { type StreamedEvidence, stream } from '../../core/detect/index.ts'
import { show } from '../../input.ts'
import type { Tokenizer } from '../../text/decode/index.ts'
import { type Input, UsageError } from './command.ts'
import { probability } from './detect-one.ts'
import { numbers } from './ids.ts'
import { keyFlags, readKey } from './key.ts'
import { family, shown } from './message.ts'
import { checkModelName } from './model-name.ts'
import { type Output, print } from './output.ts'
import { watermarkOf } from './own-watermark.ts'
import { promptFlags, readPrompt } from './prompt.ts'
import { tokenizerOf } from './tokenizer.ts'

/** Tokens at the end of a text that more text may still change. */
const UNSETTLED = 8

/** The options of `detect` that go with --follow. */
const followed = [
  'follow',
  'watermark',
  ...Object.keys(keyFlags),
  ...Object.keys(promptFlags),
  'tokenizer',
  'ids',
  'vocab-size',
  'alpha',
  'skip',
  'json',
  'decode',
  'bits',
  'code',
]

/** Yields the bytes of standard input as they come. Waiting for them blocks: commands run in a thread of their own. */
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

/** Takes the next piece of the text and returns the tokens that it settles; at the end of the text, all that are left. */
type Reader = (piece: string, ended: boolean) => readonly number[]

/** The longest token id, in digits, with room for leading zeros. */
const MAX_DIGITS = 40

/** Returns where the last token id begins, which may not be complete yet. */
function startOfLast(text: string): number {
  let start = text.length
  while (start > 0 && !/[\s,]/.test(text[start - 1]!)) {
    if (text.length - start >= MAX_DIGITS)
      throw new UsageError(
        `standard input: expected token ids, got ${show(text.slice(start))} without an end`,
      )
    start--
  }
  return start
}

/** Reads token ids: all up to the last separator. */
function idReader(): Reader {
  let rest = ''
  return (piece, ended) => {
    const text = rest + piece
    const end = ended ? text.length : startOfLast(text)
    rest = text.slice(end)
    return numbers('standard input', text.slice(0, end), /[\s,]+/)
  }
}

/** Tokens from which on a text is cut, and those that stay. */
const [LONG, KEPT] = [4096, 512]

/**
 * Reads text. A token is settled when eight more follow it. Of a long text only the end is read again: it begins at a token where the text that is
 * left gives the very tokens that are left. A tokenizer that has no such place reads all of the text again.
 */
export function textReader(tokenizer: Pick<Tokenizer, 'encode' | 'decode'>): Reader {
  let text = ''
  let given = 0
  let read = 0
  /** The end of the text from token `start` on, if it has these tokens by itself. */
  const endFrom = (tokens: readonly number[], start: number): string | undefined => {
    const left = tokens.slice(start)
    const end = tokenizer.decode(left)
    const same = text.endsWith(end) ? tokenizer.encode(end) : []
    return same.length === left.length && same.every((token, i) => token === left[i]) ? end : undefined
  }
  return (piece, ended) => {
    text += piece
    // reading again costs as much as the text is long: wait until it has grown by a hundredth
    if (!ended && text.length - read < text.length / 100) return []
    const tokens = tokenizer.encode(text)
    const settled = ended ? tokens : tokens.slice(0, -UNSETTLED)
    const fresh = settled.slice(given)
    given = Math.max(given, settled.length)
    for (let cut = given - KEPT; given > LONG && cut < given - KEPT / 2; cut += 8) {
      const end = endFrom(tokens, cut)
      if (end === undefined) continue
      text = end
      given -= cut
    }
    read = text.length
    return fresh
  }
}

async function readerOf(input: Input): Promise<{ read: Reader; vocabSize: number }> {
  const width = input.number('vocab-size')
  if (input.on('ids')) {
    if (width === undefined)
      throw new UsageError("token ids need --vocab-size N, the width of the model's logits")
    return { read: idReader(), vocabSize: width }
  }
  const given = input.flag('tokenizer')
  if (given !== undefined) checkModelName('--tokenizer', given)
  const { tokenizer, vocabSize } = await tokenizerOf(input)
  return { read: textReader(tokenizer), vocabSize }
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
  let tokens = 0
  let told = 1
  let last: StreamedEvidence = { pValue: 1, logPValue: 0, eValue: 1, logEValue: 0, scored: 0 }
  const settle = function* (piece: string, ended: boolean) {
    for (const token of read(piece, ended)) {
      if (last.pValue <= alpha) return
      last = push(token)
      tokens++
      if (last.pValue > told / 10 || last.pValue <= alpha) continue
      told = last.pValue
      yield { ...last, tokens }
    }
  }
  for (const chunk of chunks) {
    yield* settle(decoder.decode(chunk, { stream: true }), false)
    if (last.pValue <= alpha) break
  }
  if (last.pValue > alpha) yield* settle(decoder.decode(), true)
  yield { ...last, tokens }
}

/**
 * Prints a line whenever the p-value has fallen tenfold, and at the end; with --json each is JSON. Returns the exit code: 0 as soon as the
 * text is detected, 1 where it ends before.
 */
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
  const given = await watermarkOf(named)
  const watermark = input.on('decode') ? family(input, given) : given
  const { key, warning } = readKey(input, watermark)
  const line = warning(watermark)
  const skip = numbers('--skip', input.flag('skip') ?? '', /,/)
  const { read, vocabSize } = await readerOf(input)
  const prompt = await readPrompt(input)
  const { push } = stream(watermark, { key, vocabSize, skip, ...(prompt && { prompt }) })
  let detected = false
  for (const evidence of evidenceOf(chunks, read, push, alpha)) {
    const { tokens, scored, pValue, message, text } = evidence
    detected = pValue <= alpha
    const read = message && { message: shown({ message, text }), text: undefined }
    if (input.on('json'))
      output.raw(`${JSON.stringify({ watermark: watermark.id, alpha, ...evidence, ...read, detected })}\n`)
    else {
      const said = read === undefined ? '' : `, message ${read.message}`
      print(output, `${tokens} tokens, ${scored} scored: p = ${probability(evidence)}${said}`)
    }
  }
  if (line !== undefined) output.error(line)
  if (!input.on('json')) print(output, `${detected ? 'detected' : 'not detected'} at alpha = ${alpha}`)
  return detected ? 0 : 1
}
