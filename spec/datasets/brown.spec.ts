import { expect, test } from 'vitest'
import { brownCorpus, readBrown, withoutTags } from '../../src/text/datasets/brown.ts'
import { isKept } from '../../src/text/models/fetched-model.ts'
import { isRequired, requireComponent } from '../require.ts'

test('tags go, and words are spaced as prose is', () => {
  expect(
    withoutTags(
      "\n\tThe/at jury/nn (/( ``/`` Fulton/np-tl ''/'' )/) paid/vbd 1/2/cd of/in it/ppo ,/, didn't/dod* it/pps ?/. ?/.\n\n He/pps left/vbd --/-- twice/rb ./.\n",
    ),
  ).toBe('The jury ("Fulton") paid 1/2 of it, didn\'t it? He left -- twice.')
})

test('the corpus has 500 texts of about 2,000 words', async (context) => {
  requireComponent(context, 'brown', isKept(brownCorpus) || isRequired('brown'))
  const { examples } = await readBrown()
  const words = examples.map(({ prompt }) => prompt.split(' ').length)
  expect([examples.length, examples[0]!.id, examples.at(-1)!.id]).toEqual([500, 'ca01', 'cr09'])
  expect(Math.min(...words)).toBeGreaterThan(1900)
  expect(Math.max(...words)).toBeLessThan(2400)
  expect(examples[0]!.prompt).toMatch(
    /^The Fulton County Grand Jury said Friday an investigation of Atlanta's/,
  )
})
