/** `checkWatermark`: every law, without a test runner. */
import {
  boolean,
  callable,
  text as checkText,
  integer,
  list,
  number,
  oneOf,
  outOfRange,
  refuseUnknown,
  wrongType,
} from '../../input.ts'
import { requireWatermark, type Watermark } from '../../watermark.ts'
import { allLaws } from './all-laws.ts'
import { thrown } from './for-all.ts'
import { guarded } from './guard.ts'
import { EFFORTS, type Effort, type Law, type LawResult, notApplicable, type Trial } from './law.ts'
import { ledger } from './ledger.ts'
import { renderSuspicion } from './render.ts'
import { freshSeed } from './seed.ts'

export interface CheckOptions {
  /** The chance that a correct watermark fails any law of the run is at most this. Default 1e-9. */
  readonly falseAlarm?: number
  /** The chance that a bias of at least `bias` on a tested distribution passes is at most this. Default 1e-3. */
  readonly miss?: number
  /** The bias in total variation that sampled laws must see. Default 0.02. */
  readonly bias?: number
  /** The work to do, in keys and sizes of vocabularies: 'quick', 'usual' (the default) or 'thorough'. */
  readonly effort?: Effort
  /** The source of generated values. Default: fresh; it is part of every counterexample. */
  readonly seed?: number
  /** Replays one generated value, as a counterexample names it. */
  readonly path?: string
  /** The number of distributions that exact laws try. Default 100. */
  readonly runs?: number
  /** Fails a law whose result is suspicious: a bias that was neither confirmed nor ruled out. Default false. */
  readonly strict?: boolean
  /** Names of the laws to check. Default: all. */
  readonly laws?: readonly string[]
  /** Aborts the check. */
  readonly signal?: AbortSignal
  /** Told about each result as it comes. */
  readonly onProgress?: (result: LawResult, done: number, of: number) => void
}

/** Options with every default filled in. */
export interface Settings extends Omit<Trial, 'progress' | 'breathe'> {
  readonly laws: readonly Law[]
  readonly strict: boolean
  readonly signal?: AbortSignal
}

/** The most distributions that an exact law tries. */
const MAX_RUNS = 1_000_000

/** Checks the options and fills in defaults. */
export function settingsOf(options: CheckOptions = {}): Settings {
  refuseUnknown('checkWatermark', options, [
    'falseAlarm',
    'miss',
    'bias',
    'effort',
    'seed',
    'path',
    'runs',
    'strict',
    'laws',
    'signal',
    'onProgress',
  ])
  const { path, signal, onProgress } = options
  if (path !== undefined) checkText('path', path)
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
    throw wrongType('signal', 'an AbortSignal', signal)
  if (onProgress !== undefined) callable('onProgress', onProgress, 'a function of a result')
  const laws =
    options.laws === undefined
      ? undefined
      : Array.from(list<string>('laws', options.laws, 'a list of names of laws'))
  const names = allLaws.map(({ name }) => name)
  const expected = `names among ${names.map((n) => `'${n}'`).join(', ')}`
  const unknown = laws?.find((name) => !names.includes(name))
  if (unknown !== undefined) throw outOfRange('laws', expected, unknown)
  if (laws?.length === 0) throw outOfRange('laws', `at least one of the ${expected}`, options.laws)
  return {
    falseAlarm: number('falseAlarm', options.falseAlarm ?? 1e-9, 0, 0.5, true),
    miss: number('miss', options.miss ?? 1e-3, 0, 0.5, true),
    bias: number('bias', options.bias ?? 0.02, 0, 0.2, true),
    effort: oneOf('effort', options.effort ?? 'usual', EFFORTS),
    seed: integer('seed', options.seed ?? freshSeed(), -(2 ** 31), 2 ** 31 - 1),
    // laws that replay as a whole name no path
    path: path === '' ? undefined : path,
    runs: integer('runs', options.runs ?? 100, 1, MAX_RUNS),
    laws: allLaws.filter(({ name }) => laws?.includes(name) ?? true),
    strict: boolean('strict', options.strict ?? false),
    signal,
  }
}

/** Milliseconds that a check may keep others from running. */
const BREATH_MS = 40

function breather(signal: AbortSignal | undefined): Trial['breathe'] {
  let last = performance.now()
  return () => {
    signal?.throwIfAborted()
    if (performance.now() - last < BREATH_MS) return undefined
    last = performance.now()
    return new Promise((resolve) => setTimeout(resolve))
  }
}

/** Returns the conditions under which a law is checked: its share comes from the ledger of all laws, whichever are run. */
export function trialOf(law: Pick<Law, 'name'>, settings: Settings): Trial {
  const { laws: _, strict: __, signal, ...conditions } = settings
  const { falseAlarm } = ledger(allLaws, settings.falseAlarm).find((entry) => entry.law === law.name)!
  return { ...conditions, falseAlarm, progress: { cases: 0 }, breathe: breather(signal) }
}

const wrongPath = ({ path, laws }: Settings): RangeError =>
  outOfRange(
    'path',
    `a path that leads to a case of ${laws.length === 1 ? `'${laws[0]!.name}'` : 'a law'}`,
    path,
  )

/** Checks one law; `reached` says whether it tried anything: a path leads into some laws and past others. */
async function tryLaw<Code>(
  law: Law,
  watermark: Watermark<Code>,
  settings: Settings,
): Promise<{ readonly result: LawResult; readonly reached: boolean }> {
  const trial = trialOf(law, settings)
  let result: LawResult
  try {
    result = await law.check(guarded(watermark), trial)
  } catch (error) {
    if (settings.signal?.aborted) throw error
    return { result: { law: law.name, verdict: 'fails', detail: thrown(error) }, reached: true }
  }
  if (settings.path !== undefined && trial.progress!.cases === 0)
    return {
      result: {
        law: law.name,
        ...notApplicable(`the path '${settings.path}' leads to no case of this law`),
      },
      reached: false,
    }
  const { verdict, evidence, suspicious } = result
  if (settings.strict && suspicious !== undefined)
    return { result: { ...result, verdict: 'fails', detail: renderSuspicion(suspicious) }, reached: true }
  if (verdict === 'holds' && evidence?.kind === 'exact' && evidence.cases === 0)
    throw new Error(`the law "${law.name}" tried no case, so it cannot hold`)
  return { result, reached: true }
}

/**
 * Checks one law. An error thrown outside generated values is the watermark's, and a failure; a path that leads to no case of the
 * only law there is, is the caller's.
 */
export async function checkLaw<Code>(
  law: Law,
  watermark: Watermark<Code>,
  settings: Settings,
): Promise<LawResult> {
  const { result, reached } = await tryLaw(law, watermark, settings)
  if (!reached && settings.laws.length === 1) throw wrongPath(settings)
  return result
}

/**
 * Checks a watermark against every law, without a test runner. A law that does not apply is reported as such.
 * @example
 * const laws = ['reweight gives a distribution', 'unbiased over keys']
 * const results = await checkWatermark(kgw({ delta: 2 }), { laws, seed: 1 })
 * results.map(({ verdict }) => verdict) // ['holds', 'not applicable']
 */
export async function checkWatermark<Code>(
  watermark: Watermark<Code>,
  options: CheckOptions = {},
): Promise<LawResult[]> {
  requireWatermark(watermark)
  const settings = settingsOf(options)
  const results: LawResult[] = []
  let cases = false
  for (const law of settings.laws) {
    const { result, reached } = await tryLaw(law, watermark, settings)
    cases ||= reached
    results.push(result)
    options.onProgress?.(result, results.length, settings.laws.length)
  }
  if (!cases) throw wrongPath(settings)
  return results
}
