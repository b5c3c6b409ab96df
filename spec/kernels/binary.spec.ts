import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { binaries, compileKernels } from '../../scripts/kernels.mjs'

test.each(Object.keys(binaries))('%s is what the sources compile to, to the byte', async (name) => {
  const committed = readFileSync(new URL(`../../src/core/kernels/${name}`, import.meta.url), 'utf8')
  expect(committed).toBe(await compileKernels(name))
})
