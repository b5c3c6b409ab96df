/** The kernels in WebAssembly SIMD, compiled from assembly/. */
import { binary } from './binary.ts'
import type { Kernels } from './kernels.ts'
import { CAPACITY, KernelMemory, MOST_CLASSES, MOST_PAIRS } from './memory.ts'
import { plain } from './plain.ts'

/** What assembly/index.ts exports; addresses are byte offsets. */
interface Exports {
  softmax32(logits: number, n: number, sharpness: number, p: number): number
  softmax64(logits: number, n: number, sharpness: number, p: number): number
  fill(out: number, n: number, k0: number, k1: number, k2: number, k3: number): void
  total(p: number, n: number): number
  support(p: number, n: number, most: number, ids: number): number
  greenMass(p: number, words: number, n: number, shift: number, threshold: number): number
  greenScale(
    ...a: [
      p: number,
      words: number,
      n: number,
      shift: number,
      threshold: number,
      g: number,
      r: number,
      q: number,
    ]
  ): void
  classMass(p: number, words: number, n: number, shift: number, mask: number, mass: number): void
  classScale(
    ...a: [p: number, words: number, n: number, shift: number, mask: number, factor: number, q: number]
  ): void
  remainders(words: number, n: number, l: number, inverse: number, limit: number, out: number): number
  inBucket(words: number, n: number, shift: number, bucket: number, most: number, ids: number): number
  orderScale(
    ...a: [p: number, words: number, n: number, low: number, high: number, l: number, h: number, q: number]
  ): void
  nextRunner(p: number, words: number, n: number, from: number, best: number): number
  seed(key: number, words: number, count: number, length: number, step: number, out: number): void
  exponentialScores(
    ...a: [tokens: number, n: number, k0: number, k1: number, k2: number, k3: number, out: number]
  ): void
  align(...a: [pairs: number, k: number, period: number, stride: number, column: number, costs: number]): void
}

const decode = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Compiles at once. Throws where there is no WebAssembly SIMD, or a content security policy forbids it. */
export const compile = (): WebAssembly.Module => new WebAssembly.Module(decode(binary))

/** Compiles in the background, for browsers that refuse to compile at once on their main thread. */
export const compileLater = (): Promise<WebAssembly.Module> => WebAssembly.compile(decode(binary))

/** Kernels, and the memory in which their arguments are best placed. */
export interface Loaded {
  readonly kernels: Kernels
  readonly memory: KernelMemory
}

export function load(module: WebAssembly.Module): Loaded {
  const memory = new KernelMemory()
  const run = new WebAssembly.Instance(module, { env: { memory: memory.memory } })
    .exports as unknown as Exports
  return { kernels: bind(run, memory), memory }
}

function bind(run: Exports, memory: KernelMemory): Kernels {
  const slots = {
    logits: memory.slot(8 * CAPACITY),
    p: memory.slot(8 * CAPACITY),
    q: memory.slot(8 * CAPACITY),
    words: memory.slot(4 * CAPACITY),
    out: memory.slot(16 * CAPACITY),
    table: memory.slot(8 * MOST_CLASSES),
    key: memory.slot(16),
    pairs: memory.slot(4 * MOST_PAIRS),
  }
  const P = (p: Float64Array): number => memory.input(p, slots.p)
  const W = (words: Uint32Array): number => memory.input(words, slots.words)
  const big = (array: { readonly length: number }): boolean => array.length > CAPACITY
  return {
    kind: 'wasm',
    softmax(logits, sharpness, p) {
      if (big(p)) return plain.softmax(logits, sharpness, p)
      const to = memory.output(p, slots.p)
      const from = memory.input(logits, slots.logits)
      const sum =
        logits instanceof Float32Array
          ? run.softmax32(from, p.length, sharpness, to)
          : run.softmax64(from, p.length, sharpness, to)
      memory.collect(p, to)
      return sum
    },
    fill(out, keys) {
      if (big(out)) return plain.fill(out, keys)
      const to = memory.output(out, slots.words)
      run.fill(to, out.length, keys[0]!, keys[1]!, keys[2]!, keys[3]!)
      memory.collect(out, to)
    },
    total: (p) => (big(p) ? plain.total(p) : run.total(P(p), p.length)),
    support(p, ids) {
      if (big(p) || big(ids)) return plain.support(p, ids)
      const to = memory.output(ids, slots.out)
      const count = run.support(P(p), p.length, ids.length, to)
      memory.collect(ids, to)
      return count
    },
    greenMass: (p, words, shift, threshold) =>
      big(p)
        ? plain.greenMass(p, words, shift, threshold)
        : run.greenMass(P(p), W(words), p.length, shift, threshold),
    greenScale(p, words, shift, threshold, green, red, q) {
      if (big(p)) return plain.greenScale(p, words, shift, threshold, green, red, q)
      const to = memory.output(q, slots.q)
      run.greenScale(P(p), W(words), p.length, shift, threshold, green, red, to)
      memory.collect(q, to)
    },
    classMass(p, words, shift, mass) {
      if (big(p) || mass.length > MOST_CLASSES) return plain.classMass(p, words, shift, mass)
      const to = memory.output(mass, slots.table)
      run.classMass(P(p), W(words), p.length, shift, mass.length - 1, to)
      memory.collect(mass, to)
    },
    classScale(p, words, shift, factor, q) {
      if (big(p) || factor.length > MOST_CLASSES) return plain.classScale(p, words, shift, factor, q)
      const to = memory.output(q, slots.q)
      const factors = memory.input(factor, slots.table)
      run.classScale(P(p), W(words), p.length, shift, factor.length - 1, factors, to)
      memory.collect(q, to)
    },
    remainders(words, l, out) {
      if (big(words)) return plain.remainders(words, l, out)
      const to = memory.output(out, slots.out)
      const limit = 2 ** 32 - (2 ** 32 % l)
      const over = run.remainders(W(words), words.length, l, Math.floor(2 ** 32 / l), limit, to)
      memory.collect(out, to)
      return over
    },
    inBucket(words, shift, bucket, ids) {
      if (big(words) || big(ids)) return plain.inBucket(words, shift, bucket, ids)
      const to = memory.output(ids, slots.out)
      const count = run.inBucket(W(words), words.length, shift, bucket, ids.length, to)
      memory.collect(ids, to)
      return count
    },
    orderScale(p, words, lowWord, highWord, low, high, q) {
      if (big(p)) return plain.orderScale(p, words, lowWord, highWord, low, high, q)
      const to = memory.output(q, slots.q)
      run.orderScale(P(p), W(words), p.length, lowWord, highWord, low, high, to)
      memory.collect(q, to)
    },
    nextRunner: (p, words, from, best) =>
      big(p) ? plain.nextRunner(p, words, from, best) : run.nextRunner(P(p), W(words), p.length, from, best),
    seed(key, words, count, length, step, out) {
      if (big(words) || out.length > 4 * CAPACITY) return plain.seed(key, words, count, length, step, out)
      const to = memory.output(out, slots.out)
      run.seed(memory.input(key, slots.key), W(words), count, length, step, to)
      memory.collect(out, to)
    },
    exponentialScores(keys, tokens, out) {
      if (big(out)) return plain.exponentialScores(keys, tokens, out)
      // the kernel reads and writes four at a time, past the end: always in slots
      memory.write(tokens, slots.words)
      run.exponentialScores(slots.words, out.length, keys[0]!, keys[1]!, keys[2]!, keys[3]!, slots.q)
      out.set(memory.float64At(slots.q, out.length))
    },
    align(pairs, k, period, costs) {
      if (pairs.length > MOST_PAIRS || 16 * k > 2 * CAPACITY) return plain.align(pairs, k, period, costs)
      // the kernel writes sixteen at a time, past the end: always into the slot
      run.align(memory.input(pairs, slots.pairs), k, period, period + 16, slots.q, slots.out)
      costs.set(memory.int32At(slots.out, period))
    },
  }
}
