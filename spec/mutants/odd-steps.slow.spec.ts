/** Laws about one step accept correct watermarks whose step is unusual. */
import { expect, test } from 'vitest'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { law } from './mutant.ts'
import { oddSteps } from './odd-steps.ts'

const laws = [law.distribution, law.deterministic, law.orbit, law.honest, law.keys, law.warping]

test.each(oddSteps.map((odd) => [odd.name, odd] as const))('%s', async (_, { watermark }) => {
  for (const { law, verdict, detail } of await checkWatermark(watermark, { laws, effort: 'quick' }))
    expect(verdict, `${law}: ${detail}`).not.toBe('fails')
})
