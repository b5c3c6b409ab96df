import { describe, expect, test } from 'vitest'
import type { CheckOptions } from '../../src/gate/laws/check.ts'
import { type Mutant, law as names } from './mutant.ts'
import { verdictOn } from './verdict.ts'

interface Options extends Pick<CheckOptions, 'bias' | 'effort'> {
  /** By name, the one case of the first law that finds the mistake, where all cases take long; `npm run mutants` tries them all. */
  readonly at?: Readonly<Record<string, string>>
}

/** One test per mutant: every law that must reject it does, and says how to see it again. Options make a coarse mistake cheap to find. */
export function describeMutants(
  family: string,
  mutants: readonly Mutant[],
  { at = {}, ...options }: Options = {},
): void {
  describe(family, () => {
    if (Object.keys(at).length > 0)
      test('cases are those of mutants', () =>
        expect(mutants.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(at))))
    for (const mutant of mutants)
      test(mutant.name, async () => {
        for (const name of mutant.killedBy) {
          const path = name === mutant.killedBy[0] ? at[mutant.name] : undefined
          const { verdict, detail, counterexample } = await verdictOn(mutant, name, {
            ...options,
            ...(path !== undefined && { path }),
          })
          expect(verdict, `"${name}" must reject it; it said: ${detail}`).toBe('fails')
          expect(detail).not.toBe('')
          if (name !== names.biased) expect(counterexample?.replay).toContain(name)
        }
      })
  })
}
