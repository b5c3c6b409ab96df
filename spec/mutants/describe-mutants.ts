import { describe, expect, test } from 'vitest'
import type { CheckOptions } from '../../src/laws/check.ts'
import { type Mutant, law as names } from './mutant.ts'
import { verdictOn } from './verdict.ts'

/** One test per mutant: every law that must reject it does, and says how to see it again. Options make a coarse mistake cheap to find. */
export function describeMutants(
  family: string,
  mutants: readonly Mutant[],
  options: Pick<CheckOptions, 'bias' | 'effort'> = {},
): void {
  describe(family, () => {
    for (const mutant of mutants)
      test(mutant.name, async () => {
        for (const name of mutant.killedBy) {
          const { verdict, detail, counterexample } = await verdictOn(mutant, name, options)
          expect(verdict, `"${name}" must reject it; it said: ${detail}`).toBe('fails')
          expect(detail).not.toBe('')
          if (name !== names.biased) expect(counterexample?.replay).toContain(name)
        }
      })
  })
}
