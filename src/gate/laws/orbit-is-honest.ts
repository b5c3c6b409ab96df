/**
 * An orbit proves something only if it is what keys do. Replace a drawn code by a random member of its orbit: the joint law of
 * q and of the scores must not change.
 *
 * Tested by betting on functions of what a code does, with values in [0, 1], chosen before any key is drawn
 * (code-functions.ts). For each key, x is a function at the drawn code and y its average over the orbit's members; over keys both
 * have the same mean, so (1 + x - y) / 2 has mean 1/2. The drawn code must also be one of the members. Where every code is listed
 * instead (`enumerate`), functions of drawn codes are tested against their means over the list.
 */
import { type Context, type Stream, seededRandom } from '../../core/keys/index.ts'
import { type Watermark, type Weighted, weightedOrbit } from '../../watermark.ts'
import type { DistributionRule } from './arbitraries/index.ts'
import { listedVocabulary } from './average.ts'
import { type CodeFunctions, codeFunctions } from './code-functions.ts'
import { codesOf, secretKey } from './codes.ts'
import { forRules, forWeights } from './distributions.ts'
import type { Rates, Verdict } from './engine/bounds.ts'
import { ProjectionTest, projectionKeys } from './engine/projection-test.ts'
import { type Found, resultOf, SAMPLED_SHRINKS, Violation } from './for-all.ts'
import { defineLaw, type Finding, notApplicable, type Trial } from './law.ts'
import { coarseLanes, placesOf } from './positions.ts'
import { biasAt } from './sizes.ts'
import { Tally } from './tally.ts'

/** Positions per key, which are averaged, and keys of the pilot. */
const CONTEXTS = 8
/** Texts that are walked for them. */
const TEXTS = 64
const PILOT = 16
/** Tried first: no code hides behind a point mass there. */
const shapes: readonly number[][] = [
  [3, 2],
  [2, 1, 1],
]
const RUNS = shapes.length + 1
/** Shuffles and sorts go wrong where there are more tokens. */
const wide: DistributionRule = { shape: 'zipf', vocabSize: 64, exponent: 1, order: 0 }
/** The laws of codes have many outcomes: this many times the bias of q is promised. */
export const COARSER = 2.5
/** The least chance of anything. */
const NEVER = 1e-9
/** Orbits up to this size are averaged; of larger ones a random member is drawn. */
const AVERAGED = 8

/** One distribution with functions of its codes, and a way to draw codes. */
interface World<Code> {
  readonly watermark: Watermark<Code>
  readonly p: Float64Array
  readonly functions: CodeFunctions<Code>
  readonly stream: Stream
  readonly pilot: readonly Code[]
  draw(key: number): Code[]
}

/** Different contexts of marked positions; fewer where the rule has fewer. */
function markedContexts<Code>(watermark: Watermark<Code>, vocabSize: number, stream: Stream): Context[] {
  const found = new Map<string, Context>()
  for (let turn = 0; turn < TEXTS && found.size < CONTEXTS; turn++)
    for (const context of placesOf(watermark, vocabSize, coarseLanes, stream, turn).flat())
      if (context !== undefined && found.size < CONTEXTS) found.set(context.join(), context)
  return [...found.values()]
}

function worldOf<Code>(watermark: Watermark<Code>, p: Float64Array, keys: number): World<Code> | undefined {
  const stream = seededRandom(keys, 'orbit')
  const contexts = markedContexts(watermark, p.length, stream)
  if (contexts.length === 0) return undefined
  const draw = (key: number): Code[] => codesOf(watermark, secretKey(keys, key), p.length, contexts)
  const pilot = Array.from({ length: PILOT }, (_, i) => draw(-1 - i)).flat()
  return { watermark, p, functions: codeFunctions(watermark, p, pilot, stream), stream, pilot, draw }
}

/** The members of an orbit to look at: all with their weights, or one drawn by weight. */
function some<Code>(members: readonly Weighted<Code>[], { uniform }: Stream): readonly Weighted<Code>[] {
  if (members.length <= AVERAGED) return members
  let left = uniform()
  for (const { code, weight } of members) {
    left -= weight
    if (left < 0) return [{ code, weight: 1 }]
  }
  return [{ code: members[members.length - 1]!.code, weight: 1 }]
}

function mustContain<Code>({ watermark, p, functions }: World<Code>, code: Code): void {
  for (const member of weightedOrbit(watermark, code, p)!)
    if (member.weight > 0 && functions.alike(member.code, code)) return
  throw new Violation('the orbit of a drawn code does not contain that code')
}

/** A comparison: means that functions should have, and their values under one key. */
interface Comparison {
  readonly means: Float64Array
  /** The size in these units of a difference of 1 between what keys draw and what is declared. */
  readonly unit: number
  values(key: number, out: Float64Array): void
}

/** Adds values of functions, averaged over codes with their weights, to `out`. */
function addValues<Code>(
  { functions }: World<Code>,
  members: Iterable<Weighted<Code>>,
  weight: number,
  out: Float64Array,
): void {
  const values = new Float64Array(functions.count)
  for (const member of members) {
    functions.values(member.code, values)
    for (let j = 0; j < values.length; j++) out[j]! += weight * member.weight * values[j]!
  }
}

function orbitComparison<Code>(world: World<Code>): Comparison {
  const { watermark, p, functions, stream } = world
  for (const code of world.pilot.slice(0, 32)) mustContain(world, code)
  return {
    means: new Float64Array(functions.count).fill(1 / 2),
    unit: 1 / 2,
    values(key, out) {
      out.fill(1 / 2)
      const codes = world.draw(key)
      const share = 1 / (2 * codes.length)
      for (const code of codes) {
        addValues(world, [{ code, weight: 1 }], share, out)
        addValues(world, some(weightedOrbit(watermark, code, p)!, stream), -share, out)
      }
    },
  }
}

function listComparison<Code>(world: World<Code>): Comparison {
  const { watermark, p, functions } = world
  const means = new Float64Array(functions.count)
  addValues(world, watermark.enumerate!(p.length), 1, means)
  return {
    means,
    unit: 1,
    values(key, out) {
      out.fill(0)
      const codes = world.draw(key)
      for (const code of codes) addValues(world, [{ code, weight: 1 }], 1 / codes.length, out)
    },
  }
}

/** Keys until a verdict, and where the functions differ most. */
async function compare<Code>(
  { functions }: World<Code>,
  { means, unit, values }: Comparison,
  rates: Rates,
  trial: Trial,
): Promise<{ taken: number; verdict: Verdict; observed: number; about: string }> {
  // a function that is the same at every code may turn out not to be: nothing is quite impossible
  const wanted = means.map((mean) => Math.min(1 - NEVER, Math.max(NEVER, mean)))
  const bias = rates.bias * unit
  const keys = projectionKeys(wanted, 1, { ...rates, bias })
  const test = new ProjectionTest(wanted, [{ share: 1, bias, keys }], rates)
  const x = new Float64Array(means.length)
  for (let key = 0; test.verdict === undefined; key++) {
    values(key, x)
    for (let j = 0; j < x.length; j++) x[j] = Math.min(1, Math.max(0, x[j]!))
    test.add([0], x)
    await trial.breathe()
  }
  const { projection } = test.best()
  const failed = test.verdict === 'fails'
  return {
    taken: test.count(0),
    verdict: test.verdict,
    observed: (failed ? Math.abs(test.deviation(0, projection)) : test.largest(0)) / unit,
    about: functions.describe(projection),
  }
}

/** A declaration about codes, and its comparison with what keys draw. */
interface Claim {
  readonly part: 'orbit' | 'list'
  readonly maxTokens: number
  compare<Code>(world: World<Code>): Comparison
}

function claimsOf<Code>(watermark: Watermark<Code>): Claim[] {
  const listed = listedVocabulary(watermark)
  const claims: Claim[] = []
  if (watermark.orbit !== undefined) claims.push({ part: 'orbit', maxTokens: 4, compare: orbitComparison })
  if (listed >= 2) claims.push({ part: 'list', maxTokens: listed, compare: listComparison })
  return claims
}

/** The orbit, and the list of all codes, are what random keys draw. */
export const orbitIsHonestLaw = defineLaw(
  {
    name: 'the orbit is honest',
    statement:
      'replacing a drawn code by a random member of its orbit does not change the joint law of q and scores',
    sampled: true,
  },
  async (watermark, trial) => {
    const claims = claimsOf(watermark)
    if (claims.length === 0) return notApplicable('declares no orbit')
    const tests = claims.reduce((n, { part }) => n + RUNS + (part === 'orbit' ? 1 : 0), 0)
    const rates = {
      falseAlarm: trial.falseAlarm / tests,
      miss: trial.miss,
      bias: Math.min(0.5, COARSER * biasAt(1, trial)),
    }
    const tally = new Tally()
    let last: Finding | undefined
    for (const claim of claims) {
      const { part, maxTokens } = claim
      const tryOne = async (p: Float64Array, keys: number): Promise<void> => {
        const world = worldOf(watermark, p, keys)
        // a rule that marks no position of a vocabulary draws no code there
        if (world === undefined) return
        const finding = await compare(world, claim.compare(world), rates, trial)
        tally.add(finding)
        if (finding.verdict === 'fails')
          throw new Violation(
            `what keys draw and what the ${part} says differ by ${finding.observed.toPrecision(3)} after ${finding.taken.toLocaleString('en')} keys: ${finding.about}`,
          )
      }
      const result = (found: Found): Finding => resultOf(found, tally.evidence(trial, rates.bias))
      const plan = { runs: RUNS, shrinks: SAMPLED_SHRINKS }
      const from = { minTokens: 2, maxTokens, maxWeight: 100 }
      const examples = shapes.filter((w) => w.length <= maxTokens)
      const few = await forWeights(trial, { ...plan, part, from, examples }, tryOne)
      last = result(few)
      if (few.why !== undefined) return last
      if (part !== 'orbit') continue
      const sizes = await forRules(
        trial,
        { ...plan, part: 'sizes', from: { maxTokens: wide.vocabSize }, examples: [wide], runs: 1 },
        tryOne,
      )
      last = result(sizes)
      if (sizes.why !== undefined) return last
    }
    return tally.isEmpty ? notApplicable('the context rule marks no position') : last!
  },
)
