/**
 * Tests that need a component which not every machine has (a browser, Redis, Python) are skipped without it, and the last line of the
 * run names them and the command that installs it: see missing-reporter.ts. `UWBENCH_REQUIRE=chromium,python` lists components whose
 * absence is a failure instead; `.ci/run` lists all.
 *
 * @example
 * test('runs in a browser', async (context) => {
 *   requireComponent(context, 'chromium', found !== undefined, 'apt-get install chromium')
 *   // ...
 * })
 */

/** What is installed where it is missing, unless the caller says. */
const usual: Readonly<Record<string, string>> = {
  python: 'apt-get install python3',
  redis: 'apt-get install redis-server',
  apertium: 'apt-get install apertium apertium-eng-spa',
  stories15m: 'npx uwbench generate "Once upon a time" --model stories15m',
  'node-llama-cpp':
    'npm install --no-save --ignore-scripts --omit=optional --prefix /tmp/llama node-llama-cpp @node-llama-cpp/linux-x64 and UWBENCH_LLAMA_CPP=/tmp/llama',
  minilm: 'UWBENCH_REQUIRE=minilm npx vitest run spec/models/foreign.spec.ts',
  tinyllama: 'npx uwbench generate "Why is the sky blue?" --model tinyllama',
  brown: 'UWBENCH_REQUIRE=brown npx vitest run spec/datasets/brown.spec.ts',
  'minimind2-small': 'UWBENCH_REQUIRE=minimind2-small npx vitest run spec/models/foreign.spec.ts',
}

/** Whether UWBENCH_REQUIRE names a component. */
export const isRequired = (name: string): boolean =>
  (process.env.UWBENCH_REQUIRE ?? '')
    .split(',')
    .map((item) => item.trim())
    .includes(name)

declare module 'vitest' {
  interface TaskMeta {
    /** The component for want of which a test was skipped, and what installs it. */
    missing?: { readonly component: string; readonly install: string }
  }
}

/** The part of a test's context that is used. */
interface TestContext {
  readonly task?: { readonly meta: { missing?: { readonly component: string; readonly install: string } } }
  skip(note: string): never
}

export function requireComponent(
  context: TestContext,
  component: string,
  available: boolean,
  install: string = usual[component] ?? `install ${component}`,
): void {
  if (available) return
  if (isRequired(component))
    throw new Error(`${component} is not available, but UWBENCH_REQUIRE names it: ${install}`)
  if (context.task) context.task.meta.missing = { component, install }
  context.skip(`needs ${component}, which is not available: ${install}`)
}
