import { readFile } from 'node:fs/promises'
import { appendOnlyGraph } from './append-only-graph.ts'
import { cutAfterLayer } from './encoder-layer.ts'
import type { EncoderOptions } from './options.ts'
import { type OrtSession, onnxruntime } from './runtime.ts'

/** Opens the graph at `path`, rewritten if `appendOnly` or `layer` asks for it. */
export async function openGraph(
  path: string,
  { device = 'cpu', threads, appendOnly = false, layer }: EncoderOptions,
): Promise<OrtSession> {
  const { InferenceSession } = onnxruntime()
  const options = {
    executionProviders: [device],
    ...(threads !== undefined && { intraOpNumThreads: threads }),
  }
  try {
    if (!appendOnly && layer === undefined) return await InferenceSession.create(path, options)
    const file = await readFile(path)
    const graph = layer === undefined ? appendOnlyGraph(file) : cutAfterLayer(file, layer)
    return await InferenceSession.create(graph, options)
  } catch (cause) {
    throw new Error(`cannot load ${path} (${(cause as Error).message.split('\n')[0]})`, { cause })
  }
}
