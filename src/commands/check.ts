import { appendFileSync, writeFileSync } from 'node:fs'
import type { Effort, LawResult } from '../laws/law.ts'
import { counted } from '../report/sentence.ts'
import { type Checked, checkCommand, checkNamed } from './checked.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { checkFolderOf } from './files.ts'
import { type Output, print, printJson, safeLine } from './output.ts'

/** Where the watermark comes from: a word, or --testee. */
function sourceOf(input: Input): { readonly name?: string; readonly command?: string } {
  const [name] = input.words
  const command = input.flag('testee')
  if (name !== undefined && command !== undefined)
    throw new UsageError('give a module, an id or --testee, not several of them')
  if (name === undefined && command === undefined)
    throw new UsageError(
      "no watermark: give a module such as ./my-watermark.js, or --testee 'python3 my_watermark.py'",
    )
  return { name, command }
}

/** Milliseconds from --timeout, which is in seconds. */
function timeoutOf(input: Input): number | undefined {
  const seconds = input.number('timeout')
  if (seconds === undefined) return undefined
  if (input.flag('testee') === undefined) throw new UsageError('--timeout: only with --testee')
  if (!(seconds > 0 && seconds <= 86_400))
    throw new UsageError(`--timeout: expected seconds, more than 0 and at most 86400, got ${seconds}`)
  return Math.ceil(1000 * seconds)
}

const fileName = (input: Input, flag: string): string | undefined => {
  const name = input.flag(flag)
  if (name !== undefined) checkFolderOf(name)
  return name
}

/** What a terminal shows while laws are checked, and after them. */
async function terminalOf(output: Output, law: string | undefined) {
  const [{ liveCheck, fitted }, { allLaws, renderFailure }, { renderEvidence }] = await Promise.all([
    import('./check-live.ts'),
    import('../laws/index.ts'),
    import('../laws/render.ts'),
  ])
  const laws = allLaws.map(({ name }) => name).filter((name) => law === undefined || name === law)
  const start = () => liveCheck({ colours: output.colours, laws })
  let shown = start()
  return {
    onProgress: (result: LawResult, done: number) =>
      output.raw(
        shown.result(
          { ...result, detail: safeLine(result.detail) },
          safeLine(renderEvidence(result.evidence)),
          done,
        ),
      ),
    end({ id, results }: Checked, seed: number) {
      const failed = results.filter(({ verdict }) => verdict === 'fails')
      const applied = results.filter(({ verdict }) => verdict !== 'not applicable').length
      output.raw(shown.end())
      for (const one of failed) print(output, `\n${fitted(renderFailure({ id }, one))}`)
      print(output, `\n${id}: ${applied - failed.length} of ${counted(applied, 'law')} hold\nseed ${seed}\n`)
      shown = start()
    },
  }
}

export const check: Command = {
  usage: "MODULE.js | ID | --testee 'COMMAND'",
  summary: 'Checks that a watermark obeys the laws. Exit code 0: all laws hold, 1: a law fails.',
  words: 1,
  flags: {
    testee: { value: 'COMMAND', help: 'check a program in any language that speaks the testee protocol' },
    timeout: { value: 'SECONDS', help: 'with --testee: the longest time for one answer; 60 by default' },
    'false-alarm': {
      value: 'A',
      help: 'chance that a correct watermark fails, for the whole run; 1e-9 by default',
    },
    bias: { value: 'B', help: 'the bias, in total variation, that must be found; 0.02 by default' },
    miss: { value: 'M', help: 'chance that such a bias is missed; 1e-3 by default' },
    effort: {
      value: 'E',
      help: 'quick, usual (the default) or thorough: how small biases are seen, and on what sizes',
    },
    seed: { value: 'S', help: 'repeat the run of this seed' },
    path: { value: 'P', help: 'with --law and --seed: repeat the case of this path' },
    law: { value: 'NAME', help: 'check this law only' },
    json: { help: 'print JSON' },
    junit: { value: 'FILE', help: 'also write JUnit XML' },
    summary: { value: 'FILE', help: 'also append a summary in Markdown' },
  },
  async run(input, output) {
    const { name, command } = sourceOf(input)
    const timeout = timeoutOf(input)
    const [junitFile, summaryFile] = [fileName(input, 'junit'), fileName(input, 'summary')]
    const law = input.flag('law')
    const seed = input.number('seed') ?? crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1
    const options = {
      falseAlarm: input.number('false-alarm'),
      bias: input.number('bias'),
      miss: input.number('miss'),
      effort: input.flag('effort') as Effort | undefined,
      seed,
      path: input.flag('path'),
      laws: law === undefined ? undefined : [law],
    }
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    const { renderVerdicts } = await import('../laws/index.ts')
    const live =
      output.isTerminal && output.colours && !input.on('json') ? await terminalOf(output, law) : undefined
    const checked = { ...given, ...(live && { onProgress: live.onProgress }) }
    const all: Checked[] = []
    for await (const one of name === undefined
      ? checkCommand(command!, timeout, checked)
      : checkNamed(name, checked)) {
      all.push(one)
      const { id, results, testee } = one
      if (live) live.end(one, seed)
      else if (input.on('json'))
        printJson(output, { watermark: id, seed, results, ...(testee && { testee }) })
      else print(output, `${renderVerdicts({ id }, results)}\n\nseed ${seed}`)
    }
    if (junitFile !== undefined || summaryFile !== undefined) {
      const { junit, summary } = await import('./check-files.ts')
      if (junitFile !== undefined) writeFileSync(junitFile, junit(all))
      if (summaryFile !== undefined) appendFileSync(summaryFile, summary(all, seed))
    }
    return all.some(({ results }) => results.some(({ verdict }) => verdict === 'fails')) ? 1 : 0
  },
}
