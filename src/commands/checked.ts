/** What `uwbench check` checks: watermarks of a module, a shipped one by its id, or a process that speaks the testee protocol. */
import { show } from '../input.ts'
import type { CheckOptions } from '../laws/check.ts'
import type { LawResult } from '../laws/law.ts'
import type { TesteeInfo } from '../testee/index.ts'
import { UsageError } from './command.ts'
import { watermarksOf } from './own-watermark.ts'

/** The results of one watermark. */
export interface Checked {
  readonly id: string
  readonly results: readonly LawResult[]
  /** What a testee said about itself. */
  readonly testee?: TesteeInfo
}

/** Checks every watermark of a module, or a shipped one, in turn. */
export async function* checkNamed(name: string, options: CheckOptions): AsyncGenerator<Checked> {
  const { checkWatermark } = await import('../laws/index.ts')
  for (const watermark of (await watermarksOf(name)).watermarks)
    yield { id: watermark.id, results: await checkWatermark(watermark, options) }
}

/** The words of a command line: separated by blanks, quoted as in a shell. Nothing is expanded. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  let rest = line.trim()
  while (rest !== '') {
    const word = /^(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/.exec(rest)?.[0]
    if (word === undefined) throw new UsageError(`--testee: unbalanced quotes in ${show(line)}`)
    const unquoted = word.replace(
      /\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g,
      (_, escaped, plain, quoted) => escaped ?? plain ?? quoted.replace(/\\(["\\$`])/g, '$1'),
    )
    words.push(unquoted)
    rest = rest.slice(word.length).trimStart()
  }
  if (words.length === 0)
    throw new UsageError("--testee: expected a command such as 'python3 my_watermark.py', got none")
  return words
}

/** Checks a testee. */
export async function* checkCommand(
  line: string,
  timeout: number | undefined,
  options: CheckOptions,
): AsyncGenerator<Checked> {
  const command = wordsOf(line)
  const { checkTestee } = await import('../testee/index.ts')
  const { info, results } = await checkTestee({ command, ...(timeout !== undefined && { timeout }) }, options)
  yield { id: info.id, results, testee: info }
}
