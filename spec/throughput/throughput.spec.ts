/**
 * Speed, as ratios: `npx vitest run --project=throughput`, alone on the machine. Writes reports/throughput.*; see measure.ts for
 * what a figure is and when it breaks its bound.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/entry.ts'
import { bestAlignment } from '../../src/core/kernels/alignment.ts'
import { kernels } from '../../src/core/kernels/index.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { distinctN, rougeL, rougeN, sentenceBleu } from '../../src/text/metrics/entry.ts'
import {
  engines,
  fullEditTests,
  isFromWords,
  largeSteps,
  scoresPerToken,
  step,
  steps,
  sumDetectors,
  topK,
  vocabularies,
  zipfText,
} from './cases.ts'
import { detectionAlone } from './detection.ts'
import { type Figure, figure, measure, now, softmaxOver } from './measure.ts'
import { type Section, writeThroughput } from './report.ts'

const sections: Section[] = []

/** Notes a figure for the report and fails where its bound is broken. */
function record(
  section: string,
  unit: string,
  row: string,
  column: string,
  found: Figure,
  time?: number[],
): void {
  let known = sections.find((s) => s.title === section)
  if (known === undefined) {
    known = { title: section, unit, entries: [] }
    sections.push(known)
  }
  known.entries.push({ row, column, figure: found, times: time ?? [] })
  expect(found.broken, `${found.id}: ${found.median.toPrecision(4)} ${unit}, bound ${found.bound}`).toBe(
    false,
  )
}

const softmaxes = new Map(vocabularies.map((vocabSize) => [vocabSize, softmaxOver(vocabSize)]))
const usual = softmaxes.get(50_257)!
const { vocabSize } = usual

test('the compiled kernels run here', () => {
  expect(kernels.kind).toBe('wasm')
})

describe.each(vocabularies)('one step over %i tokens, softmax included', (size) => {
  const softmax = softmaxes.get(size)!
  test.each(steps.map(([watermark, bound]) => [watermark.id, watermark, bound] as const))(
    '%s',
    (id, watermark, bound) => {
      const { ratios, times } = measure(softmax.run, step(watermark, softmax))
      record('One step', 'softmaxes', id, `V = ${size}`, figure(`${id} at ${size}`, ratios, bound), times)
    },
  )
})

describe('one step over 151936 tokens, softmax included', () => {
  test.each(largeSteps.map(([watermark, bound]) => [watermark.id, watermark, bound] as const))(
    '%s',
    (id, watermark, bound) => {
      const softmax = softmaxOver(151_936)
      const { ratios, times } = measure(softmax.run, step(watermark, softmax))
      record('One step', 'softmaxes', id, 'V = 151936', figure(`${id} at 151936`, ratios, bound), times)
    },
  )
})

describe('one step over 50257 tokens of which top-k kept 100', () => {
  const mass = kernels.float64(vocabSize)
  test.each(steps.map(([watermark]) => [watermark.id, watermark] as const))('%s', (id, watermark) => {
    usual.run()
    topK(usual.p, 100, mass)
    const { ratios, times } = measure(usual.run, step(watermark, usual, mass))
    const bound = id === 'synthid(layers=20)' ? 2 : undefined
    record(
      'One step',
      'softmaxes',
      id,
      'V = 50257, top-k 100',
      figure(`${id}, top-k 100`, ratios, bound),
      times,
    )
  })
})

describe('detection of 500 tokens, in softmaxes over 50257', () => {
  test.each(sumDetectors.map((watermark) => [watermark.id, watermark] as const))('%s', (id, watermark) => {
    const { ratios, times } = detectionAlone(id, 'one')
    const found = figure(`detect ${id}`, ratios, 2 * scoresPerToken(watermark))
    record('Detection of 500 tokens', 'softmaxes', id, 'V = 50257', found, times)
  })
})

describe('detectMany on 1000 texts of 500 tokens', () => {
  test.each(sumDetectors.map((watermark) => [watermark.id, watermark] as const))('%s', (id, watermark) => {
    const { ratios, times } = detectionAlone(id, 'many')
    // nanoseconds per token, so that higher is worse: at least 10 million tokens a second from words, 5 million otherwise
    const perToken = times.map((time) => (time * 1e6) / 500_000)
    const most = isFromWords(watermark)
      ? { time: 100, ratio: 0.5 }
      : { time: 200 * scoresPerToken(watermark), ratio: undefined }
    record(
      'A corpus of 1000 texts',
      'ns per token',
      id,
      'detectMany',
      figure(`detectMany ${id}`, perToken, most.time),
      times,
    )
    const perText = ratios.map((ratio) => ratio / 1000)
    record(
      'Per text of a corpus',
      'softmaxes',
      id,
      'V = 50257',
      figure(`per text ${id}`, perText, most.ratio),
    )
  })
})

describe('detectMany with the codes of engines', () => {
  test.each(engines.map(([watermark, most]) => [watermark.id, most] as const))('%s', (id, most) => {
    const { times } = detectionAlone(id, 'many')
    const perToken = times.map((time) => (time * 1e6) / 500_000)
    const found = figure(`detectMany ${id}`, perToken, most)
    record('A corpus of 1000 texts', 'ns per token', id, 'detectMany', found, times)
  })
})

describe('edit tests of 500 tokens, key 256, block 500, 99 runs', () => {
  test.each(fullEditTests.map((watermark) => [watermark.id, watermark] as const))('%s', (id, watermark) => {
    const tokens = zipfText(500, vocabSize, 1)
    const seconds = Array.from({ length: 41 }, () => {
      const start = now()
      detect(watermark, tokens, { key: 'throughput', vocabSize, runs: 99 })
      return (now() - start) / 1000
    })
    record(
      'Edit tests',
      'seconds',
      id,
      'all 99 runs',
      figure(`${id}, 99 runs`, seconds, 1.5),
      seconds.map((s) => 1000 * s),
    )
  })
})

describe('metrics of a pair of texts of 200 words', () => {
  const stream = seededRandom('throughput words')
  const words = () => Array.from({ length: 200 }, () => `w${Math.floor(2000 ** stream.uniform())}`)
  const [ours, theirs] = [words(), words()]
  const [a, b] = [ours.join(' '), theirs.join(' ')]
  test.each<[string, () => void]>([
    ['BLEU', () => void sentenceBleu(a, b)],
    ['ROUGE-1', () => void rougeN(a, b, 1)],
    ['ROUGE-2', () => void rougeN(a, b, 2)],
    ['ROUGE-L', () => void rougeL(a, b)],
    ['distinct-2', () => void distinctN(ours, 2)],
  ])('%s', (id, work) => {
    const { ratios, times } = measure(usual.run, work)
    record('Metrics', 'softmaxes', id, 'V = 50257', figure(id, ratios), times)
  })
})

/** The exponents of growth, one per round: the slope of ln time against ln size, all sizes measured in each round. */
function exponents(sizes: readonly number[], workOf: (size: number) => () => void, rounds = 41): number[] {
  const works = sizes.map(workOf)
  for (const work of works)
    measure(
      () => work(),
      () => work(),
      { rounds: 3 },
    ) // warm
  const calls = works.map((work) => {
    const start = now()
    work()
    return Math.max(1, Math.ceil(1 / Math.max(now() - start, 0.01)))
  })
  const x = sizes.map(Math.log)
  const centre = x.reduce((sum, v) => sum + v, 0) / x.length
  const spread = x.reduce((sum, v) => sum + (v - centre) ** 2, 0)
  return Array.from({ length: rounds }, () => {
    const y = works.map((work, i) => {
      const start = now()
      for (let c = 0; c < calls[i]!; c++) work()
      return Math.log((now() - start) / calls[i]!)
    })
    return y.reduce((sum, v, i) => sum + v * (x[i]! - centre), 0) / spread
  })
}

describe('growth', () => {
  const section = 'Growth'
  const unit = 'exponent'
  test.each(steps.map(([watermark]) => [watermark.id, watermark] as const))(
    'of a step with V: %s',
    (id, watermark) => {
      const sizes = [8_000, 16_000, 32_000, 64_000, 128_000]
      const found = exponents(sizes, (size) => step(watermark, softmaxOver(size)))
      record(section, unit, id, 'step, with V', figure(`${id}, growth with V`, found, 1.1))
    },
  )
  test.each(sumDetectors.map((watermark) => [watermark.id, watermark] as const))(
    'of detection with the length of the text: %s',
    (id, watermark) => {
      const found = exponents([500, 1000, 2000, 4000, 8000], (length) => {
        const tokens = zipfText(length, vocabSize, length)
        return () => {
          detect(watermark, tokens, { key: 'throughput', vocabSize })
        }
      })
      record(section, unit, id, 'detection, with length', figure(`${id}, growth with length`, found, 1.1))
    },
  )
  const problem = (tokens: number, keyLength: number) => {
    const stream = seededRandom('gains', tokens, keyLength)
    const gain = Float64Array.from({ length: tokens * keyLength }, () => -Math.log(stream.uniform()))
    return () => {
      bestAlignment({ gain, tokens, keyLength, block: tokens, penalty: 1 })
    }
  }
  test('of an alignment with the length of the text, which is quadratic', () => {
    const found = exponents([64, 128, 256, 512], (length) => problem(length, 64))
    record(
      section,
      unit,
      'alignment',
      'detection, with length',
      figure('alignment, growth with length', found),
    )
  })
  test('of an alignment with the length of the key', () => {
    // all gains beyond the caches near a core: from 256 to 512 entries a pair costs a third more, before and after the same
    const found = exponents([512, 1024, 2048, 4096], (length) => problem(128, length))
    record(
      section,
      unit,
      'alignment',
      'with key length',
      figure('alignment, growth with key length', found, 1.1),
    )
  })
})

afterAll(async () => {
  await writeThroughput(sections, softmaxes)
})
