/** The Python package draws the same words, codes, distributions and scores as this one. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { targetLaw } from '../../src/core/embed/index.ts'
import { afterStart, tokensDigest } from '../../src/core/keys/prefix.ts'
import type { Context } from '../../src/core/keys/schedule.ts'
import { keySchedule } from '../../src/core/keys/schedule.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { type AnyWatermark, codeAt } from '../../src/watermark.ts'
import { sirNetwork } from '../../src/watermarks/mechanisms/sir-network.ts'
import { upvNetwork } from '../../src/watermarks/mechanisms/upv-network.ts'
import { parseWatermark } from '../../src/watermarks/parse.ts'
import { shippedMethods, shippedWatermarks } from '../../src/watermarks/shipped.ts'
import { requireComponent } from '../require.ts'
import { python, root, run, withNumpy } from './interpreters.ts'

const file = `${root}spec/python/exact.py`
const KEY = 'a key for vectors'
const START = 3

/** Every shipped variant that Python has, and every id of the fixtures that names own codes. */
const ids = [
  ...new Set([
    ...shippedWatermarks().map(({ id }) => id),
    ...(JSON.parse(readFileSync(`${root}fixtures/keys/domains.json`, 'utf8')) as { id: string }[])
      .map(({ id }) => id)
      .filter((id) => !id.includes('codes=')),
    'gammaReweight(detector=linear)',
    'ens(marks=3,channels=4)',
    'mcmark(channels=65535)', // its words are rejected the most often
    'synthid(layers=32)',
    'dualKeyGumbel(alpha=0.5,weight=0.3)',
    'sta1(gamma=0.0000001)',
    'bimark(layers=32)',
    'stealthInk(bits=8)',
    'prc(length=9,weight=2,noise=0.5)',
    'heavyWater(size=3)',
    'heavyWater(size=300)',
    'upv(delta=7)',
  ]),
]

interface Position {
  readonly context: Context
  readonly p: number[]
}

const stream = seededRandom(1, 'python vectors')

function distribution(size: number, support: number): number[] {
  const weights = Array.from({ length: size }, (_, i) =>
    i % Math.ceil(size / support) ? 0 : stream.uniform() ** 3,
  )
  const sum = weights.reduce((a, b) => a + b, 0)
  return weights.map((weight) => weight / sum)
}

const positions: Position[] = [
  { context: [1, 2], p: [0.5, 0.25, 0.125, 0.125] },
  { context: [3], p: [0, 1, 0] },
  { context: [], p: [1] },
  { context: [7, 7], p: distribution(5, 5) },
  { context: [4], p: distribution(64, 64) },
  { context: [9, 8, 7, 6, 5], p: distribution(1000, 1000) },
  { context: [65535, 0], p: distribution(1000, 40) },
  { context: [2 ** 32 - 1, 1], p: distribution(5000, 5000) },
]

const vocabSize = 1000
/** The end comes back to a few tokens, so that contexts repeat. */
const text = Array.from({ length: 60 }, (_, t) => (t > 40 ? (t * t) % 7 : stream.below(vocabSize)))

const keys = [
  'secret',
  'x',
  'ключ',
  `${'long '.repeat(20)}`,
  'ends in nul\0',
  'sixty-four bytes'.repeat(4),
].map((key) => [...new TextEncoder().encode(key)])
const schedules = keys.flatMap((key) =>
  [[], [7], [1, 2], [50256, 0, 2 ** 32 - 1]].map((context, run) => ({
    key,
    domain: 'gumbel/ngram(2)',
    run,
    context,
    indices: [0, 1, 50256, 2 ** 23, 2 ** 24 + 5, 2 ** 31 - 1],
  })),
)
const streams = [
  { seed: 1, labels: [] },
  { seed: 'text', labels: ['text', 7] },
  { seed: 0.1, labels: [1e-7, 1e21, -0, 123456789012, 'ключ', '𝄞'] },
]

/** The context of each position as a detector that knows `START` would score it. */
function scoredContexts({ context }: AnyWatermark): readonly (Context | undefined)[] {
  if (context.foundBy === 'alignment') {
    const length = context.freshUpTo!
    return text.map((_, t) => [(START + t) % length])
  }
  if (context.foundBy === 'scan')
    return text.map((_, t) => (t < START ? undefined : afterStart(tokensDigest(text, START), t)))
  return context.scored(text, () => false)
}

/** The contexts that a rule can give: a codeword has no position past its end. */
function positionsOf({ context: { foundBy, freshUpTo } }: AnyWatermark): Position[] {
  if (foundBy !== 'checks') return positions
  return positions.map(({ context: [at = 0, ...own], p }) => ({ context: [at % freshUpTo!, ...own], p }))
}

function expected(id: string) {
  const watermark = parseWatermark(id)
  const schedule = keySchedule(KEY, watermark.domain)
  return {
    id: watermark.id,
    domain: watermark.domain,
    unbiased: watermark.unbiased,
    q: positionsOf(watermark).map(({ context, p }) => {
      const q = new Float64Array(p.length)
      watermark.reweight(Float64Array.from(p), codeAt(watermark, schedule, p.length, context), q)
      return [...q]
    }),
    unmarked: watermark.target
      ? positions.map(({ p }) => [...targetLaw(watermark, Float64Array.from(p))])
      : [],
    scores: scoredContexts(watermark).map((context, t) =>
      context === undefined
        ? null
        : watermark.score(text[t]!, codeAt(watermark, schedule, vocabSize, context)),
    ),
  }
}

interface Answers {
  readonly cases: ReturnType<typeof expected>[]
  readonly schedules: { words: number[]; uniforms: number[]; filled: number[]; shared: number }[]
  readonly streams: { words: number[]; uniform: number; below: number }[]
  readonly arrays: boolean
}

const ask = (command: readonly string[], loops: string): Answers => {
  const cases = ids.map((id) => ({
    id,
    key: KEY,
    positions: positionsOf(parseWatermark(id)),
    text,
    vocabSize,
    start: START,
  }))
  return JSON.parse(run([...command, file], JSON.stringify({ loops, cases, schedules, streams })))
}

/** Scores that are sums of logarithms agree to rounding, all others exactly. */
const LOGARITHMS = /^(gumbel|expEdit|christ|dualKeyGumbel|permuteAndFlip)/

test('Python has every shipped method, in its list and in that of the generator', (context) => {
  requireComponent(context, 'python', python !== undefined)
  const listed = run([
    python!,
    '-S',
    '-c',
    'import json, uwbench; print(json.dumps(sorted(uwbench.METHODS)))',
  ])
  expect(JSON.parse(listed)).toEqual(shippedMethods().map(({ name }) => name))
})

test.for([
  { name: 'upv', network: upvNetwork },
  { name: 'sir', network: sirNetwork },
])('the network of $name in Python is the one of this package', async ({ name, network }) => {
  // `-u` writes it after new training
  const file = `${root}python/uwbench/networks/${name}.json`
  await expect(`${JSON.stringify(network, null, 2)}\n`).toMatchFileSnapshot(file)
})

describe.for([
  { name: 'python3 alone', component: 'python', program: python, flags: ['-S'], loops: 'plain' },
  { name: 'numpy', component: 'numpy', program: withNumpy, flags: [], loops: 'arrays' },
])('with $name', ({ component, program, flags, loops }) => {
  let answers: Answers | undefined
  beforeAll(() => {
    if (program !== undefined) answers = ask([program, ...flags], loops)
  })
  const given = (context: Parameters<typeof requireComponent>[0]): Answers => {
    requireComponent(context, component, program !== undefined, `apt-get install python3-${component}`)
    expect(answers!.arrays).toBe(loops === 'arrays')
    return answers!
  }

  test('words and uniform numbers of positions are the same bits', (context) => {
    for (const [i, { key, domain, run, context: words, indices }] of schedules.entries()) {
      const schedule = keySchedule(Uint8Array.from(key), domain, run)
      const random = schedule.random(words)
      expect(given(context).schedules[i]).toEqual({
        words: indices.map((at) => random.uint32(at)),
        uniforms: indices.map((at) => random.uniform(at)),
        filled: [...random.fill(new Uint32Array(100))],
        shared: schedule.shared.uint32(0),
      })
    }
  })

  test('seeded streams are the same', (context) => {
    for (const [i, { seed, labels }] of streams.entries()) {
      const made = seededRandom(seed, ...labels)
      const words = Array.from({ length: 5 }, () => made.uint32())
      expect(given(context).streams[i]).toEqual({ words, uniform: made.uniform(), below: made.below(7) })
    }
  })

  test.for(ids.map((id, i) => ({ id, i })))('$id', ({ id, i }, context) => {
    const answer = given(context).cases[i]!
    const own = expected(id)
    const numbers = { q: 0, scores: 0, unmarked: 0 }
    expect({ ...answer, ...numbers }).toEqual({ ...own, ...numbers })
    expect(answer.unmarked.length).toBe(own.unmarked.length)
    for (const [k, law] of own.unmarked.entries())
      for (const [token, mass] of law.entries())
        expect(Math.abs(answer.unmarked[k]![token]! - mass)).toBeLessThanOrEqual(1e-12)
    for (const [k, q] of own.q.entries()) {
      const apart = q.map((mass, token) => Math.abs(mass - answer.q[k]![token]!))
      expect(Math.max(...apart), `q at position ${k}`).toBeLessThanOrEqual(1e-12)
      expect(
        answer.q[k]!.every((mass, token) => mass >= 0 && (mass === 0 || positions[k]!.p[token]! > 0)),
      ).toBe(true)
    }
    expect(own.scores.some((score) => score !== null)).toBe(true)
    if (!LOGARITHMS.test(id)) expect(answer.scores).toEqual(own.scores)
    for (const [t, score] of own.scores.entries())
      if (score === null) expect(answer.scores[t]).toBe(null)
      else expect(Math.abs(answer.scores[t]! - score)).toBeLessThanOrEqual(1e-12 * Math.max(1, score))
  })
})
