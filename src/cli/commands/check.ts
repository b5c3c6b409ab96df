import { append, put } from '../../bench/report/index.ts'
import type { Effort, LawResult } from '../../gate/laws/index.ts'
import { checkRunning, serverFlags } from './check-server.ts'
import { type Checked, checkCommand, checkNamed } from './checked.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { outputFile } from './files.ts'
import { type Output, print, printJson, safeLine } from './output.ts'

/** Returns the module or id, the command of --testee or the address of --server. */
function sourceOf(input: Input): {
  readonly name?: string
  readonly command?: string
  readonly server?: string
} {
  const [name] = input.words
  const [command, server] = [input.flag('testee'), input.flag('server')]
  const found = [name, command && '--testee', server && '--server'].filter((one) => one !== undefined)
  if (found.length > 1) throw new UsageError(`give '${found[0]}' or ${found[1]}, not several of them`)
  if (found.length === 0)
    throw new UsageError(
      "no watermark: give a module such as ./my-watermark.js, --testee 'python3 my_watermark.py' or --server URL",
    )
  const stray =
    server === undefined && Object.keys(serverFlags).find((flag) => input.flag(flag) ?? input.on(flag))
  if (stray) throw new UsageError(`--${stray}: only with --server`)
  return { name, command, server }
}

/** Returns the milliseconds of --timeout, which is in seconds. */
function timeoutOf(input: Input): number | undefined {
  const seconds = input.number('timeout')
  if (seconds === undefined) return undefined
  if (input.flag('testee') === undefined) throw new UsageError('--timeout: only with --testee')
  if (!(seconds > 0 && seconds <= 86_400))
    throw new UsageError(`--timeout: expected seconds, more than 0 and at most 86400, got ${seconds}`)
  return Math.ceil(1000 * seconds)
}

/** Prints verdicts on a terminal while laws are checked, and failures after them. */
async function terminalOf(output: Output, law: string | undefined) {
  const [{ liveCheck, fitted }, { allLaws, renderEvidence, renderFailure, renderMeaning }] =
    await Promise.all([import('./check-live.ts'), import('../../gate/laws/index.ts')])
  const laws = allLaws.map(({ name }) => name).filter((name) => law === undefined || name === law)
  const start = () => liveCheck({ colours: output.colours, laws })
  let shown = start()
  return {
    onProgress: (result: LawResult, done: number) =>
      output.raw(
        shown.result({ ...result, detail: safeLine(result.detail) }, safeLine(renderEvidence(result)), done),
      ),
    end({ id, results }: Checked, seed: number) {
      const failed = results.filter(({ verdict }) => verdict === 'fails')
      output.raw(shown.end())
      for (const one of failed) print(output, `\n${fitted(renderFailure({ id }, one))}`)
      print(output, `\n${fitted(renderMeaning(id, results))}\nseed ${seed}\n`)
      shown = start()
    },
  }
}

export const check: Command = {
  usage: "MODULE.js | ID | --testee 'COMMAND' | --server URL --model NAME",
  summary: 'Checks that a watermark obeys the laws. Exit code 0: all laws hold, 1: a law fails.',
  words: 1,
  flags: {
    testee: { value: 'COMMAND', help: 'check a program, in any language, that speaks the testee protocol' },
    timeout: { value: 'SECONDS', help: 'with --testee: time limit for one answer; 60 by default' },
    'testee-env': {
      value: 'NAMES',
      help: 'with --testee: variables that it gets although they may hold secrets, such as UWBENCH_KEY, AWS_REGION',
    },
    'false-alarm': {
      value: 'A',
      help: 'probability that a correct watermark fails, over the whole run; 1e-9 by default',
    },
    bias: { value: 'B', help: 'the bias to find, in total variation; 0.02 by default' },
    miss: { value: 'M', help: 'probability of missing a bias of --bias; 1e-3 by default' },
    effort: {
      value: 'E',
      help: 'quick, usual (the default) or thorough: more effort finds smaller biases on larger vocabularies',
    },
    seed: { value: 'S', help: 'repeat the run with this seed' },
    path: { value: 'P', help: 'with --law and --seed: repeat the case at this path' },
    law: { value: 'NAME', help: 'check only this law' },
    ...serverFlags,
    strict: { help: 'fail where a bias is suspicious: neither confirmed nor ruled out' },
    json: { help: 'print JSON' },
    junit: { value: 'FILE', help: 'also write JUnit XML' },
    summary: { value: 'FILE', help: 'also append a summary in Markdown' },
  },
  async run(input, output) {
    const { name, command, server } = sourceOf(input)
    const timeout = timeoutOf(input)
    const [junitFile, summaryFile] = [outputFile(input, 'junit'), outputFile(input, 'summary')]
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
      strict: input.on('strict') || undefined,
    }
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    const { renderMeaning, renderVerdicts } = await import('../../gate/laws/index.ts')
    const live =
      output.isTerminal && output.colours && !input.on('json') && server === undefined
        ? await terminalOf(output, law)
        : undefined
    const checked = { ...given, ...(live && { onProgress: live.onProgress }) }
    const all: Checked[] = []
    for await (const one of server !== undefined
      ? [await checkRunning(input)]
      : name === undefined
        ? checkCommand(
            command!,
            timeout,
            (input.flag('testee-env') ?? '').split(',').filter(Boolean),
            checked,
          )
        : checkNamed(name, checked)) {
      all.push(one)
      const { id, results, testee } = one
      if (live) live.end(one, seed)
      else if (input.on('json'))
        printJson(output, { watermark: id, seed, results, ...(testee && { testee }) })
      else print(output, `${renderVerdicts({ id }, results)}\n\n${renderMeaning(id, results)}\nseed ${seed}`)
    }
    if (junitFile !== undefined || summaryFile !== undefined) {
      const { junit, summary } = await import('./check-files.ts')
      if (junitFile !== undefined) put(junitFile, junit(all))
      if (summaryFile !== undefined) append(summaryFile, summary(all, seed))
    }
    return all.some(({ results }) => results.some(({ verdict }) => verdict === 'fails')) ? 1 : 0
  },
}
