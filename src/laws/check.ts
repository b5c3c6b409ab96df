/** `checkWatermark`: every law, without a test runner. */
import { integer, number, oneOf, outOfRange } from '../input.ts'
import type { Watermark } from '../watermark.ts'
import { allLaws } from './all-laws.ts'
import { thrown } from './for-all.ts'
import { EFFORTS, type Effort, type Law, type LawResult, type Trial } from './law.ts'
import { ledger } from './ledger.ts'
import { freshSeed } from './seed.ts'

export interface CheckOptions {
  /** The chance that a correct watermark fails any law of the run is at most this. Default 1e-9. */
  readonly falseAlarm?: number
  /** The chance that a bias of at least `bias` on a tested distribution passes is at most this. Default 1e-3. */
  readonly miss?: number
  /** The bias in total variation that sampled laws must see. Default 0.02. */
  readonly bias?: number
  /** How many keys and how large vocabularies: 'quick', 'usual' (the default) or 'thorough'. */
  readonly effort?: Effort
  /** Where generated values come from. Default: fresh; it is part of every counterexample. */
  readonly seed?: number
  /** Replays one generated value, as a counterexample names it. */
  readonly path?: string
  /** How many distributions exact laws try. Default 100. */
  readonly runs?: number
  /** Names of the laws to check. Default: all. */
  readonly laws?: readonly string[]
  /** Aborts the check. */
  readonly signal?: AbortSignal
  /** Told about each result as it comes. */
  readonly onProgress?: (result: LawResult, done: number, of: number) => void
}

/** Options with every default filled in. */
export interface Settings {
  readonly falseAlarm: number
  readonly miss: number
  readonly bias: number
  readonly effort: Effort
  readonly seed: number
  readonly path?: string
  readonly runs: number
  readonly laws: readonly Law[]
  readonly signal?: AbortSignal
}

/** Checks the options and fills in defaults. */
export function settingsOf(options: CheckOptions = {}): Settings {
  const names = allLaws.map(({ name }) => name)
  const unknown = options.laws?.find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw outOfRange('laws', `names among ${names.map((n) => `'${n}'`).join(', ')}`, unknown)
  return {
    falseAlarm: number('falseAlarm', options.falseAlarm ?? 1e-9, 0, 0.5, true),
    miss: number('miss', options.miss ?? 1e-3, 0, 0.5, true),
    bias: number('bias', options.bias ?? 0.02, 0, 0.2, true),
    effort: oneOf('effort', options.effort ?? 'usual', EFFORTS),
    seed: integer('seed', options.seed ?? freshSeed(), -(2 ** 31), 2 ** 31 - 1),
    path: options.path,
    runs: integer('runs', options.runs ?? 100, 1),
    laws: allLaws.filter(({ name }) => options.laws?.includes(name) ?? true),
    signal: options.signal,
  }
}

/** How long a check may keep others from running. */
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

/** The conditions under which a law is checked: its share comes from the ledger of all laws, whichever are run. */
export function trialOf(law: Pick<Law, 'name'>, settings: Settings): Trial {
  const share = ledger(allLaws, settings.falseAlarm).find((entry) => entry.law === law.name)!.falseAlarm
  const { miss, bias, effort, seed, path, runs, signal } = settings
  return { falseAlarm: share, miss, bias, effort, seed, path, runs, breathe: breather(signal) }
}

/** Checks one law. An error thrown outside generated values is the watermark's, and a failure. */
export async function checkLaw<Code>(
  law: Law,
  watermark: Watermark<Code>,
  settings: Settings,
): Promise<LawResult> {
  try {
    return await law.check(watermark, trialOf(law, settings))
  } catch (error) {
    if (settings.signal?.aborted) throw error
    return { law: law.name, verdict: 'fails', detail: thrown(error) }
  }
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
  const settings = settingsOf(options)
  const results: LawResult[] = []
  for (const law of settings.laws) {
    const result = await checkLaw(law, watermark, settings)
    results.push(result)
    options.onProgress?.(result, results.length, settings.laws.length)
  }
  return results
}
