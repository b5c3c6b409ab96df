import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileKernels } from '../../scripts/kernels.mjs'

test('binary.ts is what the sources compile to, to the byte', async () => {
  const committed = readFileSync(new URL('../../src/kernels/binary.ts', import.meta.url), 'utf8')
  expect(committed).toBe(await compileKernels())
})
