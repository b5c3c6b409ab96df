/** Watermarks in the style of published processors, in torch, through the adapter for logits processors. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkTestee } from '../../src/gate/testee/entry.ts'
import { requireComponent } from '../require.ts'

/** Debian's torch belongs to Debian's Python. */
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import torch']).status === 0,
)
const file = fileURLToPath(new URL('./published.py', import.meta.url))

const check = (name: string, ...laws: string[]) =>
  checkTestee({ command: [python!, file, name] }, { effort: 'quick', laws })

describe('processors keep their claim', () => {
  test.for<[name: string, ...laws: string[]]>([
    ['kgw left hash', 'reweight gives a distribution', 'shown biased'],
    ['kgw self hash', 'detectable', 'shown biased'],
    ['unigram', 'shown biased'],
    ['dipmark', 'reweight gives a distribution', 'unbiased over keys'],
    ['synthid-like', 'reweight gives a distribution', 'unbiased over keys', 'unbiased over texts'],
  ])('%s', async ([name, ...laws], context) => {
    requireComponent(context, 'torch', python !== undefined, 'apt-get install python3-torch')
    const { results } = await check(name, ...laws)
    expect(
      results.map(({ law, verdict, detail }) => `${law}: ${verdict === 'fails' ? detail : verdict}`),
    ).toEqual(laws.map((law) => `${law}: holds`))
  })
})

describe('and those that do not are refused', () => {
  test.for<[name: string, law: string]>([
    ['kgw that claims to be unbiased', 'unbiased over keys'],
    ['dipmark with top-k after it', 'unbiased over keys'],
    ['synthid-like that reuses contexts', 'equal pairs'],
  ])('%s, by "%s"', async ([name, law], context) => {
    requireComponent(context, 'torch', python !== undefined, 'apt-get install python3-torch')
    const { results } = await check(name, law)
    expect(results[0]).toMatchObject({ law, verdict: 'fails' })
    expect(results[0]!.counterexample!.p!.length).toBeLessThanOrEqual(16)
  })
})
