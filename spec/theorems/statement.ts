/**
 * A statement of the theory as a pair of tests: it holds, and a false variant of it is rejected by the same check. The
 * two, and how they were checked, become one row of reports/theorems.md (see reporter.ts).
 */
import { expect, test } from 'vitest'

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
      await expect((async () => check(falsehood.claim))()).rejects.toThrow()
    })
  }
