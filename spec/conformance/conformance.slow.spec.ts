/** The conformance page: `npm run conformance` renews it. */
import { expect, test } from 'vitest'
import { computed } from './compute.ts'
import { page } from './page.ts'

const rows = computed()
const row = (name: string) => rows.find((one) => one.name === name)!

test('reports/conformance.md and .json say what is computed', async () => {
  await expect(page(rows)).toMatchFileSnapshot('../../reports/conformance.md')
  await expect(`${JSON.stringify(rows, null, 2)}\n`).toMatchFileSnapshot('../../reports/conformance.json')
})

test('the controls come out as they must', () => {
  const own = row('uwbench `gumbel`')
  expect(own.steps.every(({ unbiased }) => unbiased)).toBe(true)
  expect([own.markedAgain, own.key.idle]).toEqual([[], 0])
  expect(own.alarms!.valid).toEqual([true, true, true])
  // green lists with delta = 2 are biased in any implementation
  for (const name of ['vLLM `red_green`', 'vLLM `sbw` selfhash', 'TextSeal `greenlist`', 'TGI'])
    expect(row(name).steps.some(({ unbiased }) => !unbiased)).toBe(true)
  for (const { name, foundBy } of rows) expect(foundBy, name).toContain(name)
})
