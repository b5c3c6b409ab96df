/** Scrambled nets in place of keys: each point is uniform, a block covers the cube evenly, and small biases show. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { COORDINATES, ScrambledNet } from '../../src/gate/laws/engine/net.ts'
import { ProjectionTest } from '../../src/gate/laws/engine/projection-test.ts'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { probabilities } from '../../src/gate/laws/fractions.ts'
import { netsTest } from '../../src/gate/laws/nets-test.ts'
import { freshSeed } from '../../src/gate/laws/seed.ts'
import { kgw, ngram } from '../../src/index.ts'
import { dip, race, sta } from '../mutants/bases.ts'
import { changed, law } from '../mutants/mutant.ts'

const seed = freshSeed()
const trial = { breathe: () => undefined }
const rates = { falseAlarm: 1e-10, miss: 1e-3, bias: 0.002 }
const weakKgw = (delta: number) => changed(kgw({ delta }), { unbiased: true, enumerate: undefined })

/** Every point of a block: its first `words` words. */
function blockOf(net: ScrambledNet, words: number): number[][] {
  net.begin()
  return Array.from({ length: net.size }, (_, i) => {
    net.point(i)
    return Array.from({ length: words }, (_, w) => net.random.uint32(w))
  })
}

describe('a scrambled net', () => {
  test.each([2, 5, 8, COORDINATES])('%i words: a block has every combination of top bits once', (d) => {
    const net = new ScrambledNet(seededRandom(seed, 'top bits'), d)
    blockOf(net, d)
    const patterns = blockOf(net, d).map((words) => words.map((word) => word >>> 31).join(''))
    expect(new Set(patterns).size).toBe(2 ** d)
  })
  test('from the other end a block has every combination of low bits once', () => {
    const net = new ScrambledNet(seededRandom(seed, 'low bits'), 5)
    net.resize(5, true)
    blockOf(net, 5)
    const patterns = blockOf(net, 5).map((words) => words.map((word) => word & 1).join(''))
    expect(new Set(patterns).size).toBe(2 ** 5)
  })
  test('each coordinate of a block has one word in each of its intervals', () => {
    const net = new ScrambledNet(seededRandom(seed, 'intervals'), 6)
    blockOf(net, COORDINATES)
    const block = blockOf(net, COORDINATES)
    for (let c = 0; c < COORDINATES; c++)
      expect(new Set(block.map((words) => words[c]! >>> 26)).size).toBe(64)
  })
  test('one point alone is uniform, with words that have no coordinate', () => {
    const net = new ScrambledNet(seededRandom(seed, 'uniform'), 4)
    const [runs, words] = [4000, COORDINATES + 3]
    const counts = new Float64Array(words * 16)
    for (let run = 0; run < runs; run++)
      for (const [c, word] of blockOf(net, words)[5]!.entries()) counts[c * 16 + (word >>> 28)]!++
    for (const [i, count] of counts.entries()) {
      const off = Math.max(logBinomialTail(count, runs, 1 / 16), logBinomialTail(runs - count, runs, 15 / 16))
      expect(off, `cell ${i}: ${count}; seed ${seed}`).toBeGreaterThan(Math.log(1e-10))
    }
  })
  test('asked twice a word is the same; the words of the key are others', () => {
    const net = new ScrambledNet(seededRandom(seed, 'twice'), 4)
    blockOf(net, 3)
    net.begin()
    net.point(7)
    const words = [0, 2, 99, 2 ** 23].map((i) => [net.random.uint32(i), net.shared.uint32(i)])
    expect([0, 2, 99, 2 ** 23].map((i) => [net.random.uint32(i), net.shared.uint32(i)])).toEqual(words)
    expect(new Set(words.flat()).size).toBe(8)
    expect([...net.random.fill(new Uint32Array(3))]).toEqual([0, 1, 2].map((i) => net.random.uint32(i)))
    expect(net.random.uniform(2)).toBeCloseTo(net.random.uint32(2) / 2 ** 32, 8)
  })
})

describe('the test with nets', () => {
  test('correct watermarks fail as rarely as promised', async () => {
    const [runs, rate] = [150, 0.05]
    let fails = 0
    for (let run = 0; run < runs; run++) {
      const watermark = [dip(), race(), sta()][run % 3]!
      const p = probabilities(
        [
          [1, 3],
          [5, 3, 2],
          [4, 1, 1, 2],
        ][(run % 4) % 3]!,
      )
      const finding = await netsTest(
        watermark as never,
        p,
        seed + run,
        { falseAlarm: rate, miss: rate, bias: 0.02 },
        trial,
      )
      if (finding!.verdict === 'fails') fails++
    }
    expect(logBinomialTail(fails, runs, rate), `${fails} of ${runs}; seed ${seed}`).toBeGreaterThan(
      Math.log(1e-9),
    )
  })
  test('a correct one refutes the bias that is looked for', async () => {
    const finding = await netsTest(sta(), probabilities([5, 3, 2]), seed, rates, trial)
    expect(finding).toMatchObject({ verdict: 'holds', refuted: 0.002 })
    expect(finding!.suspicious).toBeUndefined()
  })
  test('a code that reads the low bits of words takes no more points than one that reads the top bits', async () => {
    const turned = (by: number) =>
      changed(sta(), {
        draw: (random) => ({ word: (i: number) => (random.uint32(i) << by) >>> 0 }),
        orbit: undefined,
      })
    const taken = async (by: number) =>
      (await netsTest(turned(by), probabilities([5, 3, 2]), seed, rates, trial))!.taken
    expect(await taken(31)).toBeLessThan(2 * (await taken(0)))
  })
  test('a bias of 0.003 fails, in words', async () => {
    const finding = await netsTest(weakKgw(0.3), probabilities([1, 3]), seed, rates, trial)
    expect(finding!.verdict).toBe('fails')
    expect(finding!.observed).toBeGreaterThan(0.001)
    expect(finding!.where).toContain('over words that fill a net')
  })
  test('a code that reads the key itself gets real keys', async () => {
    const p = probabilities([1, 3])
    const right = await netsTest(changed(sta(), { needsKey: true }), p, seed, rates, trial)
    expect(right!.verdict).toBe('holds')
    expect(right!.refuted).toBeLessThanOrEqual(0.02)
    const wrong = await netsTest(changed(weakKgw(1), { needsKey: true }), p, seed, rates, trial)
    expect(wrong!.verdict).toBe('fails')
    expect(wrong!.where).toContain('over keys')
  })
  test('a code that reads no words is the same for all points', async () => {
    const p = probabilities([1, 299])
    const still = changed(sta(), { draw: () => ({ word: (i: number) => i }), orbit: undefined })
    expect((await netsTest(still, p, seed, rates, trial))!.verdict).toBe('holds')
    const sure = changed(sta(), {
      reweight: (_, __, q) => q.fill(0).fill(1, 1),
      orbit: undefined,
    })
    expect((await netsTest(sure, p, seed, rates, trial))!.verdict).toBe('fails')
  })
  test('where no position is marked there is nothing to test', async () => {
    const unmarked = changed(sta(), { context: { ...ngram(2), begin: () => ({ next: () => undefined }) } })
    expect(await netsTest(unmarked, probabilities([1, 3]), seed, rates, trial)).toBeUndefined()
  })
  test('kgw(0.4) declared unbiased is refused at the default effort', async () => {
    const [result] = await checkWatermark(weakKgw(0.4), { laws: [law.keys], seed })
    expect(result!.verdict, `seed ${seed}`).toBe('fails')
    expect(result!.counterexample!.path).toMatch(/^nets/)
    const path = result!.counterexample!.path
    const [again] = await checkWatermark(weakKgw(0.4), { laws: [law.keys], seed, path })
    expect(again!.detail).toBe(result!.detail)
  })
})

describe('suspicion', () => {
  const means = Float64Array.of(0.5)
  const started = () =>
    new ProjectionTest(means, [{ share: 1, bias: 0.2, keys: 2000 }], { falseAlarm: 1e-30, miss: 0.01 })
  /** Alternates around a mean, `n` times. */
  function feed(one: ProjectionTest, mean: number, n: number): number {
    let taken = 0
    while (taken < n && one.verdict === undefined)
      one.add([0], Float64Array.of(mean + (taken++ % 2 ? 0.05 : -0.05)))
    return taken
  }
  test('a test whose evidence is large goes on, until the alarm', () => {
    const one = started()
    const taken = feed(one, 0.65, 100_000)
    expect(one.verdict).toBe('fails')
    const quiet = started()
    expect(feed(quiet, 0.5, 100_000)).toBeLessThan(taken)
    expect(quiet).toMatchObject({ verdict: 'holds', isSuspicious: false })
  })
  test('if zero comes back inside, it holds', () => {
    const one = started()
    const first = feed(one, 0.65, 70)
    expect(one.wealth()).toBeGreaterThan(1000)
    feed(one, 0.45, 10_000)
    expect(one).toMatchObject({ verdict: 'holds', isSuspicious: false })
    expect(one.count(0)).toBeGreaterThan(first)
  })
})
