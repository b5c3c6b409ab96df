/**
 * The type of fast-check's arbitraries, for declarations that users compile. fast-check is an optional peer: a project without it
 * must still type-check, and there an arbitrary is `any`.
 */

// biome-ignore lint/suspicious/noTsIgnore: an error only where fast-check is missing; a doc comment stays in the declaration
/** @ts-ignore */
export type { Arbitrary } from 'fast-check'
