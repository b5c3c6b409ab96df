/** KGW with contexts that are left alone when they recur, and with an exact tail over pairs: reports/recurring-contexts.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { binomial } from '../../src/core/detect/null-laws.ts'
import { pairDetector } from '../../src/core/detect/pair-detector.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import { expectToyKeys } from '../../src/core/keys/short-key.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { kgw } from '../../src/watermarks/entry.ts'

expectToyKeys()

const VOCABULARY = 100
const TEXTS = 200
const LONGEST = 1000
const ENTROPIES = [0.5, 2, 4]
type Rule = 'skip' | 'reuse'

const watermarkOf = (repeated: Rule): AnyWatermark => kgw({ delta: 2, context: ngram(2, { repeated }) })

const weighed = (weight: (count: number) => number): AnyWatermark => ({
  ...watermarkOf('reuse'),
  detector: pairDetector({ nullLaw: binomial(1 / 2), weight }),
})

/** Ways to detect, each with the rule of the texts that it reads. */
const tests: readonly [name: string, rule: Rule, watermark: AnyWatermark][] = [
  ['left alone', 'skip', watermarkOf('skip')],
  ['pairs by count', 'reuse', watermarkOf('reuse')],
  ['by its root', 'reuse', weighed((count) => Math.round(16 * Math.sqrt(count)))],
  ['each once', 'reuse', weighed(() => 1)],
]

/** Texts under a rule; text i has the key `text i`. */
interface World {
  readonly name: string
  readonly vocabSize: number
  texts(rule: Rule): Promise<number[][]>
}

const markov = ENTROPIES.map((entropy): World => {
  const model = markovModel({ vocabSize: VOCABULARY, entropy, seed: 'recurring' })
  return {
    name: `Markov, ${entropy} nats`,
    vocabSize: VOCABULARY,
    async texts(rule) {
      const requests = Array.from({ length: TEXTS }, (_, i) => ({
        prompt: [i % VOCABULARY],
        key: `text ${i}`,
        seed: i,
      }))
      const written = await generateMany(model, requests, {
        watermark: watermarkOf(rule),
        maxNewTokens: LONGEST,
      })
      return written.map(({ tokens }) => tokens)
    },
  }
})

const files = ['uwbench-lm', 'stories15m'].map((name) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/steps/kgw-${name}.json`, import.meta.url), 'utf8')),
)
const recorded = files.map(
  ({ model, vocabSize, length, texts }): World => ({
    name: model,
    vocabSize,
    async texts(rule) {
      const bytes = Buffer.from(texts[rule], 'base64')
      return Array.from({ length: bytes.length / (2 * length) }, (_, i) =>
        Array.from({ length }, (_, t) => bytes.readUInt16LE(2 * (i * length + t))),
      )
    },
  }),
)

interface Length {
  readonly tokens: number
  /** The share of positions that are scored at that length. */
  readonly scored: number
}

/** The shortest length at which a share of the texts is found; Infinity where none is. */
function lengthNeeded(
  texts: readonly number[][],
  watermark: AnyWatermark,
  vocabSize: number,
  share: number,
): Length {
  const results = (n: number) =>
    texts.map((tokens, i) => detect(watermark, tokens.slice(0, n), { key: `text ${i}`, vocabSize }))
  const found = (n: number): boolean =>
    results(n).filter(({ pValue }) => pValue <= 0.01).length >= share * texts.length
  let [no, yes] = [0, 8]
  while (!found(yes)) {
    if (yes === texts[0]!.length) return { tokens: Number.POSITIVE_INFINITY, scored: Number.NaN }
    no = yes
    yes = Math.min(texts[0]!.length, 2 * yes)
  }
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2)
    if (found(middle)) yes = middle
    else no = middle
  }
  const scored = results(yes).reduce((sum, result) => sum + result.scored, 0) / (yes * texts.length)
  return { tokens: yes, scored }
}

const count = ({ tokens }: Length): string => (Number.isFinite(tokens) ? String(tokens) : '-')

test('reports/recurring-contexts.md is what this computes', async () => {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const head = ['texts', ...tests.flatMap(([name]) => [name, 'scored'])]
  const body: string[] = []
  for (const world of [...markov, ...recorded]) {
    const written = { skip: await world.texts('skip'), reuse: await world.texts('reuse') }
    const cells = tests.flatMap(([, rule, watermark]) => {
      const [most, half] = [0.9, 0.5].map((share) =>
        lengthNeeded(written[rule], watermark, world.vocabSize, share),
      ) as [Length, Length]
      const { scored } = Number.isFinite(most.tokens) ? most : half
      return [`${count(most)} (${count(half)})`, Number.isNaN(scored) ? '-' : `${(100 * scored).toFixed(0)}%`]
    })
    body.push(line([world.name, ...cells]))
  }
  const filled: Record<string, string | number> = {
    vocabSize: VOCABULARY,
    texts: TEXTS,
    longest: LONGEST.toLocaleString('en'),
    recordedTexts: (await recorded[0]!.texts('skip')).length,
    recordedLength: files[0].length,
    table: [line(head), line(head.map(() => '---')), ...body].join('\n'),
  }
  const intro = readFileSync(new URL('./recurring-contexts-intro.md', import.meta.url), 'utf8')
  await expect(intro.replace(/\{(\w+)\}/g, (_, name: string) => String(filled[name]))).toMatchFileSnapshot(
    '../../reports/recurring-contexts.md',
  )
})
