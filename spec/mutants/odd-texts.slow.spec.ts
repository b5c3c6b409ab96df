/** Laws about whole texts, keys and repeated prompts accept correct watermarks that are unusual there. */
import { expect, test } from 'vitest'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { law } from './mutant.ts'
import { oddTexts } from './odd-texts.ts'

/** Rare marks show in long texts only, which the quick effort does not generate. */
const efforts = [
  { effort: 'quick', laws: [law.deterministic, law.texts, law.pairs] },
  { effort: 'usual', laws: [law.detectable, law.drift] },
] as const

test.each(oddTexts.map((odd) => [odd.name, odd] as const))('%s', async (_, { watermark }) => {
  for (const options of efforts)
    for (const { law, verdict, detail } of await checkWatermark(watermark, options))
      expect(verdict, `${law}: ${detail}`).not.toBe('fails')
})
