import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inProcess } from './in-process.ts'
import { KEY, tokens, VOCAB } from './marked.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('eval')
const put = (name: string, rows: readonly object[]): string => {
  writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return join(folder, name)
}
const rows = Array.from({ length: 24 }, (_, i) => ({
  tokens: tokens(80, i, i % 3 === 0),
  watermark: i % 3 === 0 ? 'gumbel' : i % 3 === 1 ? 'kgw(delta=2)' : null,
  vocabSize: VOCAB,
}))
const evaluate = (...args: string[]) => inProcess(['eval', ...args, '--key', KEY, '-o', join(folder, 'out')])

test('texts of several methods: detectability, robustness and quality, as tables and a page', async () => {
  const { status, stdout, stderr } = await evaluate(put('texts.jsonl', rows))
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(stdout).toContain('16 watermarked texts of 2 methods, 8 texts without a watermark.')
  // texts that only claim to be marked by kgw are not: they are gumbel's unmarked ones
  expect(stdout).toMatch(/^gumbel +8 +100\.0 \[63\.1, 100\.0\]/m)
  expect(stdout).not.toMatch(/^kgw\(delta=2\) +8 +100\.0/m)
  expect(stdout).toMatch(/^no watermark +80\.000/m)
  for (const name of ['eval.json', 'eval.tex', 'index.html'])
    expect(existsSync(join(folder, 'out', name)), name).toBe(true)
})

test.each<[string, object[], string[], string]>([
  ['no text is marked', [{ tokens: [1], vocabSize: 9 }], [], 'no text is watermarked'],
  ['no such watermark', [{ tokens: [1], vocabSize: 9, watermark: 'blue' }], [], 'watermark: expected one of'],
  ['a number for a watermark', [{ tokens: [1], watermark: 3 }], [], 'expected an id or null, got 3'],
  ['no vocabulary', [{ tokens: [1], watermark: 'gumbel' }], [], 'token ids need --vocab-size'],
  ['no such attack', rows, ['--attacks', 'wash'], 'attack: expected one of'],
])('%s: one line, exit code 2', async (_, content, args, message) => {
  const { status, stderr } = await evaluate(put('wrong.jsonl', content), ...args)
  expect(stderr).toContain(message)
  expect(stderr).toMatch(/^uwbench: [^\n]+\n$/)
  expect(status).toBe(2)
})
