import { expect, test } from 'vitest'
import { notices } from '../../src/cli/playground/files.ts'

test('a playground carries the notices of every package whose code it serves', async () => {
  const text = await notices()
  expect(
    text.match(/^\S+ \d+\.\d+\.\S+ \((MIT|Apache-2\.0)\)$/gm)?.map((line) => line.split(' ')[0]),
  ).toEqual(['@noble/hashes', 'onnxruntime-web', '@huggingface/tokenizers'])
  for (const words of ['Paul Miller', 'Microsoft Corporation', 'Apache License'])
    expect(text).toContain(words)
})
