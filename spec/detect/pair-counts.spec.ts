import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pairCounts } from '../../src/detect/pair-counts.ts'

test('pairs of context and token are counted as a Map of their names counts them, in the order in which they appear', () => {
  const number = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 2 ** 31 - 1 }))
  const position = fc.tuple(number, fc.option(fc.array(fc.nat(2), { maxLength: 2 }), { nil: undefined }))
  fc.assert(
    fc.property(fc.array(position, { maxLength: 60 }), fc.boolean(), (positions, oneList) => {
      const shared = [7]
      const contexts = positions.map(([, context]) => (oneList && context ? shared : context))
      const tokens = positions.map(([token]) => token)
      const expected = new Map<string, number>()
      for (const [t, context] of contexts.entries()) {
        if (context === undefined) continue
        const name = `${context.join()}/${tokens[t]}`
        expected.set(name, (expected.get(name) ?? 0) + 1)
      }
      expect(pairCounts({ tokens, contexts })).toEqual([...expected.values()])
    }),
  )
})
