import { expect, test } from 'vitest'
import { active, kernelMemory, platform, withKernels } from '../../src/core/kernels/active.ts'
import { MAX_LENGTH } from '../../src/core/kernels/memory.ts'
import { plain } from '../../src/core/kernels/table.ts'

const memory = kernelMemory()!

test('a toy vocabulary is not worth the crossing', () => {
  expect(active(new Float64Array(63))).toBe(plain)
  expect(active(new Float64Array(64))).toBe(platform())
})

test('arrays too long for a slot: compiled in kernel memory, plain elsewhere', () => {
  const n = MAX_LENGTH + 1
  const long = new Float64Array(n).fill(1 / 3)
  // sums in another order: the last bits tell who formed them
  expect(active(long).total(long)).toBe(plain.total(long))
  const placed = memory.array(Float64Array, n)!
  placed.set(long)
  expect(active(placed).total(placed)).toBe(platform().total(placed))
  expect(active(placed).total(placed)).not.toBe(plain.total(long))
  // one of them elsewhere
  const words = new Uint32Array(n).fill(5)
  const q = new Float64Array(n)
  active(placed).greenScale(placed, words, 0, 10, 6, 1, q)
  expect(q.every((x) => x === 2)).toBe(true)
})

test('the longest arrays that fit give what the plain kernels give, in every slot', () => {
  const n = MAX_LENGTH
  const p = Float64Array.from({ length: n }, (_, i) => i + 1)
  const words = Uint32Array.from({ length: n }, (_, i) => Math.imul(i, 0x9e3779b1))
  const factor = p.map((x) => 1 / x)
  const scaled = (kernels: typeof plain): Float64Array => {
    const q = new Float64Array(n)
    kernels.classScale(p, words, 12, factor, q)
    return q
  }
  expect(Buffer.compare(bytes(scaled(platform())), bytes(scaled(plain)))).toBe(0)
})

const bytes = (array: Float64Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

test('kernels put to use by a test serve every size, and only for as long', () => {
  const toy = new Float64Array(1)
  withKernels(platform(), () => expect(active(toy)).toBe(platform()))
  expect(active(toy)).toBe(plain)
})
