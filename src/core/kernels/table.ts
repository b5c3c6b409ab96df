/**
 * The kernels, one row each: the loops over a vocabulary, a text or an alignment that cost the time.
 *
 * A row holds the plain twin, a TypeScript function that gives the kernel its signature and is its oracle, and how its arguments
 * cross into WebAssembly, to the function of the same name in assembly/: `at` is the address of an array that is read, `to` that
 * of an array that is written, and `back` copies the latter to where the caller wants it. (A function of its own for every row,
 * because engines optimise each function for the arguments that it sees; one for all made small calls a third slower.)
 *
 * To add a kernel, write both functions, add a row here and run scripts/kernels.mjs.
 */
import type { KernelMemory } from './memory.ts'
import { align } from './plain/alignment.ts'
import { classMass, classScale, remainders } from './plain/classes.ts'
import { greenMass, greenScale } from './plain/green.ts'
import { support, total } from './plain/mass.ts'
import { inBucket, orderScale } from './plain/order.ts'
import { nextRunner } from './plain/race.ts'
import { bitScores, exponentialScores } from './plain/scores.ts'
import { seed } from './plain/siphash.ts'
import { softmax32, softmax64 } from './plain/softmax.ts'
import { fill } from './plain/words.ts'

/** A function of the WebAssembly module: addresses and numbers in, a number or nothing out. */
export type Run = (...values: number[]) => number

type Bind<Twin> = (run: Run, memory: KernelMemory) => Twin

const row = <Twin>(plain: Twin, wasm: Bind<Twin>) => ({ plain, wasm })

export const table = {
  softmax32: row(
    softmax32,
    (run, m) => (logits, sharpness, p) => m.back(p, 1, run(m.at(logits, 0), p.length, sharpness, m.to(p, 1))),
  ),
  softmax64: row(
    softmax64,
    (run, m) => (logits, sharpness, p) => m.back(p, 1, run(m.at(logits, 0), p.length, sharpness, m.to(p, 1))),
  ),
  fill: row(
    fill,
    (run, m) => (out, k0, k1, k2, k3) => m.back(out, 0, run(m.to(out, 0), out.length, k0, k1, k2, k3)),
  ),
  total: row(total, (run, m) => (p) => run(m.at(p, 0), p.length)),
  support: row(
    support,
    (run, m) => (p, ids) => m.back(ids, 1, run(m.at(p, 0), p.length, ids.length, m.to(ids, 1))),
  ),
  greenMass: row(
    greenMass,
    (run, m) => (p, words, shift, threshold) => run(m.at(p, 0), m.at(words, 1), p.length, shift, threshold),
  ),
  greenScale: row(
    greenScale,
    (run, m) => (p, words, shift, threshold, green, red, q) =>
      m.back(q, 2, run(m.at(p, 0), m.at(words, 1), p.length, shift, threshold, green, red, m.to(q, 2))),
  ),
  classMass: row(
    classMass,
    (run, m) => (p, words, shift, mass) =>
      m.back(mass, 2, run(m.at(p, 0), m.at(words, 1), p.length, shift, mass.length - 1, m.to(mass, 2))),
  ),
  classScale: row(
    classScale,
    (run, m) => (p, words, shift, factor, q) =>
      m.back(
        q,
        3,
        run(m.at(p, 0), m.at(words, 1), p.length, shift, factor.length - 1, m.at(factor, 2), m.to(q, 3)),
      ),
  ),
  remainders: row(
    remainders,
    (run, m) => (words, l, out) => m.back(out, 1, run(m.at(words, 0), words.length, l, m.to(out, 1))),
  ),
  inBucket: row(
    inBucket,
    (run, m) => (words, shift, bucket, ids) =>
      m.back(ids, 1, run(m.at(words, 0), words.length, shift, bucket, ids.length, m.to(ids, 1))),
  ),
  orderScale: row(
    orderScale,
    (run, m) => (p, words, lowWord, highWord, low, high, q) =>
      m.back(q, 2, run(m.at(p, 0), m.at(words, 1), p.length, lowWord, highWord, low, high, m.to(q, 2))),
  ),
  nextRunner: row(
    nextRunner,
    (run, m) => (p, words, from, best) => run(m.at(p, 0), m.at(words, 1), p.length, from, best),
  ),
  seed: row(
    seed,
    (run, m) => (words, key, count, length, step, out) =>
      m.back(out, 2, run(m.at(words, 0), m.at(key, 1), count, length, step, m.to(out, 2))),
  ),
  exponentialScores: row(
    exponentialScores,
    (run, m) => (tokens, k0, k1, k2, k3, out) =>
      m.back(out, 1, run(m.at(tokens, 0), out.length, k0, k1, k2, k3, m.to(out, 1))),
  ),
  bitScores: row(
    bitScores,
    (run, m) => (tokens, keys, vocabSize, out) =>
      m.back(out, 2, run(m.at(tokens, 0), tokens.length, m.at(keys, 1), vocabSize, m.to(out, 2))),
  ),
  align: row(
    align,
    (run, m) => (pairs, k, column, costs) =>
      m.back(costs, 2, run(m.at(pairs, 0), k, m.to(column, 1), m.to(costs, 2), costs.length)),
  ),
}

type Table = typeof table
export type KernelName = keyof Table

/** Every kernel, by its name. */
export type Kernels = { readonly kind: 'wasm' | 'plain' } & {
  readonly [Name in KernelName]: Table[Name]['plain']
}

/** The kernels that `bind` makes of the rows. */
export const kernelsOf = (
  kind: Kernels['kind'],
  bind: (name: KernelName, row: { plain: unknown; wasm: Bind<unknown> }) => unknown,
): Kernels =>
  ({
    kind,
    ...Object.fromEntries(Object.entries(table).map(([name, row]) => [name, bind(name as KernelName, row)])),
  }) as Kernels

/** The plain twins: what runs where there is no WebAssembly. */
export const plain = kernelsOf('plain', (_, row) => row.plain)
