/** Messages on the command line: `generate --message` and `detect --decode`. */
import { type Decoded, decode } from '../../core/detect/index.ts'
import { withMessage } from '../../core/method/index.ts'
import { integer } from '../../input.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { type Input, UsageError } from './command.ts'
import { type Output, print, printJson } from './output.ts'

/** Bits of a message unless the caller says otherwise: eight bytes. */
const BITS = 64

/** Returns the watermarks of all messages of the length and code that were asked for. */
export const family = (input: Input, watermark: AnyWatermark) =>
  withMessage(watermark, {
    bits: integer('--bits', input.number('bits') ?? BITS, 1),
    code: (input.flag('code') ?? 'none') as 'none',
  })

/** Returns the watermark of the message that was asked for, or the given one. */
export function carrying(input: Input, watermark: AnyWatermark | undefined): AnyWatermark | undefined {
  const message = input.flag('message')
  if (message === undefined) {
    for (const name of ['bits', 'code'])
      if (input.flag(name) !== undefined) throw new UsageError(`--${name} needs --message TEXT`)
    return watermark
  }
  if (watermark === undefined) throw new UsageError("--message needs --watermark, such as 'gumbel'")
  return family(input, watermark).messages.of(message)
}

/** Prints a message as text, or in hexadecimal. */
export const shown = ({ text, message }: Pick<Decoded, 'text' | 'message'>): string =>
  text ?? `0x${Array.from(message, (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** Reads the message of a text and prints it with the p-value of each block. Returns the exit code: 0 if there is a message. */
export function printMessage(
  input: Input,
  output: Output,
  watermark: AnyWatermark,
  tokens: readonly number[],
  options: Parameters<typeof decode>[2],
): number {
  const named = family(input, watermark)
  const found = decode(named, tokens, options)
  const { blocks, detected, scored } = found
  if (input.on('json'))
    printJson(output, {
      watermark: named.id,
      ...found,
      message: detected ? shown(found) : null,
      text: undefined,
    })
  else
    print(
      output,
      [
        `watermark  ${named.id}`,
        `decision   ${detected ? 'detected' : 'not detected'} at alpha = ${options.alpha}`,
        `p-value    ${+found.pValue.toPrecision(3)}`,
        `message    ${detected ? shown(found) : 'none'}`,
        `blocks     ${blocks.map(({ value, pValue }) => `${value} (p ${+pValue.toPrecision(2)})`).join(', ')}`,
        `scored     ${scored} of ${tokens.length} tokens`,
      ].join('\n'),
    )
  return detected ? 0 : 1
}
