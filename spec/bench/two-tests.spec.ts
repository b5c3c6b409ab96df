/** Two tests of the same texts: what the plan shares, what scores and reports make of it. */
import { describe, expect, test } from 'vitest'
import { type Cell, closure } from '../../src/bench/cells/cell.ts'
import { robustnessScore } from '../../src/bench/paper/entry.ts'
import { identify, Plan } from '../../src/bench/plan/plan.ts'
import { Results } from '../../src/bench/plan/results.ts'
import { robustness } from '../../src/bench/protocols/robustness.ts'
import { scoresOf } from '../../src/bench/protocols/three-axes.ts'
import { steps } from '../../src/bench/steps/index.ts'
import { Resources } from '../../src/bench/steps/resources.ts'
import { methodOf, publishedTest } from '../../src/bench/study/methods.ts'
import { embeddedStudy } from '../../src/bench/study/scales.ts'
import type { Study } from '../../src/bench/study/study.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import { bleuCounts, bleuOfCounts, corpusBleu } from '../../src/text/metrics/bleu.ts'
import { dipmark, expEdit, kgw, sta1, synthid, unigram } from '../../src/watermarks/entry.ts'
import { toyStudy } from './toy-study.ts'

const study = { ...toyStudy(), watermarks: [kgw({ delta: 2 }), dipmark({ alpha: 0.4 })] }
const plan = new Plan(study, await identify(study, new Resources()))
const [guaranteed, published, other] = plan.tests
const { model, data } = plan.openSources()[0]!

describe('published tests', () => {
  test('follow the methods that have them, with the paper row and the writer', () => {
    expect(plan.tests.map(({ id }) => id)).toEqual([
      'kgw(delta=2)',
      'kgw(delta=2,detector=published)',
      'dipmark(alpha=0.4)',
      'dipmark(alpha=0.4,detector=published)',
    ])
    expect([published!.writer, published!.paper, published!.guaranteed]).toEqual([
      'kgw(delta=2)',
      guaranteed!.paper,
      false,
    ])
    expect([unigram({ delta: 1 }), sta1()].map((one) => publishedTest(one)?.label)).toEqual([
      'Unigram(δ=1.0), published test',
      'STA-1, published test',
    ])
    expect(publishedTest(kgw({ delta: 2, detector: 'published' }))).toBeUndefined()
    expect(publishedTest({ ...kgw({ delta: 2 }), id: 'mine' })).toBeUndefined()
  })

  test('read the same texts, attacked ones too: only tests are computed anew', () => {
    const texts = (method = guaranteed) =>
      plan.open(method, model, data).blocks.map(({ cell }) => cell.digest)
    expect(texts(published)).toEqual(texts(guaranteed))
    const digests = (m: typeof guaranteed, step: string) =>
      closure(
        plan.study.attacks.flatMap((attack) =>
          plan.detect(m!, plan.attacked(m!, plan.open(m, model, data), attack, 0)),
        ),
      )
        .filter((c) => c.step === step)
        .map((c) => c.digest)
    expect(digests(published, 'attack')).toEqual(digests(guaranteed, 'attack'))
    expect(digests(published, 'detect')).not.toEqual(digests(guaranteed, 'detect'))
    expect(digests(other, 'attack')).not.toEqual(digests(guaranteed, 'attack'))
  })

  test('drift of a published test is that of its method', () => {
    expect(plan.drift(published, study.tasks[0]!).digest).toBe(plan.drift(guaranteed, study.tasks[0]!).digest)
  })
})

test('variants have rows in tables 3 to 6 alone, with methods of their family; published alignments where asked for', async () => {
  const of = async (more: Partial<Study>) => {
    const own = { ...study, ...more }
    return new Plan(own, await identify(own, new Resources()))
  }
  const variants = [synthid({ context: ngram(4) })]
  const both = await of({ watermarks: [synthid(), expEdit()], variants })
  expect(both.detected.map(({ label }) => label)).toEqual(['SynthID', 'EXP-Edit', 'SynthID, contexts of 4'])
  expect(both.tests).toHaveLength(2)
  expect((await of({ variants })).detected).toEqual((await of({})).detected)
  const alone = await of({ watermarks: [expEdit()], alignment: { ...study.alignment, published: true } })
  expect(alone.tests).toHaveLength(1)
  expect(alone.detected.map(({ label, guaranteed }) => [label, guaranteed])).toEqual([
    ['EXP-Edit', true],
    ['EXP-Edit, published test', false],
  ])
})

test('the row of KGW that marks repeated contexts says so', () => {
  const watermark = kgw({ delta: 2, context: ngram(2, { repeated: 'reuse' }) })
  expect(methodOf(watermark).label).toBe('KGW(δ=2.0), no skipping')
  expect(methodOf(watermark).paper).toBeUndefined()
  expect(embeddedStudy().watermarks.map(({ id }) => id)).toContain(watermark.id)
})

describe('the robustness score', () => {
  /** Attack by attack: 96 texts, or 64 where an attack is tried on fewer; each detected by chance of its own. */
  const short = { ...study, open: { ...study.open, prompts: 96 }, batch: 96 }
  const attacks = short.attacks.map((attack, i) => (i === 0 ? { ...attack, texts: 64 } : attack))

  test('uses every attacked text, however few the shortest attack has', async () => {
    const own = new Plan({ ...short, attacks }, await identify({ ...short, attacks }, new Resources()))
    const method = own.methods[0]!
    const detected = (attack: string, i: number) =>
      i % { 'replace(rate=0.3)': 5, 'replace(rate=0.2)': 3 }[attack]! !== 0
    const value = (c: Cell): unknown => {
      const { limit } = c.inputs as { limit: number }
      const attack = String(c.needs[0]?.inputs.attack ?? '')
      const first = attack.startsWith('replace(rate=0.3)') || attack.startsWith('replace(rate=0.2)')
      // the last third, which a short attack never sees, is not detected
      const full = Array.from({ length: limit }, (_, i) =>
        i < 64 && (!first || detected(attack, i)) ? -20 : -0.1,
      )
      return { full, cut: {}, scored: full.map(() => 60) }
    }
    const lists = attacks
      .filter(({ paper }) => paper)
      .map((attack) => {
        const cells = own.detect(method, own.attacked(method, own.open(method, model, data), attack, 0), {
          attacked: true,
        })
        return [attack.paper!, cells.flatMap((c) => (value(c) as { full: number[] }).full)] as const
      })
    expect(lists.map(([, list]) => list.length)).toEqual([64, 96, 96, 96])
    const rate = (list: readonly number[]) => list.filter((x) => x < -10).length / list.length
    const expected = robustnessScore(
      Object.fromEntries(
        lists.map(([name, list]) => [name, { at5: rate(list), at1: rate(list), at01: rate(list) }]),
      ) as never,
    )
    const results = new Results({ value: ((c: Cell) => fake(c, value)) as never })
    expect(scoresOf(own, results, method).robustness.value).toBeCloseTo(expected, 12)
  })

  /** Any value will do for what the score does not use. */
  function fake(c: Cell, detected: (c: Cell) => unknown): unknown {
    if (c.step === 'detect') return detected(c)
    const { metrics = [] } = c.inputs as { metrics?: string[] }
    if (c.step === 'measure') return Object.fromEntries(metrics.map((name) => [name, Array(96).fill(0.5)]))
    return {
      drift: Object.fromEntries(metrics.map((name) => [name, { gaps: [1, 1], copyGaps: [1, 1] }])),
      rejected: {},
    }
  }
})

test('counts of sentences add up to BLEU of the corpus', () => {
  const pairs = [
    ['the cat sat on the mat', 'the cat sat on a mat'],
    ['a dog', 'a dog ran far away'],
    ['nothing here', 'something there'],
  ] as const
  expect(bleuOfCounts(pairs.map(([text, reference]) => bleuCounts(text, reference)))).toBeCloseTo(
    corpusBleu(
      pairs.map(([text]) => text),
      pairs.map(([, reference]) => reference),
    ).score,
    10,
  )
})

describe('human-written text', () => {
  test('hits are counted text by text; joined texts are cut to one length', async () => {
    const kinds = ['whole', 'joined', 'corpus'] as const
    const [whole, joined, corpus] = kinds.map((kind) => plan.human(published!, kind)[0]!)
    const run = (c: Cell) =>
      steps.human!.run(c.inputs, [], new Resources()) as Promise<{ hits: number[][]; lengths: number[] }>
    const [one, two] = [await run(whole!), await run(joined!)]
    expect(one.hits.map((list) => list.length)).toEqual([5, 5, 5])
    expect(two.lengths).toEqual([30, 30])
    expect((await run(corpus!)).hits.map((list) => list.length)).toEqual([6, 6, 6])
    for (const { hits } of [one, two])
      for (const i of hits[0]!.keys()) {
        // a smaller rate never has more hits
        expect(hits[1]![i]!).toBeLessThanOrEqual(hits[0]![i]!)
        expect(hits[2]![i]!).toBeLessThanOrEqual(hits[1]![i]!)
      }
  })

  test('tables of robustness have measured false positives beside every test', () => {
    const wanted = robustness.cells(plan, { rate: 0.01 }).filter(({ step }) => step === 'human')
    expect(wanted.map(({ inputs }) => inputs.watermark)).toEqual(plan.detected.map(({ id }) => id))
  })
})
