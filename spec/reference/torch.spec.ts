import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TorchGenerator } from '../../src/watermarks/published/index.ts'
import { vectors } from './vectors.ts'

const list = (array: ArrayLike<number>) => Array.from(array)

describe.each(vectors.torch_cpu_generator)('PyTorch seeded with $seed', (vector) => {
  const generator = () => new TorchGenerator(BigInt(vector.seed))
  test('randperm', () => {
    expect(list(generator().randperm(5))).toEqual(vector.randperm5)
    expect(list(generator().randperm(17))).toEqual(vector.randperm17)
    expect(list(generator().randperm(1000))).toEqual(vector.randperm1000)
  })
  test('rand in float32', () => expect(list(generator().rand(20))).toEqual(vector.rand20_float32))
  test('randint', () => {
    expect(list(generator().randint(0, 2, 64))).toEqual(vector.randint_0_2_64)
    expect(list(generator().randint(0, 10, 20))).toEqual(vector.randint_0_10_20)
  })
  test('one stream in call order', () => {
    const g = generator()
    const [order, next] = vector.randperm50_then_randint20
    expect(list(g.randperm(50))).toEqual(order)
    expect(list(g.randint(0, 20, 1))).toEqual(next)
  })
})

test('only the low 32 bits of a seed count', () => {
  const word = (seed: number | bigint) => list(new TorchGenerator(seed).randint(0, 2 ** 27, 4))
  expect(word(2n ** 63n + 42n)).toEqual(word(42))
  expect(word(-1)).toEqual(word(2 ** 32 - 1))
  expect(word(-1n)).toEqual(word(2n ** 64n - 1n))
  expect(word(43)).not.toEqual(word(42))
})

test('every randperm is a permutation, and consumes n - 1 words', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 300 }), (seed, n) => {
      const g = new TorchGenerator(seed)
      expect(list(g.randperm(n)).sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i))
      const after = g.randint(0, 1 << 20, 3)
      const words = new TorchGenerator(seed).randint(0, 1 << 20, Math.max(0, n - 1) + 3)
      expect(list(after)).toEqual(list(words.slice(-3)))
    }),
  )
})

test('the rank of one element is its place in randperm, and the stream goes on behind it', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer({ min: 1, max: 2000 }), fc.nat(), (seed, n, some) => {
      const element = some % n
      const [whole, one] = [new TorchGenerator(seed), new TorchGenerator(seed)]
      expect(one.randpermRank(n, element)).toBe(whole.randperm(n).indexOf(element))
      const after = whole.randint(0, 1 << 20, 2)
      expect(one.randint(0, 1 << 20, 2)).toEqual(after)
      const [most, cut] = [some % (n + 1), new TorchGenerator(seed)]
      const rank = new TorchGenerator(seed).randpermRank(n, element)
      expect(cut.randpermRank(n, element, most)).toBe(Math.min(most, rank))
      expect(cut.randint(0, 1 << 20, 2)).toEqual(after)
    }),
  )
  expect(() => new TorchGenerator(1).randpermRank(5, 5)).toThrow(/element: expected/)
})

test('words are left out across renewals of the state', () => {
  for (const count of [0, 1, 623, 624, 625, 1248, 5000]) {
    const [skipped, drawn] = [new TorchGenerator(7), new TorchGenerator(7)]
    skipped.skip(count)
    drawn.randint(0, 2, count)
    expect(skipped.randint(0, 1 << 20, 2)).toEqual(drawn.randint(0, 1 << 20, 2))
  }
})

test('names what is wrong with a seed or a range', () => {
  expect(() => new TorchGenerator(0.5)).toThrow(/seed: expected an integer .* got another number/)
  expect(() => new TorchGenerator(2n ** 64n)).toThrow(RangeError)
  expect(() => new TorchGenerator('1' as unknown as number)).toThrow(TypeError)
  expect(() => new TorchGenerator(1).randint(3, 3, 1)).toThrow(/high/)
  expect(() => new TorchGenerator(1).randint(0, 2 ** 28, 1)).toThrow(/high/)
  expect(() => new TorchGenerator(1).randperm(-1)).toThrow(/n: expected/)
})
