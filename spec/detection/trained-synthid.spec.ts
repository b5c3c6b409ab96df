/** What a trained detector of SynthID gains, with an exact null: reports/trained-synthid.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lattice } from '../../src/core/detect/null-laws.ts'
import { sumDetector } from '../../src/core/detect/sum-detector.ts'
import { entropy } from '../../src/theory/expected-score.ts'
import { drawCode } from '../../src/theory/step-law.ts'
import { tokensNeeded } from '../../src/theory/tokens-needed.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { synthid } from '../../src/watermarks/entry.ts'
import type { BitTraining } from '../../src/watermarks/sharper/bit-training.ts'
import { embeddedTrainings } from '../../src/watermarks/sharper/embedded-trainings.ts'
import { calibrationTable } from '../../src/watermarks/sharper/posterior.ts'
import { withTrainedScore } from '../../src/watermarks/sharper/trained-score.ts'
import { recordedSteps } from './recorded-steps.ts'

const LAYERS = 20
const WORDS = 2 ** LAYERS
/** Keys per position that rates are learned from, and keys for the law of a marked score. */
const [TRAINING_KEYS, KEYS] = [40, 20_000]
const CLASSES = [1, 2, 4]
/** Cells of the score per nat. */
const GRAIN = 16

const plain = synthid({ layers: LAYERS })

/** How often each layer's bit of a marked token is 1. */
function ratesOf(steps: readonly Float64Array[]): number[] {
  const ones = new Float64Array(LAYERS)
  for (const [i, p] of steps.entries())
    for (let k = 0; k < TRAINING_KEYS; k++) {
      const code = drawCode(plain, `training/${i}/${k}`, p.length)
      const q = new Float64Array(p.length)
      plain.reweight(p, code, q)
      for (const [x, mass] of q.entries()) {
        const word = code.random.uint32(x)
        for (let layer = 0; layer < LAYERS; layer++) if ((word >>> layer) & 1) ones[layer]! += mass
      }
    }
  return Array.from(ones, (count) => count / (steps.length * TRAINING_KEYS))
}

/** ln of the likelihood ratio of each word: a mixture of classes, each of independent bits. */
function logRatios(classes: readonly (readonly number[])[]): Float64Array {
  const ratios = new Float64Array(WORDS)
  for (const rates of classes) {
    // the ratio of a word from that of the word without its highest bit
    const own = new Float64Array(WORDS)
    own[0] = rates.reduce((product, rate) => product * 2 * (1 - rate), 1)
    for (let layer = 0; layer < LAYERS; layer++)
      for (let rest = 0; rest < 2 ** layer; rest++)
        own[2 ** layer + rest] = (own[rest]! * rates[layer]!) / (1 - rates[layer]!)
    for (let word = 0; word < WORDS; word++) ratios[word]! += own[word]! / classes.length
  }
  return ratios.map(Math.log)
}

/** The watermark with a score learned from `steps`, and its exact null law. */
function trained(steps: readonly Float64Array[], count: number): AnyWatermark {
  const sorted = [...steps].sort((a, b) => entropy(a) - entropy(b))
  const cut = (k: number): number => Math.floor((k * sorted.length) / count)
  const logs = logRatios(Array.from({ length: count }, (_, k) => ratesOf(sorted.slice(cut(k), cut(k + 1)))))
  const least = logs.reduce((a, b) => Math.min(a, b), 0)
  const cells = Int32Array.from(logs, (log) => Math.round((log - least) * GRAIN))
  const law = new Float64Array(cells.reduce((a, b) => Math.max(a, b), 0) + 1)
  for (const cell of cells) law[cell]! += 1 / WORDS
  return {
    ...plain,
    id: `synthid, trained with ${count}`,
    score: (token, { random, mask }) => cells[(random.uint32(token) ^ mask) & (WORDS - 1)]!,
    detector: sumDetector({ nullLaw: lattice(law), bound: law.length - 1 }),
  } as AnyWatermark
}

test('the ratio of likelihoods has the mean 1 over fair bits, and a bit its own', () => {
  const logs = logRatios([
    new Array(LAYERS).fill(0.5).fill(0.75, 0, 1),
    new Array(LAYERS).fill(0.5).fill(0.6, 3, 4),
  ])
  expect(logs.reduce((sum, log) => sum + Math.exp(log), 0) / WORDS).toBeCloseTo(1, 12)
  expect(logs[0b0001]).toBeCloseTo(Math.log((1.5 + 0.8) / 2), 12)
  expect(logs[0b1000]).toBeCloseTo(Math.log((0.5 + 1.2) / 2), 12)
})

test('reports/trained-synthid.md is what this computes', { timeout: 0 }, async () => {
  const [first, second] = ['uwbench-lm', 'stories15m'].map(recordedSteps)
  const needed = (watermark: AnyWatermark, steps: readonly Float64Array[]): string => {
    const result = tokensNeeded(watermark, steps, 0.01, 0.9, { keys: KEYS })
    return result.applicable ? String(result.high) : '-'
  }
  const weighted: AnyWatermark = synthid({ layers: LAYERS, detector: 'weighted' })
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rows = [
    ['`synthid(layers=20)`', plain, plain] as const,
    [`\`${weighted.id}\``, weighted, weighted] as const,
    ...CLASSES.map(
      (count) =>
        [
          `trained, ${count === 1 ? 'one class' : `${count} classes`}`,
          trained(second!.ranked, count),
          trained(first!.ranked, count),
        ] as const,
    ),
    [
      '`withTrainedScore`, as shipped',
      withTrainedScore(plain, embeddedTrainings.stories15m),
      withTrainedScore(plain, embeddedTrainings['uwbench-lm']),
    ] as const,
  ].map(([name, onFirst, onSecond]) =>
    line([
      name,
      needed(onFirst as AnyWatermark, first!.ranked),
      needed(onSecond as AnyWatermark, second!.ranked),
    ]),
  )
  const head = ['detector', 'uwbench-lm', 'stories15m']
  const percent = (share: number): string => `${(100 * share).toFixed(share > 0.99 || share < 0.01 ? 1 : 0)}%`
  const reliability = (training: BitTraining): string => {
    const title = ['likelihood ratio', 'by Bayes', 'marked', 'unmarked', 'share of marked texts']
    const lines = calibrationTable(training).map(({ from, to, marked, unmarked, least, most, low, high }) =>
      line([
        to === Number.POSITIVE_INFINITY
          ? `${from.toLocaleString('en')} or more`
          : `${from} to ${to.toLocaleString('en')}`,
        `${percent(least)} to ${percent(most)}`,
        String(marked),
        String(unmarked),
        `${percent(low)} to ${percent(high)}`,
      ]),
    )
    return [line(title), line(title.map(() => '---')), ...lines].join('\n')
  }
  const filled: Record<string, string | number> = {
    keys: TRAINING_KEYS,
    words: WORDS.toLocaleString('en'),
    laws: KEYS.toLocaleString('en'),
    first: reliability(embeddedTrainings['uwbench-lm']),
    second: reliability(embeddedTrainings.stories15m),
    table: [line(head), line(head.map(() => '---')), ...rows].join('\n'),
  }
  const intro = readFileSync(new URL('./trained-synthid-intro.md', import.meta.url), 'utf8')
  await expect(intro.replace(/\{(\w+)\}/g, (_, name: string) => String(filled[name]))).toMatchFileSnapshot(
    '../../reports/trained-synthid.md',
  )
})
