/** Every WebAssembly kernel against its plain twin, on arrays in kernel memory and elsewhere. */
import { describe, expect, test } from 'vitest'
import type { Numbers } from '../../src/core/kernels/memory.ts'
import { type KernelName, plain, table } from '../../src/core/kernels/table.ts'
import { compile, load } from '../../src/core/kernels/wasm.ts'
import { checkTwins, elsewhere, type Place } from './twins.ts'

const module = compile()
const { kernels: wasm, memory } = load(module)
const names = Object.keys(table) as KernelName[]

/** One array per kind and place, reused: kernel memory is never freed. */
const room = new Map<string, Numbers>()

/** In kernel memory, surrounded by garbage that a kernel must not read or write. */
const inKernelMemory: Place = (array, argument) => {
  type T = typeof array
  const name = `${array.constructor.name} ${argument}`
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

test('the module exports the kernels of the table and nothing else', () => {
  const functions = WebAssembly.Module.exports(module).map(({ name }) => name)
  expect(functions.sort()).toEqual([...names].sort())
})

describe.each([
  ['in kernel memory', inKernelMemory],
  ['elsewhere', elsewhere],
])('arrays %s', (_, place) => {
  test.each(names)('%s', (name) => checkTwins(name, wasm, place))
})

test.each([
  ['NaN', [1, Number.NaN, 2, 3, 4]],
  ['NaN first', [Number.NaN, 1, 2, 3, 4, 5, 6]],
  ['NaN last', [0, 1, 2, 3, 4, 5, Number.NaN]],
  ['+Infinity', [1, Number.POSITIVE_INFINITY, 2, 3]],
  ['-Infinity only', [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]],
])('softmax says NaN for logits with %s', (_, values) => {
  for (const kernels of [wasm, plain]) {
    const p = new Float64Array(values.length)
    expect(kernels.softmax32(Float32Array.from(values), 1, p)).toBeNaN()
    expect(kernels.softmax64(Float64Array.from(values), 1, p)).toBeNaN()
  }
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
