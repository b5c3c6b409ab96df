/** Every WebAssembly kernel against its plain twin, on arrays in kernel memory and elsewhere. */
import { describe, expect, test } from 'vitest'
import type { Numbers } from '../../src/kernels/memory.ts'
import { plain } from '../../src/kernels/plain.ts'
import { compile, load } from '../../src/kernels/wasm.ts'
import { elsewhere, type Place, twinChecks } from './twins.ts'

const { kernels: wasm, memory } = load(compile())

/** One array per name, reused: kernel memory is never freed. */
const room = new Map<string, Numbers>()

/** In kernel memory, surrounded by garbage that a kernel must not read. */
const inKernelMemory: Place = (name, array) => {
  type T = typeof array
  let whole = room.get(name) as T | undefined
  if (whole === undefined) {
    whole = memory.array(array.constructor as never, 8192) as T
    room.set(name, whole)
  }
  whole.fill(7)
  const view = whole.subarray(0, array.length) as T
  view.set(array as never)
  return view
}

describe.each([
  ['in kernel memory', inKernelMemory],
  ['elsewhere', elsewhere],
])('arrays %s', (_, place) => {
  test.each(Object.entries(twinChecks(wasm, place)))('%s', (_, check) => check())
})

test.each([
  ['NaN', [1, Number.NaN, 2, 3, 4]],
  ['NaN first', [Number.NaN, 1, 2, 3, 4, 5, 6]],
  ['NaN last', [0, 1, 2, 3, 4, 5, Number.NaN]],
  ['+Infinity', [1, Number.POSITIVE_INFINITY, 2, 3]],
  ['-Infinity only', [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]],
])('softmax says NaN for logits with %s', (_, values) => {
  for (const kind of [Float32Array, Float64Array])
    for (const kernels of [wasm, plain])
      expect(kernels.softmax(kind.from(values), 1, new Float64Array(values.length))).toBeNaN()
})

test.each([
  ['negative', -1e-300],
  ['NaN', Number.NaN],
])('total says NaN where a value is %s', (_, value) => {
  for (let at = 0; at < 7; at++)
    for (const kernels of [wasm, plain]) {
      const p = new Float64Array(7).fill(1)
      p[at] = value
      expect(kernels.total(p)).toBeNaN()
    }
})
