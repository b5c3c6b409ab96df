import { expect, test } from 'vitest'
import type { LawResult, Promised } from '../../src/gate/laws/law.ts'
import { renderEvidence, renderMeaning } from '../../src/gate/laws/render.ts'

const sees = (promises: readonly Promised[]): string =>
  renderEvidence({
    law: 'unbiased over keys',
    verdict: 'holds',
    evidence: {
      kind: 'sampled',
      keys: 10,
      falseAlarm: 1e-9,
      miss: 1e-3,
      smallestBias: 0.5,
      observedBias: 0,
      promises,
    },
  })

test('what is promised for small vocabularies is said of all up to a size', () => {
  const promises = [
    { vocabSize: 257, bias: 0.03 },
    { vocabSize: 16, bias: 0.02 },
    { vocabSize: 1000, bias: 0.03 },
    { vocabSize: 50_257, bias: 0.15 },
  ]
  expect(sees(promises)).toBe(
    'sampled with 10 keys: no bias of 0.02 or more on up to 16 tokens, 0.03 on up to 1,000, 0.15 on 50,257; smaller ones can pass',
  )
})

test('where smaller vocabularies do not show more, each size is named', () => {
  const promises = [
    { vocabSize: 4, bias: 0.017 },
    { vocabSize: 2, bias: 0.012 },
    { vocabSize: 3, bias: 0.041 },
  ]
  expect(sees(promises)).toBe(
    'sampled with 10 keys: no bias of 0.012 or more on 2 tokens, 0.041 on 3, 0.017 on 4; smaller ones can pass',
  )
})

test('without promises per size there is one', () => {
  expect(sees([])).toBe('sampled with 10 keys: no bias of 0.5 or more; smaller ones can pass')
})

const held = (law: string, more: Partial<LawResult> = {}): LawResult => ({
  law,
  verdict: 'holds',
  detail: '',
  evidence: { kind: 'sampled', keys: 10, falseAlarm: 1e-9, miss: 1e-3, smallestBias: 0.02, observedBias: 0 },
  ...more,
})

test('a pass says what could still pass, and what to do', () => {
  const results: LawResult[] = [
    held('unbiased over keys'),
    { law: 'shown biased', verdict: 'not applicable', detail: '' },
  ]
  expect(renderMeaning('mine', results)).toContain('check the law "unbiased, exactly" too')
  const none: LawResult = { law: 'unbiased, exactly', verdict: 'not applicable', detail: '' }
  expect(renderMeaning('mine', [...results, none])).toBe(
    'mine: 1 of 1 law holds\nNo bias of 0.02 or more (sampled; smaller ones can pass).\nDeclare an orbit for an exact check, or pass --bias 0.005.',
  )
  const exact = held('unbiased, exactly', { evidence: { kind: 'exact', cases: 100 } })
  expect(renderMeaning('mine', [...results, exact])).toContain(
    'the bias is exactly 0 on the distributions tested',
  )
})

test('a suspicion is told with its error and the command that settles it', () => {
  const suspicious = { estimate: -0.0041, error: 0.00102 }
  const results = [held('unbiased over keys', { suspicious })]
  expect(renderMeaning('mine', results)).toContain('suspicious: a bias of 0.0041 +- 0.001')
  expect(renderEvidence(results[0]!)).toContain('rerun with --bias 0.002')
})
