/**
 * A statement of the theory as a pair of tests: it holds, and a false variant of it is rejected by the same check. The
 * two, and how they were checked, become one row of reports/theorems.md (see reporter.ts).
 */
import { chai, expect, test } from 'vitest'

/** What a row of the report says besides the outcome. */
export interface StatementMeta {
  readonly section: string
  readonly statement: string
  /** exact | bounded | simulated, on how many inputs, with which error rates. */
  readonly how: string
  /** What came out, in figures; only set once the check has passed. */
  readonly found?: string
  /** The false variant; set on the test that rejects it. */
  readonly falsehood?: string
}

declare module 'vitest' {
  interface TaskMeta {
    statement?: StatementMeta
  }
}

interface Statement<Claim> {
  readonly name: string
  readonly how: string
  /** What is true, as far as it can be varied: a constant, a length, a formula. */
  readonly claim: Claim
  /** Throws when the claim is false; returns what was found. Deterministic but for fast-check's printed seed. */
  readonly check: (claim: Claim) => string | undefined | Promise<string | undefined>
  /** A claim that is false, and what it says. */
  readonly falsehood: { readonly what: string; readonly claim: Claim }
}

/**
 * Returns the assertion by which a check rejects a claim: thrown by it, or the cause of a property that fast-check found to fail. Any
 * other error says that the check is broken, not that the claim is false: it is thrown on. Returns undefined where the check passes.
 */
export async function refutation(check: () => unknown): Promise<Error | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause)
      if (cause instanceof chai.AssertionError) return cause
    throw error
  }
}

/** Registers the statements of one section. */
export const section =
  (title: string) =>
  <Claim>({ name, how, claim, check, falsehood }: Statement<Claim>): void => {
    const base = { section: title, statement: name, how }
    test(name, async ({ task }) => {
      task.meta.statement = base
      const found = await check(claim)
      task.meta.statement = { ...base, found: found ?? '' }
    })
    test(`${name} — rejects: ${falsehood.what}`, async ({ task }) => {
      task.meta.statement = { ...base, falsehood: falsehood.what }
      await expect(refutation(() => check(falsehood.claim))).resolves.toBeDefined()
    })
  }
