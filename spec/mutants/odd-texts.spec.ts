/** Laws about whole texts, keys and repeated prompts accept correct watermarks that are unusual there. */
import { expect, test } from 'vitest'
import { checkWatermark } from '../../src/laws/index.ts'
import { law } from './mutant.ts'
import { oddTexts } from './odd-texts.ts'

const laws = [law.deterministic, law.texts, law.pairs, law.detectable, law.drift]

test.each(oddTexts.map((odd) => [odd.name, odd] as const))('%s', async (_, { watermark }) => {
  for (const { law, verdict, detail } of await checkWatermark(watermark, { laws, effort: 'quick' }))
    expect(verdict, `${law}: ${detail}`).not.toBe('fails')
})
