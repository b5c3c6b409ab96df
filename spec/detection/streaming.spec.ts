/**
 * Streams under the null and under the watermark: what reports/streaming.md says. Everything is fixed by seeds, so this file has no false
 * alarms of its own.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { stream } from '../../src/core/detect/stream.ts'
import { expectToyKeys } from '../../src/core/keys/short-key.ts'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import { embeddedDataset } from '../../src/text/datasets/embedded.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import { loadTokenizer } from '../../src/text/models/load-tokenizer.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { detectableWatermarks } from '../watermarks/shipped.ts'

expectToyKeys()

const STREAMS = 100_000
const TEXTS = 200
const LENGTH = 600
const VOCABULARY = 200
const LEVELS = [0.05, 0.01, 0.001]
const ENTROPIES = [3.5, 1.5]

const watermarks = detectableWatermarks().filter(({ detector }) => detector!.id === 'sum')
/** One of each that differs under the null: the domain names the code, the law what is made of it. */
const differing = [
  ...new Map(
    watermarks.map((watermark) => [`${watermark.domain} ${watermark.detector!.bound}`, watermark]),
  ).values(),
]

/** The number of tokens after which the p-value is first at most each level; Infinity where it never is. */
function crossings(
  watermark: AnyWatermark,
  tokens: ArrayLike<number>,
  key: string,
  vocabSize: number,
): number[] {
  const times = LEVELS.map(() => Number.POSITIVE_INFINITY)
  const text = stream(watermark, { key, vocabSize })
  for (let t = 0; t < tokens.length; t++) {
    const { pValue } = text.push(tokens[t]!)
    if (pValue > LEVELS[0]!) continue
    for (const [k, level] of LEVELS.entries()) if (pValue <= level) times[k] = Math.min(times[k]!, t + 1)
  }
  return times
}

async function humanPassages() {
  const { tokenizer, vocabSize } = await loadTokenizer('embedded')
  const { examples } = await embeddedDataset('continuation')
  const passages = examples.map(({ prompt, reference }) =>
    Int32Array.from(tokenizer.encode(`${prompt} ${reference}`)),
  )
  return { passages, vocabSize: vocabSize! }
}
const human = await humanPassages()

const alarms = new Map<string, number[]>()

test.each(differing.map((watermark) => [watermark.id, watermark] as const))(
  '%s: false alarms of 100,000 streams',
  { timeout: 0 },
  (id, watermark) => {
    const counts = LEVELS.map(() => 0)
    for (let i = 0; i < STREAMS; i++) {
      const passage = human.passages[i % human.passages.length]!
      const times = crossings(watermark, passage, `streaming ${i}`, human.vocabSize)
      for (const [k, time] of times.entries()) if (time <= passage.length) counts[k]!++
    }
    alarms.set(id, counts)
    for (const [k, level] of LEVELS.entries())
      expect(logBinomialTail(counts[k]!, STREAMS, level)).toBeGreaterThan(Math.log(1e-6))
  },
)

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1]!

/** The smallest length at which a share of the texts is detected at 1%. */
function fixedLength(watermark: AnyWatermark, texts: readonly number[][], share: number): number {
  const vocabSize = VOCABULARY
  const found = (n: number): boolean => {
    const detected = texts.filter(
      (tokens, i) => detect(watermark, tokens.slice(0, n), { key: `key ${i}`, vocabSize }).pValue <= 0.01,
    )
    return detected.length >= share * texts.length
  }
  let [no, yes] = [0, 4]
  while (!found(yes)) {
    if (yes >= LENGTH) return Number.POSITIVE_INFINITY
    no = yes
    yes = Math.min(LENGTH, 2 * yes)
  }
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2)
    if (found(middle)) yes = middle
    else no = middle
  }
  // power is a saw: an earlier tooth may reach the share as well
  for (let n = Math.max(1, yes - 16); n < yes; n++) if (found(n)) return n
  return yes
}

const times = new Map<string, { streamed: number; fixed: number; planned: number }[]>()

test.each(watermarks.map((watermark) => [watermark.id, watermark] as const))(
  '%s: detection times',
  { timeout: 0 },
  async (id, watermark) => {
    const row = []
    for (const entropy of ENTROPIES) {
      const model = markovModel({ vocabSize: VOCABULARY, entropy, seed: 'streaming' })
      const requests = Array.from({ length: TEXTS }, (_, i) => ({
        prompt: [i % VOCABULARY],
        key: `key ${i}`,
        seed: i,
      }))
      const generated = await generateMany(model, requests, { watermark, maxNewTokens: LENGTH })
      const texts = generated.map(({ tokens }) => tokens)
      const streamed = median(
        texts.map((tokens, i) => crossings(watermark, tokens, `key ${i}`, VOCABULARY)[1]!),
      )
      row.push({
        streamed,
        fixed: fixedLength(watermark, texts, 0.5),
        planned: fixedLength(watermark, texts, 0.9),
      })
    }
    times.set(id, row)
  },
)

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
const count = (n: number): string => (Number.isFinite(n) ? String(n) : '-')

test('reports/streaming.md is what this computes', async () => {
  const lengths = human.passages.map(({ length }) => length)
  const alarmTable = table(
    ['watermark', ...LEVELS.map((level) => `p <= ${100 * level}%`), 'excess'],
    [...alarms].map(([id, counts]) => [
      `\`${id}\``,
      ...counts.map((n) => `${((100 * n) / STREAMS).toFixed(3)}%`),
      Math.exp(Math.min(...counts.map((n, k) => logBinomialTail(n, STREAMS, LEVELS[k]!)))).toPrecision(2),
    ]),
  )
  const timeTable = table(
    [
      'watermark',
      ...ENTROPIES.flatMap((nats) => [`${nats} nats: stream`, 'fixed, 50%', 'ratio', 'fixed, 90%']),
    ],
    [...times].map(([id, row]) => [
      `\`${id}\``,
      ...row.flatMap(({ streamed, fixed, planned }) => [
        count(streamed),
        count(fixed),
        Number.isFinite(streamed) ? (streamed / fixed).toFixed(2) : '-',
        count(planned),
      ]),
    ]),
  )
  const filled: Record<string, string | number> = {
    passages: lengths.length,
    shortest: Math.min(...lengths),
    longest: Math.max(...lengths),
    texts: TEXTS,
    length: LENGTH,
    vocabSize: VOCABULARY,
    alarms: alarmTable,
    times: timeTable,
  }
  const intro = readFileSync(new URL('./streaming-intro.md', import.meta.url), 'utf8')
  await expect(intro.replace(/\{(\w+)\}/g, (_, name: string) => String(filled[name]))).toMatchFileSnapshot(
    '../../reports/streaming.md',
  )
})
