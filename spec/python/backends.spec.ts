/**
 * The backends of the generator write the same texts with one tiny random Llama: the tiny backend in numpy, the others in torch, through
 * stand-ins for Transformers and vLLM (spec/python/stubs) that have the interface the generator uses.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { generateMany } from '../../src/text/models/entry.ts'
import { writeLlamaFolder } from '../../src/text/models/llama2c/folder.ts'
import { loadModel } from '../../src/text/models/load.ts'
import { parseWatermark } from '../../src/watermarks/parse.ts'
import { concat, tinyCheckpoint, tinyPieces, tokenizerBin } from '../models/llama2c/tiny.ts'
import { requireComponent } from '../require.ts'
import { env, root, withNumpy, withTorch } from './interpreters.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-llama-'))
afterAll(() => rmSync(folder, { recursive: true }))

writeFileSync(join(folder, 'model.bin'), tinyCheckpoint())
const stories = concat(tinyCheckpoint(), tokenizerBin(tinyPieces))
writeFileSync(join(folder, 'stories.bin'), stories)

interface Written {
  readonly tokens: number[]
  readonly finish: string
  readonly logProbabilities: number[]
}

const texts = ['gumbel', 'dipmark(alpha=0.4)', 'synthid(layers=20)', 'christ(entropy=4)', null].flatMap(
  (watermark) =>
    [[1, 7, 7], [1], [2, 3, 4, 5, 6], []].map((prompt, index) => ({
      prompt,
      watermark,
      key: { public: 'a key for backends' },
      seed: 1,
      index,
    })),
)

function write(program: string, backend: string): Written[] {
  const requests = [
    { seq: 0, cmd: 'generate', texts, maxNewTokens: 40, stopTokens: [1, 21], temperature: 0.9, batchSize: 6 },
    { seq: 1, cmd: 'stop' },
  ]
  const model = backend === 'tiny' ? join(folder, 'stories.bin') : folder
  const { stdout, stderr } = spawnSync(
    program,
    ['-m', 'uwbench.generate', '--model', model, '--backend', backend],
    {
      input: requests.map((request) => `${JSON.stringify(request)}\n`).join(''),
      env: { ...env, PYTHONPATH: `${env.PYTHONPATH}:${root}spec/python/stubs` },
      encoding: 'utf8',
    },
  )
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const answer = answers.find(({ ok, error }) => ok ?? error)
  if (answer?.ok === undefined) throw new Error(`${backend}: ${answer?.error?.message ?? stderr}`)
  return answer.ok.texts
}

test.for(['transformers', 'vllm'])('%s writes the texts of the tiny backend', (backend, context) => {
  requireComponent(context, 'torch', withTorch !== undefined, 'apt-get install python3-torch')
  requireComponent(context, 'numpy', withNumpy !== undefined, 'apt-get install python3-numpy')
  const expected = write(withNumpy!, 'tiny')
  expect(expected.some(({ finish }) => finish === 'stop')).toBe(true)
  expect(expected.some(({ finish }) => finish === 'length')).toBe(true)
  const written = write(withTorch!, backend)
  expect(written.map(({ tokens }) => tokens)).toEqual(expected.map(({ tokens }) => tokens))
  for (const [i, { logProbabilities }] of written.entries())
    for (const [t, value] of logProbabilities.entries())
      expect(value).toBeCloseTo(expected[i]!.logProbabilities[t]!, 3)
})

test('the tiny backend writes the texts of the same checkpoint here', async (context) => {
  requireComponent(context, 'numpy', withNumpy !== undefined, 'apt-get install python3-numpy')
  const converted = join(folder, 'converted')
  await writeLlamaFolder(stories, converted)
  const model = await loadModel(converted, { threads: 1 })
  const written = await generateMany(
    model,
    texts.map(({ watermark, key, ...text }) => ({
      ...text,
      ...(watermark === null ? {} : { watermark: parseWatermark(watermark), key: key.public }),
    })),
    { maxNewTokens: 40, stopTokens: [1, 21], temperature: 0.9 },
  )
  await model.dispose()
  const expected = write(withNumpy!, 'tiny')
  for (const [i, { tokens, logProbabilities }] of written.entries()) {
    expect(expected[i]!.tokens).toEqual(tokens)
    for (const [t, value] of logProbabilities.entries())
      expect(expected[i]!.logProbabilities[t]).toBeCloseTo(value, 3)
  }
})
