/** How long a text must be, by detector, beside the fewest tokens that any detector needs: reports/tokens-needed.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { detectWeighted } from '../../src/core/detect/weighted.ts'
import { detectWithModel } from '../../src/core/detect/with-model.ts'
import { expectToyKeys } from '../../src/core/keys/short-key.ts'
import { entropy } from '../../src/theory/expected-score.ts'
import { likelihoodBound } from '../../src/theory/likelihood-bound.ts'
import { tokensNeeded } from '../../src/theory/tokens-needed.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import {
  dipmark,
  ens,
  gammaReweight,
  gumbel,
  unigram,
  withGoodnessOfFit,
  withMinimaxScore,
} from '../../src/watermarks/entry.ts'
import { detectableWatermarks } from '../watermarks/shipped.ts'
import { fixedBound } from './fixed-bound.ts'
import { recordedSteps } from './recorded-steps.ts'
import { lengthNeeded, type Text, Texts, withFreshContexts } from './texts.ts'
import { VOCABULARY, zipf } from './zipf.ts'

expectToyKeys()

/** Keys for the law of a score, whose mean must be exact to a small part of the gain, and for the law of likelihood ratios. */
const KEYS = 20_000
const RATIO_KEYS = 2000
const [ALPHA, POWER] = [0.01, 0.9]
/** Where lengths are simulated: texts, and their longest. */
const TEXTS = 200
const LONGEST = 2000
/** The likelihood-ratio test under a fixed set. */
const FIXED = { alpha: ALPHA, power: POWER, texts: 1000, longest: 4000 }
/** Alignment costs a hundred times as much. */
const ALIGNED = { texts: 40, longest: 96 }

interface World {
  readonly name: string
  /** By rank, for what depends on masses alone, and over all tokens, for what depends on how words recur. */
  readonly ranked: readonly Float64Array[]
  readonly distributions: readonly Float64Array[]
}

const zipfs = [0.5, 2, 4].map((nats): World => {
  const law = [zipf(nats)]
  return { name: `${nats} nats`, ranked: law, distributions: law }
})
const recorded = ['uwbench-lm', 'stories15m'].map(recordedSteps)
const models = recorded.map(({ model, ...steps }): World => ({ name: model, ...steps }))
const worlds = [...zipfs, ...models]

/** A length: computed, or simulated. */
interface Length {
  readonly tokens: number
  readonly simulated: boolean
}

type Found = (watermark: AnyWatermark, text: Text, n: number, vocabSize: number) => number

const byDetector: Found = (watermark, { tokens, key }, n, vocabSize) =>
  detect(watermark, tokens.slice(0, n), { key, vocabSize, alpha: ALPHA }).pValue
const byModel: Found = (watermark, { tokens, key, steps }, n, vocabSize) =>
  detectWithModel(watermark, tokens.slice(0, n), { key, vocabSize, probabilities: (t) => steps[t]! }).pValue
const byWeight =
  (weight: 'entropy' | 'surprisal'): Found =>
  (watermark, { tokens, key, steps }, n, vocabSize) =>
    detectWeighted(watermark, tokens.slice(0, n), { key, vocabSize, probabilities: (t) => steps[t]!, weight })
      .pValue

function simulated(given: AnyWatermark, { ranked, distributions }: World, pValue: Found): Length {
  const watermark = withFreshContexts(given)
  const aligned = watermark.detector!.id === 'alignment'
  const steps = watermark.context.id === 'fixed()' ? distributions : ranked
  const texts = new Texts(watermark, steps, aligned ? ALIGNED.texts : TEXTS)
  const found = (text: Text, n: number): boolean => pValue(watermark, text, n, texts.vocabSize) <= ALPHA
  const most = aligned ? ALIGNED.longest : LONGEST
  return { tokens: lengthNeeded(texts, found, most, aligned ? 8 : 64), simulated: true }
}

/** What the detector of a watermark needs: computed where it is a sum of independent scores. */
function ownLength(watermark: AnyWatermark, world: World): Length {
  const needed = tokensNeeded(watermark, world.ranked, ALPHA, POWER, { keys: KEYS })
  if (needed.applicable) return { tokens: needed.high, simulated: false }
  return simulated(watermark, world, byDetector)
}

/** Options that read the same text, by the id of the usual detector. */
const options = new Map<string, readonly AnyWatermark[]>([
  ['gumbel', [withMinimaxScore(gumbel(), { delta: 0.1 }), withGoodnessOfFit(gumbel())]],
  ['gammaReweight', [gammaReweight({ detector: 'linear' })]],
  ['dipmark(alpha=0.3)', [dipmark({ alpha: 0.3, detector: 'linear' })]],
  ['dipmark(alpha=0.4)', [dipmark({ alpha: 0.4, detector: 'linear' })]],
  ...[0.5, 1, 1.5, 2].map((delta): [string, AnyWatermark[]] => [
    unigram({ delta }).id,
    [unigram({ delta, detector: 'root' })],
  ]),
])

/** Whose scores are also weighed by what the model says. */
const weighed = [
  'kgw(delta=2)',
  'gammaReweight',
  'mcmark(channels=20)',
  'sta1(gamma=0.5)',
  'synthid(layers=20)',
  'ens(marks=5)',
  'gumbel',
]

interface Row {
  readonly label: string
  readonly cells: readonly (readonly [own: Length, model: Length | undefined, bound: Length])[]
}
const rows: Row[] = []

const readable = ({ unbiased, context }: AnyWatermark): boolean => unbiased && context.foundBy === undefined

/** What the likelihood-ratio test needs: simulated where all positions share one code. */
function boundOf(watermark: AnyWatermark, { ranked, distributions }: World): Length {
  if (watermark.context.id === 'fixed()')
    return { tokens: fixedBound(watermark, distributions, FIXED), simulated: true }
  const { tokens } = likelihoodBound(watermark, ranked, ALPHA, POWER, { keys: RATIO_KEYS })
  return { tokens, simulated: false }
}

/** Those that are listed, and MCmark in sequence. */
const watermarks: readonly AnyWatermark[] = [...detectableWatermarks(), ens({ marks: 3, channels: 20 })]

test.each(watermarks.map((watermark) => [watermark.id, watermark] as const))('%s', (id, watermark) => {
  const bounds = worlds.map((world) => boundOf(watermark, world))
  const own = worlds.map((world) => ownLength(watermark, world))
  for (const [i, { tokens }] of own.entries()) expect(tokens).toBeGreaterThanOrEqual(bounds[i]!.tokens)
  const withModel = worlds.map((world) =>
    readable(watermark) ? simulated(watermark, world, byModel) : undefined,
  )
  rows.push({ label: `\`${id}\``, cells: worlds.map((_, i) => [own[i]!, withModel[i], bounds[i]!]) })
  const indented = (name: string, lengths: readonly Length[]): void => {
    rows.push({
      label: `&nbsp;&nbsp;${name}`,
      cells: lengths.map((length, i) => [length, undefined, bounds[i]!]),
    })
  }
  for (const option of options.get(id) ?? [])
    indented(
      `\`${option.id}\``,
      worlds.map((world) => ownLength(option, world)),
    )
  if (!weighed.includes(id)) return
  indented(
    'weighed by entropy',
    worlds.map((world) => simulated(watermark, world, byWeight('entropy'))),
  )
  if (id === 'gumbel')
    indented(
      'weighed by surprisal',
      worlds.map((world) => simulated(watermark, world, byWeight('surprisal'))),
    )
})

const count = ({ tokens, simulated }: Length): string => {
  if (Number.isFinite(tokens)) return `${simulated ? '~' : ''}${tokens}`
  return simulated ? 'beyond' : 'never'
}

function table(shown: readonly World[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const head = ['watermark', ...shown.flatMap(({ name }) => [name, 'with model', 'bound', 'factor'])]
  const body = rows.map(({ label, cells }) =>
    line([
      label,
      ...shown.flatMap((world) => {
        const [own, model, bound] = cells[worlds.indexOf(world)]!
        const factor = Number.isFinite(own.tokens) ? (own.tokens / bound.tokens).toFixed(1) : '-'
        return [count(own), model ? count(model) : '-', count(bound), factor]
      }),
    ]),
  )
  return [line(head), line(head.map(() => '---')), ...body].join('\n')
}

test('reports/tokens-needed.md is what this computes', async () => {
  const natsOf = (world: World): string =>
    (world.ranked.reduce((sum, p) => sum + entropy(p), 0) / world.ranked.length).toFixed(2)
  const filled: Record<string, string | number> = {
    vocabSize: VOCABULARY,
    keys: '20,000',
    texts: TEXTS,
    longest: LONGEST.toLocaleString('en'),
    fixedTexts: FIXED.texts.toLocaleString('en'),
    fixedLongest: FIXED.longest.toLocaleString('en'),
    alignedTexts: ALIGNED.texts,
    alignedLongest: ALIGNED.longest,
    positions: recorded[0]!.ranked.length,
    top: recorded[0]!.top,
    settings: recorded
      .map(
        ({ model, temperature, kept }, i) =>
          `${model} at temperature ${temperature} (${natsOf(models[i]!)} nats per token; the kept tokens have ${(100 * kept).toFixed(1)}% of the mass)`,
      )
      .join(', '),
    sure: models
      .map(({ name, ranked }) => {
        const share = ranked.filter((p) => entropy(p) < 0.1).length / ranked.length
        return `${Math.round(100 * share)}% of those of ${name}`
      })
      .join(' and '),
    entropies: table(zipfs),
    models: table(models),
  }
  const intro = readFileSync(new URL('./tokens-needed-intro.md', import.meta.url), 'utf8')
  await expect(intro.replace(/\{(\w+)\}/g, (_, name: string) => String(filled[name]))).toMatchFileSnapshot(
    '../../reports/tokens-needed.md',
  )
})
