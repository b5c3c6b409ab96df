/** Contexts that are not scored. Sets are made in `context-set.ts`, which a page that only detects does not need. */
import { wrongType } from '../../input.ts'
import type { ContextRule } from './rule.ts'
import type { Context } from './schedule.ts'

/** A set of contexts, as `contextSet` collects them. */
export interface ContextSet {
  /** The id of the rule whose contexts these are. */
  readonly rule: string
  readonly size: number
  /** Returns whether a context is in the set. */
  has(context: Context): boolean
}

/** Makes the test of a context that is left out; undefined where no set is given. */
export function excluding(
  set: ContextSet | undefined,
  rule: ContextRule,
): ((context: Context) => boolean) | undefined {
  if (set === undefined) return undefined
  if (set?.rule !== rule.id)
    throw wrongType('excludeContexts', `contextSet(texts, rule) of ${rule.id}`, set?.rule)
  return (context) => set.has(context)
}
