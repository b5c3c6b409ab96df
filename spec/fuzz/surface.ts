/** The public surface: which functions are fuzzed, which are left out and why, and how an argument is replaced. */
import * as fc from 'fast-check'
import type { Recipe } from './recipe.ts'
import { attackRecipes } from './recipes/attacks.ts'
import { benchRecipes } from './recipes/bench.ts'
import { configRecipes } from './recipes/config.ts'
import { coreRecipes, parameterRecipes } from './recipes/core.ts'
import { exampleRecipes } from './recipes/examples.ts'
import { lawRecipes } from './recipes/laws.ts'
import { methodRecipes } from './recipes/methods.ts'
import { metricRecipes } from './recipes/metrics.ts'
import { modelRecipes } from './recipes/models.ts'
import { referenceRecipes } from './recipes/reference.ts'
import { statsRecipes } from './recipes/stats.ts'
import { theoryRecipes } from './recipes/theory.ts'

/** Left out, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  'models.ModelUnavailableError': 'an error that the package throws, not one to call',
  'models.embeddedModel': 'takes seconds to load; its options are tested in spec/models',
  'models.loadEncoder': 'reads files; spec/models tests hostile names and options',
  'models.loadModel': 'reads files; spec/models tests hostile names and options',
  'models.loadTokenizer': 'reads files; spec/models tests hostile names and options',
  'attacks.hasRoundTrip': 'runs a program; spec/attacks tests it',
  'attacks.loadWordNet': 'takes nothing',
  'server.ServerFailure': 'an error that the package throws, not one to call',
  'server.checkServer': 'talks to a server; spec/server tests hostile ones and hostile arguments',
  'testee.TesteeFailure': 'an error that the package throws, not one to call',
  'testee.checkTestee': 'starts a process; spec/testee tests hostile ones and hostile commands',
  'bench.embeddedStudy': 'takes nothing',
  'bench.paperStudy': 'takes nothing',
  'bench.smokeStudy': 'takes nothing',
  'bench.detectCorpus': 'starts threads; spec/bench tests wrong texts and options',
  'bench.openStore': 'writes files; spec/bench tests hostile folders and entries',
  'bench.runCells': 'writes files and starts threads; spec/bench tests hostile steps',
  'bench.runExperiment': 'writes files and starts threads; spec/bench tests hostile steps',
  'bench.readReports': 'reads files; spec/report tests hostile ones',
  'bench.writeIndex': 'writes files; spec/report tests hostile reports',
  'bench.writeReport': 'writes files; spec/report tests hostile reports',
}

/** By hand where an example leaves options out, or where what is returned has to be called too. */
const byHand: readonly Recipe[] = [
  ...coreRecipes,
  ...parameterRecipes,
  ...modelRecipes,
  ...lawRecipes,
  ...statsRecipes,
  ...metricRecipes,
  ...attackRecipes,
  ...configRecipes,
  ...theoryRecipes,
  ...referenceRecipes,
  ...benchRecipes,
  ...methodRecipes,
]

const known = new Set([...byHand.map(({ name }) => name), ...Object.keys(leftOut)])

export const recipes: readonly Recipe[] = [...byHand, ...exampleRecipes(known)]

/** Which argument is replaced: as a whole, or one field of it. */
export interface Place {
  readonly argument: number
  readonly field: number | undefined
}

export const place = (): fc.Arbitrary<Place> =>
  fc.record({ argument: fc.nat(5), field: fc.option(fc.nat(12), { nil: undefined }) })

/** Objects of data. The methods of a model are code: what a broken one computes is its own business. */
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !('begin' in value) &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value))

/** The arguments with a hostile value in that place, and what the place is called and held before. */
export function withHostile(
  recipe: Recipe,
  { argument, field }: Place,
  value: unknown,
): { args: unknown[]; where: string; replaced: unknown } {
  const args = recipe.args()
  const at = args.length === 0 ? 0 : argument % args.length
  const old = args[at]
  if (field !== undefined && isRecord(old)) {
    const fields = [...Object.keys(old), 'hostileOption']
    const name = fields[field % fields.length]!
    args[at] = { ...old, [name]: value }
    return { args, where: `argument ${at}, ${name}`, replaced: old[name] }
  }
  args[at] = value
  return { args, where: `argument ${at}`, replaced: old }
}
