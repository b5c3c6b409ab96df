import { expect, test } from 'vitest'
import { describeWatermark } from '../../src/gate/vitest/describe-watermark.ts'
import { watermarkMatchers } from '../../src/gate/vitest/matchers.ts'
import { gumbel, kgw } from '../../src/index.ts'
import { changed, law } from '../mutants/mutant.ts'

expect.extend(watermarkMatchers)

// what a user writes, with settings of his own; laws that do not apply show as skipped
describeWatermark(gumbel(), {
  laws: [law.distribution, law.keys],
  falseAlarm: 1e-6,
  bias: 0.1,
  miss: 0.01,
  seed: 1,
})

test('toObey asserts one law', async () => {
  await expect(gumbel()).toObey(law.orbit)
  await expect(changed(kgw({ delta: 2 }), { unbiased: true })).not.toObey(law.orbit)
  await expect(expect(changed(kgw({ delta: 2 }), { unbiased: true })).toObey(law.orbit)).rejects.toThrow(
    'breaks the law "unbiased, exactly"',
  )
  await expect(expect(gumbel()).toObey('fair')).rejects.toThrow(
    "law: expected one of 'reweight gives a distribution'",
  )
})
