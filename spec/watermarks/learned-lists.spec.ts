/** UPV and SIR: their lists, their exact law, and the published tests beside it. Writes reports/learned-lists.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { superUniform } from '../../src/core/stats/entry.ts'
import { secretKey } from '../../src/gate/laws/codes.ts'
import { generated } from '../../src/gate/laws/iid-texts.ts'
import { type AnyWatermark, detect, sir, upv } from '../../src/index.ts'
import { sirEmbedding } from '../../src/watermarks/mechanisms/sir-embedding.ts'
import { sirLists } from '../../src/watermarks/sir.ts'
import { upvLists } from '../../src/watermarks/upv.ts'
import { zipfText } from '../throughput/cases.ts'
import { type Measured, renderLists, type Training } from './learned-lists-report.ts'

const training = JSON.parse(
  readFileSync(new URL('../../reports/learned-lists.json', import.meta.url), 'utf8'),
) as Training

const V = 5000
const LEVELS = [0.05, 0.01, 0.001]
const TEXTS = 1000
const methods: readonly [AnyWatermark, AnyWatermark][] = [
  [upv(), upv({ detector: 'published' })],
  [sir(), sir({ detector: 'published' })],
]

const pValues = (watermark: AnyWatermark, text: (i: number) => ArrayLike<number>): number[] =>
  Array.from({ length: TEXTS }, (_, i) =>
    Math.min(1, detect(watermark, text(i), { key: secretKey(11, i), vocabSize: V }).pValue),
  )

const atMost = (p: readonly number[], level: number): number => p.filter((x) => x <= level).length / p.length

/** The green rate of each class over all contexts of UPV and of each context over all classes, in order; and the share of the variance of colours that the class explains. */
function upvRates(): { classes: number[]; contexts: number[]; overall: number; explained: number } {
  const lists = Array.from({ length: upvLists.classes }, (_, code) => upvLists.listAfter([code]))
  const mean = (list: ArrayLike<number>) => Array.from(list).reduce((sum, x) => sum + x, 0) / list.length
  const classes = Array.from({ length: upvLists.classes }, (_, c) => mean(lists.map((list) => list[c]!)))
  const overall = mean(classes)
  const explained = mean(classes.map((rate) => (rate - overall) ** 2)) / (overall * (1 - overall))
  const ordered = (rates: readonly number[]) => rates.toSorted((a, b) => a - b)
  return { classes: ordered(classes), contexts: ordered(lists.map(mean)), overall, explained }
}

const texts = Array.from({ length: TEXTS }, (_, i) => zipfText(200, V, i + 1))
const rates = upvRates()
const alarms = methods.map((pair) => pair.map((watermark) => pValues(watermark, (i) => texts[i]!)))

/** The median p-value of marked texts of 100 tokens, uniform before the mark. */
const power = methods.map(([watermark]) => {
  const found = Array.from({ length: 21 }, (_, i) => {
    const key = secretKey(12, i)
    return detect(watermark, generated(watermark, V, 100, key), { key, vocabSize: V }).logPValue
  })
  return found.sort((a, b) => a - b)[10]!
})

const measured: Measured = {
  rates: [0.05, 0.95].map((share) => rates.classes[Math.floor(share * upvLists.classes)]!),
  contexts: [rates.contexts[0]!, rates.contexts.at(-1)!],
  overall: rates.overall,
  explained: rates.explained,
  alarms: alarms.map((pair) => pair.map((p) => LEVELS.map((level) => atMost(p, level)))),
  power,
}

test('reports/learned-lists.md says what is computed', async () => {
  await expect(renderLists(training, measured)).toMatchFileSnapshot('../../reports/learned-lists.md')
})

test.each(methods)('%o: p-values are valid over keys, on one repetitive text too', (watermark) => {
  const loop = zipfText(150, 30, 3)
  for (const p of [
    alarms[methods.findIndex(([own]) => own === watermark)]![0]!,
    pValues(watermark, () => loop),
  ]) {
    const verdict = superUniform(p, { levels: LEVELS.slice(0, 2), falseAlarm: 1e-9, miss: 1e-3 })
    expect(verdict.holds, JSON.stringify(verdict.levels)).toBe(true)
    // an exact tail reaches its levels, but for steps of the sum: at a rate of 4% there are 7 or fewer with probability below 1e-9
    expect(atMost(p, 0.05)).toBeGreaterThan(0.007)
  }
})

test('upv: a candidate leans to its colour whatever comes before, so the published z has no normal law', () => {
  // if contexts decided, each class would be green in 1/2 +- 0.1 of 1,024 contexts, and explain a thousandth of the variance
  expect(measured.rates[0]!).toBeLessThan(0.25)
  expect(measured.rates[1]!).toBeGreaterThan(0.75)
  expect(measured.explained).toBeGreaterThan(0.1)
  // and the lists are not one list
  expect(measured.explained).toBeLessThan(0.9)
  const loop = zipfText(150, 30, 3)
  expect(
    superUniform(
      pValues(methods[0]![1], () => loop),
      { falseAlarm: 1e-9 },
    ).holds,
  ).toBe(false)
  expect(superUniform(alarms[0]![1]!, { falseAlarm: 1e-9 }).holds).toBe(false)
})

test('the published statistics are those of the published code', () => {
  const text = texts[0]!
  const options = { key: secretKey(1, 1), vocabSize: V }
  const [plain, z] = [upv(), upv({ detector: 'published' })].map((w) => detect(w, text, options))
  expect([z!.guaranteed, z!.exact, plain!.guaranteed, plain!.exact]).toEqual([false, false, true, true])
  expect(z!.statistic).toBeCloseTo((plain!.statistic - 199 / 2) / Math.sqrt(199 * (1 / 4 + 1e-4)), 12)
  const mean = detect(sir({ detector: 'published' }), text, options)
  // the first 40 tokens have too little before them
  expect(mean.scored).toBe(160)
  const greens = [...detect(sir(), text, options).perToken.subarray(40)].reduce((a, b) => a + b, 0)
  expect(mean.statistic).toBeCloseTo((2 * greens - 160) / 160, 12)
})

test('sir: lists of texts that share most tokens are alike, those of others are not', () => {
  const alike: number[] = []
  const apart: number[] = []
  for (let i = 0; i < 100; i++) {
    const one = Array.from(texts[i]!.subarray(0, 100))
    const share = (other: ArrayLike<number>) => {
      const [a, b] = [one, other].map((tokens) => sirLists.listAfter(Array.from(tokens)))
      return a!.filter((x, c) => x === b![c]).length / a!.length
    }
    alike.push(share([...one.slice(0, 90), ...texts[i + 100]!.subarray(0, 10)]))
    apart.push(share(texts[i + 100]!.subarray(0, 100)))
  }
  const mean = (x: readonly number[]) => x.reduce((a, b) => a + b, 0) / x.length
  expect(mean(alike)).toBeGreaterThan(mean(apart) + 0.1)
  expect(sirEmbedding([]).every((x) => x === 0)).toBe(true)
  const unit = sirEmbedding([1, 2, 3]).reduce((sum, x) => sum + x * x, 0)
  expect(unit).toBeCloseTo(1, 12)
})

test('marked texts are found', () => {
  for (const logP of power) expect(logP).toBeLessThan(Math.log(1e-6))
})
