import { expect } from 'vitest'
import { oneShotFalseAlarm } from '../../src/bench/protocols/one-shot.ts'
import { benchmark } from './benchmark.ts'

benchmark('table1', ({ tables, scale }) => {
  if (scale === 'smoke') return
  // At a family-wise rate of 1e-6: no unbiased method differs from no watermark, and the strong biased ones do, where the samples and the
  // entropy of the models are known to show it.
  const differs = tables[0]!.rows.filter(({ cells }) => {
    const adjusted = cells.adjusted
    return adjusted?.kind === 'derived' && adjusted.value <= oneShotFalseAlarm
  })
  const ids = differs.map(({ id }) => id)
  expect(ids.filter((id) => !/^(kgw|unigram)\(/.test(id))).toEqual([])
  if (scale !== 'embedded') return
  expect(ids).toContain('kgw(delta=2)')
  expect(ids).toContain('unigram(delta=2)')
})
