/**
 * Every public function that runs without files, with one argument or option replaced by a value that it does not expect: a right
 * result or an error that names argument, value and expectation, within two seconds.
 *
 * 2,000 inputs per run with a fresh seed; `UWBENCH_FUZZ=100000` runs so many and writes reports/hardening.md.
 */
import { appendFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostile } from './hostile.ts'
import { type Kind, outcomeOf } from './outcome.ts'
import { entries } from './recipe.ts'
import { writePart } from './report.ts'
import { leftOut, place, recipes, withHostile } from './surface.ts'

const RUNS = Number(process.env.UWBENCH_FUZZ ?? 2000)
const TRACE = process.env.UWBENCH_FUZZ_TRACE

/** The report: counts per outcome and per function. */
function report(counts: ReadonlyMap<string, ReadonlyMap<Kind, number>>): string {
  const kinds: Kind[] = [
    'result',
    'clear error',
    "the value's own error",
    'raw error',
    'not a number',
    'too slow',
  ]
  const total = (kind: Kind) => [...counts.values()].reduce((sum, own) => sum + (own.get(kind) ?? 0), 0)
  const line = (name: string, of: (kind: Kind) => number) => `| ${name} | ${kinds.map(of).join(' | ')} |`
  const names = [...counts.keys()].sort()
  return `\`UWBENCH_FUZZ=${RUNS} npx vitest run --project=unit spec/fuzz\`: ${RUNS} calls of ${names.length} public functions, each with one argument or option
replaced by a value that it does not expect. Wanted are results and clear errors. "The value's own error" is thrown by a getter, a trap or a
revoked proxy of the value itself. A call that takes over two seconds of processor time is too slow.

Left out are ${Object.keys(leftOut).length} functions, for the reasons given in spec/fuzz/surface.ts.

| function | ${kinds.join(' | ')} |
| --- | ${kinds.map(() => '---:').join(' | ')} |
${line('**all**', total)}
${names.map((name) => line(name, (kind) => counts.get(name)!.get(kind) ?? 0)).join('\n')}
`
}

test('every function of every entry is fuzzed, or left out for a reason', () => {
  const functions = Object.entries(entries).flatMap(([entry, module]) =>
    Object.entries(module)
      .filter(([, value]) => typeof value === 'function')
      .map(([name]) => `${entry}.${name}`),
  )
  const covered = new Set(recipes.map(({ name }) => name.replace(/ .*$/, '')))
  expect(functions.filter((name) => !covered.has(name) && leftOut[name] === undefined)).toEqual([])
  expect(Object.keys(leftOut).filter((name) => !functions.includes(name))).toEqual([])
})

test('the arguments that are varied are accepted as they are', async () => {
  const refused: string[] = []
  for (const { name, args, call } of recipes)
    try {
      await call(...args())
    } catch (error) {
      refused.push(`${name}: ${(error as Error).message}`)
    }
  expect(refused).toEqual([])
})

test(`${RUNS} hostile inputs: a result or an error that helps, within two seconds`, async () => {
  const counts = new Map<string, Map<Kind, number>>()
  const bad = new Map<string, string>()
  const property = fc.asyncProperty(
    fc.constantFrom(...recipes),
    place(),
    hostile(),
    async (recipe, where, value) => {
      const made = value.make()
      const { args, where: at, replaced } = withHostile(recipe, where, made)
      const ownCode = typeof replaced === 'function' && typeof made === 'function'
      if (TRACE) appendFileSync(TRACE, `${recipe.name}, ${at}: ${value.name}\n`)
      const { kind, detail } = await outcomeOf(() => recipe.call(...args), { ...recipe, ownCode })
      const own = counts.get(recipe.name) ?? new Map<Kind, number>()
      own.set(kind, (own.get(kind) ?? 0) + 1)
      counts.set(recipe.name, own)
      if (kind === 'raw error' || kind === 'not a number' || kind === 'too slow') {
        if (TRACE)
          appendFileSync(`${TRACE}.bad`, `${recipe.name}, ${at}: ${kind}\t${value.name}: ${detail}\n`)
        bad.set(`${recipe.name}, ${at}: ${kind}`, `${value.name}: ${detail}`)
      }
    },
  )
  await fc.assert(property, { numRuns: RUNS })
  if (process.env.UWBENCH_FUZZ) writePart('Public functions', report(counts))
  expect(Object.fromEntries(bad)).toEqual({})
}, 3_600_000)
