/** Checks of watermarks: those of a module, a shipped one by its id, or a process that speaks the testee protocol. */
import type { CheckOptions, LawResult } from '../../gate/laws/index.ts'
import type { TesteeInfo } from '../../gate/testee/index.ts'
import { printable, show } from '../../input.ts'
import { UsageError } from './command.ts'
import { watermarksOf } from './own-watermark.ts'

/** Results for one watermark. */
export interface Checked {
  readonly id: string
  readonly results: readonly LawResult[]
  /** Description that a testee gave of itself. */
  readonly testee?: TesteeInfo
}

/** Checks every watermark of a module, or a shipped one, in turn. */
export async function* checkNamed(name: string, options: CheckOptions): AsyncGenerator<Checked> {
  const { checkWatermark, quoted, replayedBy } = await import('../../gate/laws/index.ts')
  for (const watermark of (await watermarksOf(name)).watermarks) {
    const results = await checkWatermark(watermark, options)
    yield {
      id: watermark.id,
      results: results.map((result) => replayedBy(`uwbench check ${quoted(printable(name))}`, result)),
    }
  }
}

/** Splits a command line at blanks, with quotes as in a shell. Nothing is expanded. */
export function wordsOf(line: string, flag = '--testee'): string[] {
  const words: string[] = []
  let rest = line.trim()
  while (rest !== '') {
    const word = /^(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+/.exec(rest)?.[0]
    if (word === undefined) throw new UsageError(`${flag}: unbalanced quotes in ${show(line)}`)
    const unquoted = word.replace(
      /\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"/g,
      (_, escaped, plain, quoted) => escaped ?? plain ?? quoted.replace(/\\(["\\$`])/g, '$1'),
    )
    words.push(unquoted)
    rest = rest.slice(word.length).trimStart()
  }
  if (words.length === 0)
    throw new UsageError(`${flag}: expected a command such as 'python3 my_watermark.py', got none`)
  return words
}

/** Checks a testee. @param names variables of the environment that it gets although they may hold secrets */
export async function* checkCommand(
  line: string,
  timeout: number | undefined,
  names: readonly string[],
  options: CheckOptions,
): AsyncGenerator<Checked> {
  const command = wordsOf(line)
  const { checkTestee } = await import('../../gate/testee/index.ts')
  const env = Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']))
  const { info, results } = await checkTestee(
    { command, env, ...(timeout !== undefined && { timeout }) },
    options,
  )
  yield { id: info.id, results, testee: info }
}
