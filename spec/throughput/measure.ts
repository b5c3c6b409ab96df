/**
 * How a figure is measured. Each round times a batch of softmaxes and then a batch of the work, so that whatever slows the
 * machine down slows both; the round's sample is the ratio of the two, and the figure is the median over rounds. Time is the
 * processor time of this process: other processes do not count, garbage collection and compilation do.
 *
 * A figure breaks its bound when more rounds lie above it than chance explains: a sign test of "the median is at most the bound",
 * at a false-alarm rate of 1e-9 for a whole run. (Rounds are taken as independent; that is what interleaving is for.)
 */
import { Bench } from 'tinybench'
import { kernels } from '../../src/core/kernels/index.ts'
import { softmax } from '../../src/core/kernels/softmax.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail, median, quantileInterval } from '../../src/core/stats/entry.ts'

/** Chance that any figure of a run is said to break a bound that it keeps. */
const FALSE_ALARM = 1e-9
/** At least as many as the run has figures with a bound. */
const MOST_FIGURES = 200

/** Milliseconds of processor time. */
export function now(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export interface Figure {
  readonly id: string
  readonly median: number
  /** 95% interval of the median, by order statistics. */
  readonly low: number
  readonly high: number
  readonly rounds: number
  readonly bound: number | undefined
  readonly broken: boolean
}

/** A figure from one sample per round. Higher is worse. */
export function figure(id: string, samples: readonly number[], bound?: number): Figure {
  const { low, high } = quantileInterval(samples, 0.5, 0.95)
  const above = samples.filter((sample) => bound !== undefined && sample > bound).length
  const broken = logBinomialTail(above, samples.length, 1 / 2) <= Math.log(FALSE_ALARM / MOST_FIGURES)
  return { id, median: median(samples), low, high, rounds: samples.length, bound, broken }
}

/** Milliseconds of warm-up: by then a loop is compiled, and what is made once per law is made. */
const WARM = 100

/** Calls per batch, so that a batch takes at least `milliseconds`; warms up on the way. */
function batchSize(work: () => void, milliseconds: number): number {
  for (const end = now() + WARM; now() < end; ) work()
  for (let calls = 1; ; calls *= 2) {
    const start = now()
    for (let i = 0; i < calls; i++) work()
    if (now() - start >= 20 * milliseconds) return Math.max(1, Math.ceil(calls / 20))
  }
}

/** Milliseconds of one call, over a batch. */
function timed(work: () => void, calls: number): number {
  const start = now()
  for (let i = 0; i < calls; i++) work()
  return (now() - start) / calls
}

export interface Measured {
  /** Work against unit, per round. */
  readonly ratios: number[]
  /** Milliseconds of one call of the work, per round. */
  readonly times: number[]
}

/** Times `work` against `unit`, batch by batch in turn. */
export function measure(
  unit: () => void,
  work: () => void,
  { rounds = 101, milliseconds = 1 }: { rounds?: number; milliseconds?: number } = {},
): Measured {
  const unitCalls = batchSize(unit, milliseconds)
  const workCalls = batchSize(work, milliseconds)
  const times: number[] = []
  const bench = new Bench({ iterations: rounds, time: 0, warmup: false, retainSamples: true, throws: true })
  bench.add('ratio', () => {
    const one = timed(unit, unitCalls)
    const other = timed(work, workCalls)
    times.push(other)
    return { overriddenDuration: other / one }
  })
  const [task] = bench.runSync()
  if (task?.result.state !== 'completed') throw new Error(`not measured: ${task?.result.state}`)
  return { ratios: [...task.result.latency.samples!], times: times.slice(-rounds) }
}

/** The unit of all ratios: the softmax of float32 logits over a vocabulary, in kernel memory. */
export interface Softmax {
  readonly vocabSize: number
  readonly p: Float64Array
  readonly q: Float64Array
  run(): void
}

/** One per vocabulary: kernel memory is never freed. */
const softmaxes = new Map<number, Softmax>()

export function softmaxOver(vocabSize: number): Softmax {
  const known = softmaxes.get(vocabSize) ?? newSoftmax(vocabSize)
  softmaxes.set(vocabSize, known)
  return known
}

/** Logits as language models have them: a few large, a long tail. */
function newSoftmax(vocabSize: number): Softmax {
  const stream = seededRandom('throughput', vocabSize)
  const logits = kernels.float32(vocabSize)
  for (let i = 0; i < vocabSize; i++) logits[i] = -2 * Math.log(stream.uniform()) - 10 * stream.uniform()
  const [p, q] = [kernels.float64(vocabSize), kernels.float64(vocabSize)]
  return {
    vocabSize,
    p,
    q,
    run() {
      softmax(logits, 1, p)
    },
  }
}
