import { expect, test } from 'vitest'
import { dipmark, gumbel, kgw } from '../../src/watermarks/entry.ts'
import { watermarkIn, watermarksIn } from '../../src/watermarks/exported.ts'

const exports = { kgw, one: gumbel(), list: [dipmark({ alpha: 0.3 }), gumbel()], other: 3, none: null }

test('a module has its watermarks, the variants of its methods and its lists, each id once', () => {
  const shipped = kgw.shipped.map((options) => kgw(options).id)
  expect(watermarksIn(exports).map(({ id }) => id)).toEqual([...shipped, 'gumbel', 'dipmark(alpha=0.3)'])
})

test('a watermark is found by its id, or made by a method of the module', () => {
  expect(watermarkIn(exports, 'gumbel')).toBe(exports.list[1])
  expect(watermarkIn(exports, 'kgw(delta=1.25)')?.id).toBe('kgw(delta=1.25)')
  expect(() => watermarkIn(exports, 'kgw(delta=-1)')).toThrow('delta: expected')
  expect(watermarkIn(exports, 'dipmark(alpha=0.4)')).toBeUndefined() // shipped, but not a method of this module
  expect(watermarkIn(exports, 'my-watermark')).toBeUndefined()
})
