/** The client of the generator protocol: the same texts as in process, and one line about a generator that dies, hangs or lies. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Generator, GeneratorFailure } from '../../src/bench/steps/generator.ts'
import type { GeneratorText } from '../../src/bench/steps/generator-protocol.ts'
import { excessOf, surpriseBets } from '../../src/bench/steps/surprise.ts'
import { type Generation, generateMany, markovModel } from '../../src/text/models/entry.ts'
import { parseWatermark } from '../../src/watermarks/parse.ts'
import { temporaryFolder } from '../commands/program.ts'
import { requireComponent } from '../require.ts'
import { env, python, root } from './interpreters.ts'

const folder = temporaryFolder('generator-client')
/** The toy model of the benchmark. */
const options = { vocabSize: 64, order: 2, entropy: 1.5 }
writeFileSync(join(folder, 'markov.json'), JSON.stringify(options))

const texts: GeneratorText[] = ['gumbel', 'synthid(layers=20)', null].flatMap((watermark) =>
  Array.from({ length: 5 }, (_, index) => ({
    prompt: [index, 7],
    watermark,
    key: { public: `bench 1 prompt ${index}` },
    seed: `1 M ${watermark ?? 'none'}`,
    index,
  })),
)

test('texts of the Python generator are those of the in-process run', async (context) => {
  requireComponent(context, 'python', python !== undefined)
  const generator = await Generator.start({
    command: [python!, '-m', 'uwbench.generate', '--backend', 'tiny', '--model', join(folder, 'markov.json')],
    env: { PYTHONPATH: env.PYTHONPATH! },
    batch: 4,
  })
  const model = markovModel(options)
  expect(generator.info).toMatchObject({ model: model.id, vocabSize: 64 })
  const batches: number[] = []
  const progress: number[] = []
  const sampling = { maxNewTokens: 30, temperature: 0.8 }
  const written = await generator.write(
    texts,
    sampling,
    (first) => batches.push(first),
    (done) => progress.push(done),
  )
  await generator.stop()
  const expected = await generateMany(
    model,
    texts.map(({ prompt, watermark, seed, index }, i) => ({
      prompt: prompt as number[],
      seed,
      index,
      ...(watermark === null ? {} : { watermark: parseWatermark(watermark), key: `bench 1 prompt ${i % 5}` }),
    })),
    sampling,
  )
  expect(written.map(({ tokens }) => tokens)).toEqual(expected.map(({ tokens }) => tokens))
  // what a cell keeps of a text is rounded to six digits, and so the same to the byte
  const kept = ({ logProbabilities, entropies }: Generation) =>
    [
      ...[logProbabilities, entropies].map((values) => values.reduce((a, b) => a + b, 0) / values.length),
      excessOf(logProbabilities, entropies),
      ...surpriseBets(logProbabilities, entropies),
    ].map((value) => value.toPrecision(6))
  expect(written.map(kept)).toEqual(expected.map(kept))
  expect(batches).toEqual([0, 4, 8, 12])
  expect(progress.at(-1)).toBe(texts.length)
})

/** A generator in JavaScript whose answer to `generate` is what the line says. */
function fake(answer: string, start = ''): Promise<Generator> {
  const script = `
    import { createInterface } from 'node:readline'
    const info = { protocol: 1, model: 'm', backend: 'fake', vocabSize: 9, endTokens: [0], maxLength: 99, chat: false, methods: [] }
    const good = { prompt: [1], tokens: [3, 4], text: 'a', finish: 'length', logProbabilities: [-1, -2], entropies: [1, 1] }
    const say = (value) => console.log(JSON.stringify(value))
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { seq, cmd, texts } = JSON.parse(line)
      if (cmd === 'start') { ${start || 'say({ seq, ok: info })'} }
      if (cmd === 'generate') { ${answer} }
      if (cmd === 'stop') process.exit()
    })`
  return Generator.start({
    command: [process.execPath, '--input-type=module', '-e', script],
    timeout: 3000,
    batch: 1,
  })
}

const two: GeneratorText[] = [0, 1].map((index) => ({ prompt: [1], watermark: null, seed: 1, index }))
const write = async (answer: string): Promise<unknown> => {
  const generator = await fake(answer)
  const kept: number[] = []
  const failure = await generator
    .write(two, { maxNewTokens: 2 }, (first) => kept.push(first))
    .catch((error: Error) => error)
  await generator.stop()
  expect(failure).toBeInstanceOf(GeneratorFailure)
  return { message: (failure as Error).message.replace(/^generator '.*?' (?=\w)/s, ''), kept }
}

describe('a generator that fails is one line, and what it wrote before is kept', () => {
  const lie = (change: string) => `say({ seq, ok: { texts: [{ ...good, ${change} }] } })`
  test.for<[answer: string, message: RegExp, kept?: number[]]>([
    ['if (seq === 1) say({ seq, ok: { texts: [good] } }); else process.exit(7)', /exited with code 7/, [0]],
    [
      "console.error('out of memory'); process.exit(1)",
      /exited with code 1; its standard error ends: out of memory$/,
    ],
    ["console.log('hello')", /answered with something other than JSON: hello/],
    ['say({ seq: 99, ok: {} })', /answered out of order: expected seq 1, got 99/],
    ["say({ seq, error: { message: 'no such method' } })", /reported an error: no such method/],
    ['', /wrote nothing for 3 s/],
    ['say({ seq, ok: { texts: [] } })', /was asked for 1 texts and wrote 0/],
    [lie('tokens: [3, 9]'), /wrote a wrong text 0: tokens\[1\]: expected .* in \[0, 8\], got 9/],
    [lie('prompt: [2]'), /wrote a wrong text 0: prompt: expected the prompt that was sent/],
    [lie('tokens: [0, 4]'), /a stop token only at the end, got 'one at position 0'/],
    [lie('tokens: [4, 0]'), /finish: expected stop, after a stop token/],
    [lie('tokens: [4], logProbabilities: [-1], entropies: [1]'), /finish: expected length, after 2 tokens/],
    [lie('tokens: [4, 4, 4]'), /tokens: expected 1 to 2 tokens, got '3 of them'/],
    [lie('logProbabilities: [-1, 0.5]'), /logProbabilities\[1\]: expected a number in/],
    [lie('entropies: [1]'), /entropies: expected 2 numbers, one for each token/],
    [lie('entropies: [1, 5]'), /entropies\[1\]: expected a number in/],
    [lie('text: 7'), /text: expected a string, got 7/],
  ])('%s', async ([answer, message, kept = []]) => {
    expect(await write(answer)).toEqual({ message: expect.stringMatching(message), kept })
  })

  test('one that is no generator says so at the start', async () => {
    const failure = (start: string) => fake('', start).catch((error: Error) => error.message)
    expect(await failure('say({ seq, ok: { ...info, protocol: 2 } })')).toMatch(
      /answer to "start": protocol is 2/,
    )
    expect(
      await Generator.start({ command: [`${root}no-such-program`] }).catch((error: Error) => error.message),
    ).toMatch(/could not be started: .*ENOENT/)
  })
})
