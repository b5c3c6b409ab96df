/** A public function with arguments that it accepts. */

import * as config from '../../src/bench/config/entry.ts'
import * as bench from '../../src/bench/entry.ts'
import * as paper from '../../src/bench/paper/entry.ts'
import * as stats from '../../src/core/stats/entry.ts'
import * as laws from '../../src/gate/laws/entry.ts'
import * as server from '../../src/gate/server/entry.ts'
import * as testee from '../../src/gate/testee/entry.ts'
import * as core from '../../src/index.ts'
import * as attacks from '../../src/text/attacks/entry.ts'
import * as metrics from '../../src/text/metrics/entry.ts'
import * as models from '../../src/text/models/entry.ts'
import * as theory from '../../src/theory/entry.ts'
import * as reference from '../../src/watermarks/reference.ts'

export const entries = {
  core,
  laws,
  models,
  bench,
  theory,
  paper,
  metrics,
  attacks,
  stats,
  server,
  testee,
  reference,
  config,
}

export interface Recipe {
  readonly name: string
  /** Arguments that are accepted, made anew for every call. */
  args(): unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: arguments of any type are what this is about
  call(...args: any[]): unknown
  /** For functions whose result may hold NaN by definition. */
  readonly mayBeNaN?: boolean
}

export const KEY = 'a secret of sixteen bytes'
export const tokens = () => Array.from({ length: 30 }, (_, t) => (t * t) % 17)
export const detection = () => ({ key: KEY, vocabSize: 20, alpha: 0.01, skip: [3], end: 19, runs: 5 })
export const uniform = (n = 4) => new Float64Array(n).fill(1 / n)
export const model = () => models.markovModel({ vocabSize: 8 })
export const alone = { minTokens: 2 }
export const distribution = () => Float64Array.of(0.5, 0.25, 0.25)
export const sample = () => [0.1, 0.4, 0.2, 0.9]
export const attackOptions = () => ({ seed: 1, vocabSize: 20, exclude: [1], human: tokens() })

/** Drains generators, so that what they do lazily is done. */
export const drain = (values: Iterable<unknown>): unknown => {
  const list: unknown[] = []
  for (const value of values) if (list.push(value) > 1000) break
  return list
}

/** A function called as it is. */
export const plain = (
  entry: keyof typeof entries,
  name: string,
  args: () => unknown[],
  more: Partial<Recipe> = {},
): Recipe => ({
  name: `${entry}.${name}`,
  args,
  call: (...given) =>
    (entries[entry] as unknown as Record<string, (...all: unknown[]) => unknown>)[name]!(...given),
  ...more,
})
