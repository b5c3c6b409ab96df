/** Memory over many detections and generations: what is in use after full collections, at points spread over the run. */
import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { detect, shippedWatermarks } from '../../src/index.ts'
import { generate, markovModel } from '../../src/text/models/entry.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes in use: the heap but for compiled code, which comes and goes; and what lies outside of it (typed arrays, the memory of kernels). */
export interface Use {
  readonly done: number
  readonly heap: number
  readonly outside: number
}

async function use(done: number): Promise<Use> {
  // finalizers run between collections
  for (let i = 0; i < 3; i++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return { done, heap: heapUsed - getHeapCodeStatistics().code_and_metadata_size, outside: external }
}

/**
 * Does `work` so many times and looks at `points` + 1 places spread evenly over the second half. In the first, code is compiled and caches
 * fill: what grows then is not a leak.
 */
export async function watch(
  times: number,
  points: number,
  work: (i: number) => unknown,
): Promise<readonly Use[]> {
  const half = times / 2
  const step = Math.ceil(half / points)
  const uses: Use[] = []
  for (let i = 0; i < times; i++) {
    if (i >= half && (i - half) % step === 0) uses.push(await use(i))
    await work(i)
  }
  return [...uses, await use(times)]
}

const KEY = 'a secret that nobody guesses'
const VOCAB = 64

/** Detects in a text of 30 tokens, every one another, with each of the shipped watermarks that need no search in turn. */
export function detections(): (i: number) => void {
  const marks = shippedWatermarks().filter(({ detector }) => detector?.id === 'sum')
  const tokens = new Int32Array(30)
  return (i) => {
    for (let t = 0; t < tokens.length; t++) tokens[t] = (i * 31 + t * t * 7 + (i >> (t % 16))) % VOCAB
    // a new key from time to time: what is kept per key must go with it
    detect(marks[i % marks.length]!, tokens, { key: `${KEY} ${i >> 10}`, vocabSize: VOCAB })
  }
}

/** Generates a text of 20 tokens with each of the shipped watermarks in turn. */
export function generations(): (i: number) => Promise<unknown> {
  const marks = shippedWatermarks()
  const model = markovModel({ vocabSize: VOCAB })
  return (i) =>
    generate(model, [i % VOCAB], {
      watermark: marks[i % marks.length]!,
      key: `${KEY} ${i >> 6}`,
      maxNewTokens: 20,
      seed: i,
    })
}

/** Does nothing: what the measurement and the virtual machine need for themselves. */
export const nothing = (): (() => Promise<void>) => () => new Promise((resolve) => setImmediate(resolve))

/** The slope of least squares in bytes per unit of work, and its standard error. */
export function slopeOf(points: readonly { readonly x: number; readonly y: number }[]): {
  slope: number
  error: number
} {
  const n = points.length
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / n
  const [mx, my] = [mean(({ x }) => x), mean(({ y }) => y)]
  const sxx = points.reduce((sum, { x }) => sum + (x - mx) ** 2, 0)
  const slope = points.reduce((sum, { x, y }) => sum + (x - mx) * (y - my), 0) / sxx
  const rest = points.reduce((sum, { x, y }) => sum + (y - my - slope * (x - mx)) ** 2, 0)
  return { slope, error: Math.sqrt(rest / (n - 2) / sxx) }
}
