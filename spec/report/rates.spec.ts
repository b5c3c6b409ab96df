import { expect, test } from 'vitest'
import { hits, levels, medianP, rates, share } from '../../src/bench/report/rates.ts'

test('p <= rate has no tolerance: a p-value above the level by the last bits is no hit', () => {
  for (const { rate } of levels) {
    const level = Math.log(rate)
    expect(hits([level, level - 1e-13], rate)).toBe(2)
    expect(hits([level + 1e-13], rate)).toBe(0)
  }
})

test('the smallest p-value of a permutation test, 2 / (1 + runs), is a hit at that level', () => {
  for (const [runs, rate] of [
    [39, 0.05],
    [199, 0.01],
    [1999, 0.001],
  ] as const)
    expect(hits([Math.log(2) + Math.log(1 / (1 + runs))], rate)).toBe(1)
})

test('TPR, FPR and AUROC count texts of both kinds; without texts there is no rate', () => {
  const [marked, plain] = [
    [-8, -5, -1],
    [-2, -0.5],
  ]
  const { tpr, fpr, auroc } = rates(marked, plain)
  expect(tpr.map((value) => value?.value)).toEqual([2 / 3, 2 / 3, 1 / 3])
  expect(fpr.map((value) => value?.value)).toEqual([0, 0, 0])
  expect(auroc?.value).toBe(5 / 6)
  expect(share(marked, 0.05)).toBe(2 / 3)
  expect(medianP(marked).value).toBeCloseTo(Math.exp(-5), 12)
  expect(rates([], plain)).toMatchObject({ tpr: [null, null, null], auroc: null })
  expect(rates(marked, [])).toMatchObject({ fpr: [null, null, null], auroc: null })
})

test('separated texts have a standard error that a rerun can be compared with', () => {
  expect(rates([-9, -8], [-1, -2]).auroc).toMatchObject({ value: 1, se: 1 / 4 })
})
