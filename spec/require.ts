/**
 * Tests that need a component which not every machine has (a browser, Python, downloaded weights) are skipped without it, with a
 * reason that names it. `UWBENCH_REQUIRE=chromium,python` lists components whose absence is a failure instead.
 *
 * @example
 * test('runs in a browser', async (context) => {
 *   requireComponent(context, 'chromium', chromium !== undefined)
 *   // ...
 * })
 */
export function requireComponent(
  context: { skip(note: string): never },
  name: string,
  available: boolean,
): void {
  if (available) return
  const required = (process.env.UWBENCH_REQUIRE ?? '').split(',').map((item) => item.trim())
  if (required.includes(name)) throw new Error(`${name} is not available, but UWBENCH_REQUIRE names it`)
  context.skip(`needs ${name}, which is not available`)
}
