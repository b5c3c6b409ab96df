/**
 * An orbit proves something only if it is what keys do. Replace a drawn code by a random member of its orbit: the joint law of
 * q and of the scores must not change.
 *
 * Tested on cells: what a code does (q, and the score of each token) is put into one of a few cells, chosen before any key is
 * drawn. For each key, x is the cell of the drawn code and y the average cell of its orbit's members; over keys both have the
 * same mean. The drawn code must also be one of the members. Where every code is listed instead (`enumerate`), the cells of
 * drawn codes are tested against the listed law.
 */

import { type Stream, seededRandom } from '../keys/index.ts'
import type { Watermark } from '../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import { listedVocabulary } from './average.ts'
import { type Cells, cellsOf } from './cells.ts'
import { codesOf, contextsOf, type Member, membersOf, secretKey } from './codes.ts'
import { meanTest, type Rates, type Running, sameMeanTest } from './engine/index.ts'
import { fc } from './fast-check.ts'
import { forAll, SAMPLED_SHRINKS, Violation } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf } from './result.ts'
import { Tally, untilVerdict } from './tally.ts'

const NAME = 'the orbit is honest'
/** Positions per key, distributions per check. */
const CONTEXTS = 8
/** Tried first: no code hides behind a point mass there. */
const shapes: readonly number[][] = [
  [3, 2],
  [2, 1, 1],
]
const RUNS = shapes.length + 1
/** The laws of codes have many outcomes: this many times the bias of q is promised. */
const COARSER = 2.5
/** Orbits up to this size are averaged; of larger ones a random member is drawn. */
const AVERAGED = 8

/** One distribution with its cells, and a way to draw codes. */
interface World<Code> {
  readonly watermark: Watermark<Code>
  readonly p: Float64Array
  readonly cells: Cells<Code>
  readonly stream: Stream
  readonly pilot: readonly Code[]
  draw(key: number): Code[]
}

function worldOf<Code>(watermark: Watermark<Code>, w: readonly number[], keys: number): World<Code> {
  const p = probabilities(w)
  const stream = seededRandom(keys, 'orbit')
  const contexts = contextsOf(watermark, p.length, CONTEXTS, stream)
  if (contexts.length === 0) throw new Violation('the context rule marks no position')
  const draw = (key: number): Code[] => codesOf(watermark, secretKey(keys, key), p.length, contexts)
  const pilot = Array.from({ length: 16 }, (_, i) => draw(-1 - i)).flat()
  return { watermark, p, cells: cellsOf(watermark, p, pilot, stream), stream, pilot, draw }
}

/** The members of an orbit to look at: all with their weights, or one drawn by weight. */
function some<Code>(members: readonly Member<Code>[], { uniform }: Stream): readonly Member<Code>[] {
  if (members.length <= AVERAGED) return members
  let left = uniform()
  for (const { code, weight } of members) {
    left -= weight
    if (left < 0) return [{ code, weight: 1 }]
  }
  return [{ code: members[members.length - 1]!.code, weight: 1 }]
}

function mustContain<Code>({ watermark, p, cells }: World<Code>, code: Code): void {
  for (const member of membersOf(watermark, code, p))
    if (member.weight > 0 && cells.alike(member.code, code)) return
  throw new Violation('the orbit of a drawn code does not contain that code')
}

function orbitTest<Code>(world: World<Code>, rates: Rates, trial: Trial): Promise<Running> {
  const { watermark, p, cells, stream } = world
  for (const code of world.pilot.slice(0, 32)) mustContain(world, code)
  const x = new Float64Array(cells.count)
  const y = new Float64Array(cells.count)
  const feed = (test: ReturnType<typeof sameMeanTest>, key: number): void => {
    x.fill(0)
    y.fill(0)
    const codes = world.draw(key)
    for (const code of codes) {
      x[cells.cell(code)]! += 1 / codes.length
      for (const member of some([...membersOf(watermark, code, p)], stream))
        y[cells.cell(member.code)]! += member.weight / codes.length
    }
    test.add(x, y)
  }
  return untilVerdict(sameMeanTest(cells.count, rates), feed, trial)
}

function listingTest<Code>(world: World<Code>, rates: Rates, trial: Trial): Promise<Running> {
  const { watermark, p, cells } = world
  const listed = new Float64Array(cells.count)
  for (const { code, weight } of watermark.enumerate!(p.length)) listed[cells.cell(code)]! += weight
  const x = new Float64Array(cells.count)
  const feed = (test: ReturnType<typeof meanTest>, key: number): void => {
    x.fill(0)
    const codes = world.draw(key)
    for (const code of codes) x[cells.cell(code)]! += 1 / codes.length
    test.add(x)
  }
  return untilVerdict(meanTest(listed, rates), feed, trial)
}

/** What is declared, and how it is compared with what keys draw. */
interface Claim {
  readonly part: 'orbit' | 'list'
  readonly maxTokens: number
  test<Code>(world: World<Code>, rates: Rates, trial: Trial): Promise<Running>
}

function claimsOf<Code>(watermark: Watermark<Code>): Claim[] {
  const listed = listedVocabulary(watermark)
  const claims: Claim[] = []
  if (watermark.orbit !== undefined) claims.push({ part: 'orbit', maxTokens: 4, test: orbitTest })
  if (listed >= 2) claims.push({ part: 'list', maxTokens: listed, test: listingTest })
  return claims
}

/** The orbit, and the list of all codes, are what random keys draw. */
async function orbitIsHonest<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  const claims = claimsOf(watermark)
  if (claims.length === 0) return notApplicable(NAME, 'declares no orbit')
  const rates = {
    falseAlarm: trial.falseAlarm / (RUNS * claims.length),
    miss: trial.miss,
    bias: COARSER * trial.bias,
  }
  const tally = new Tally()
  const show = ({ w }: { w: number[] }) => ({ p: fractions(w) })
  for (const { part, maxTokens, test: compare } of claims) {
    const arbitrary = fc.record({ w: weights({ minTokens: 2, maxTokens, maxWeight: 100 }), keys: keySeed() })
    const examples = shapes
      .filter((w) => w.length <= maxTokens)
      .map((w, i) => ({ w: [...w], keys: trial.seed + i }))
    const found = await forAll(
      trial,
      { part, arbitrary, examples, runs: RUNS, shrinks: SAMPLED_SHRINKS },
      async ({ w, keys }) => {
        const test = await compare(worldOf(watermark, w, keys), rates, trial)
        tally.add(test)
        if (test.verdict === 'fails')
          throw new Violation(
            `what keys draw and what the ${part} says differ by ${test.observed.toPrecision(3)} after ${test.taken} keys`,
          )
      },
    )
    if (found.why !== undefined)
      return resultOf(NAME, trial, found, show, tally.evidence(trial.falseAlarm, rates))
  }
  return { law: NAME, verdict: 'holds', detail: '', evidence: tally.evidence(trial.falseAlarm, rates) }
}

export const orbitIsHonestLaw = {
  name: NAME,
  statement:
    'replacing a drawn code by a random member of its orbit does not change the joint law of q and scores',
  sampled: true,
  check: orbitIsHonest,
}
