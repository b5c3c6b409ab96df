import { oneOf } from '../../input.ts'
import type { CheckOptions } from '../laws/check.ts'
import { EFFORTS } from '../laws/law.ts'

/**
 * Fills in from the environment what specs leave open: `UWBENCH_SEED` replays a whole run; `UWBENCH_EFFORT` is `quick` on a laptop,
 * `thorough` at night.
 */
export function withEnvironment(
  options: CheckOptions,
  env: Readonly<Record<string, string | undefined>> = globalThis.process?.env ?? {},
): CheckOptions {
  const { UWBENCH_SEED: seed, UWBENCH_EFFORT: effort } = env
  return {
    ...options,
    seed: options.seed ?? (seed ? Number(seed) : undefined),
    effort: options.effort ?? (effort ? oneOf('UWBENCH_EFFORT', effort, EFFORTS) : undefined),
  }
}
