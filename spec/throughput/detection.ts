/**
 * Detection as users run it: one watermark in a process of its own. A process that has seen a dozen of them takes up to twice as
 * long, because the engine can no longer specialise the code that they share; so does one in which a test runner lives.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { detect, detectMany } from '../../src/core/detect/entry.ts'
import { parseWatermark } from '../../src/watermarks/entry.ts'
import { zipfText } from './cases.ts'
import { type Measured, measure, softmaxOver } from './measure.ts'

/** One text of 500 tokens at a time, or a corpus of 1000 of them. */
export type Texts = 'one' | 'many'

/** Against softmaxes over 50,257 tokens. */
export function measureDetection(id: string, texts: Texts): Measured {
  const watermark = parseWatermark(id)
  const softmax = softmaxOver(50_257)
  // keys of published codes are integers, but for those that the laws make up
  const key = watermark.needsKey ? 'uwbench law throughput' : 'throughput'
  const options = { key, vocabSize: softmax.vocabSize }
  const corpus = Array.from({ length: texts === 'one' ? 50 : 1000 }, (_, seed) =>
    zipfText(500, softmax.vocabSize, seed),
  )
  if (texts === 'many')
    return measure(softmax.run, () => void detectMany(watermark, corpus, options), {
      rounds: 41,
      milliseconds: 0.01,
    })
  let at = 0
  return measure(softmax.run, () => void detect(watermark, corpus[at++ % corpus.length]!, options))
}

/** The same in a new process. */
export function detectionAlone(id: string, texts: Texts): Measured {
  const script = fileURLToPath(new URL('./alone.mjs', import.meta.url))
  const printed = execFileSync(process.execPath, [script, id, texts], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(printed) as Measured
}
