/** vitest is an optional peer of the package: where it is missing, the error says what to install. */
export const { afterAll, beforeAll, describe, Snapshots, test } = await import('vitest').catch(
  (cause: unknown) => {
    throw new Error('uwbench/vitest needs the package vitest: npm install --save-dev vitest fast-check', {
      cause,
    })
  },
)
