/** Whole gates of plain Python testees, and how long they take. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkTestee } from '../../src/gate/testee/entry.ts'
import { requireComponent } from '../require.ts'

const python = spawnSync('python3', ['--version']).status === 0
const file = fileURLToPath(new URL('../testee/watermarks.py', import.meta.url))

const check = (name: string, laws?: string[]) =>
  checkTestee({ command: ['python3', file, name] }, { effort: 'quick', ...(laws && { laws }) })

test.for<[name: string, ...laws: string[]]>([
  ['green boost', 'unbiased over keys', 'unbiased over texts', 'equal pairs'],
  ['turned', 'reweight gives a distribution', 'unbiased over keys'],
  ['gumbel', 'unbiased over keys'],
  ['fixed vocabulary', 'reweight gives a distribution', 'warped first, then marked'],
])('%s passes', async ([name, ...laws], context) => {
  requireComponent(context, 'python', python)
  const { results } = await check(name, laws)
  expect(results.map(({ verdict }) => verdict)).toEqual(laws.map(() => 'holds'))
})

test('the prompt as context is refused: whole texts share one code', async (context) => {
  requireComponent(context, 'python', python)
  const { results } = await check('prompt as context', ['equal pairs'])
  expect(results[0]).toMatchObject({ verdict: 'fails' })
})

test('the whole gate of a plain KGW', async (context) => {
  requireComponent(context, 'python', python)
  const { results } = await check('kgw')
  expect(results.filter(({ verdict }) => verdict === 'fails')).toEqual([])
  expect(results.filter(({ verdict }) => verdict === 'holds').map(({ law }) => law)).toEqual([
    'reweight gives a distribution',
    'same key, same result',
    'the null law is right',
    'detectable',
    'drift',
    'shown biased',
  ])
})
