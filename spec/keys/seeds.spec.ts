import fc from 'fast-check'
import { expect, test } from 'vitest'
import { roundKeys } from '../../src/core/kernels/mix.ts'
import { siphash128 } from '../../src/core/kernels/siphash.ts'
import { seedEach, seedOne } from '../../src/core/keys/seeds.ts'

test('the round keys of one context and of a whole text are those of SipHash, contexts of mixed lengths included', () => {
  const word = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  const context = fc.option(fc.array(word, { maxLength: 5 }), { nil: undefined })
  const key = fc.array(word, { minLength: 4, maxLength: 4 }).map((words) => Uint32Array.from(words))
  fc.assert(
    fc.property(key, fc.array(context, { maxLength: 30 }), (contextKey, contexts) => {
      const present = contexts.filter((c) => c !== undefined)
      const expected = present.map((c) => [
        ...roundKeys(siphash128(contextKey, c, new Uint32Array(4)), new Int32Array(4)),
      ])
      expect([...seedEach(contextKey, contexts)]).toEqual(expected.flat())
      for (const [i, c] of present.entries()) {
        const out = new Int32Array(4)
        seedOne(contextKey, c, out)
        expect([...out]).toEqual(expected[i])
      }
    }),
  )
})
