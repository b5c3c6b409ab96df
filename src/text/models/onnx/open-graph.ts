import { readFile } from 'node:fs/promises'
import { appendOnlyGraph } from './append-only-graph.ts'
import { sessionOptions } from './device.ts'
import { cutAfterLayer } from './encoder-layer.ts'
import { outputNames } from './onnx-file.ts'
import type { EncoderOptions } from './options.ts'
import { type OrtSession, onnxruntime } from './runtime.ts'

/**
 * Opens the graph at `path`, rewritten if `appendOnly` or `layer` asks for it.
 * @param keep leaves the key-value cache that a run outputs on the device
 */
export async function openGraph(
  path: string,
  { device, threads, appendOnly = false, layer }: EncoderOptions,
  keep = false,
): Promise<OrtSession> {
  const { InferenceSession } = onnxruntime()
  const create = (graph: string | Uint8Array, kept: readonly string[] = []): Promise<OrtSession> =>
    InferenceSession.create(graph as string, sessionOptions({ device, threads, keep: kept }))
  try {
    if (!appendOnly && layer === undefined && !keep) return await create(path)
    const file = await readFile(path)
    // by its path: weights may be in files beside it
    if (keep) return await create(path, outputNames(file).filter(isCache))
    return await create(layer === undefined ? appendOnlyGraph(file) : cutAfterLayer(file, layer))
  } catch (cause) {
    throw new Error(`cannot load ${path} (${(cause as Error).message.split('\n')[0]})`, { cause })
  }
}

const isCache = (output: string): boolean => output.startsWith('present.')
