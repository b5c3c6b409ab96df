/** A seed that no run had before: results never depend on one that was picked because it passes. */
export const freshSeed = (): number => crypto.getRandomValues(new Int32Array(1))[0]!
