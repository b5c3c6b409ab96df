import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ContextMemory } from '../../src/core/keys/context-memory.ts'

test('numbers contexts as a list of their texts does, whatever their lengths, through every growth', () => {
  const context = fc.array(fc.oneof(fc.nat(2), fc.nat(2 ** 23 - 1)), { maxLength: 4 })
  fc.assert(
    fc.property(fc.array(context, { maxLength: 200, size: 'max' }), fc.nat(50), (contexts, expected) => {
      const memory = new ContextMemory(expected)
      const texts: string[] = []
      for (const c of contexts) {
        const text = c.join()
        const known = texts.indexOf(text)
        if (known < 0) texts.push(text)
        expect(memory.index(c)).toBe(known < 0 ? texts.length - 1 : known)
        expect(memory.add(c)).toBe(true)
      }
    }),
  )
})

test('contexts whose hashes collide are told apart', () => {
  // a table for one context has four places: these ten share some
  const memory = new ContextMemory(1)
  for (let i = 0; i < 10; i++) expect(memory.add([i, 2 * i])).toBe(false)
  for (let i = 0; i < 10; i++) expect(memory.add([i, 2 * i])).toBe(true)
})

test('a cleared memory knows nothing, whatever it held and however large the next text is', () => {
  const memory = new ContextMemory()
  for (const size of [3, 1000, 10, 0, 200]) {
    memory.clear(size)
    for (const again of [false, true]) for (let i = 0; i < size; i++) expect(memory.add([i, 7])).toBe(again)
  }
})
