import { readFile } from 'node:fs/promises'
import { appendOnlyGraph } from './append-only-graph.ts'
import type { LoadOptions } from './options.ts'
import { type OrtSession, onnxruntime } from './runtime.ts'

/** Opens the graph at `path`, rewritten if `appendOnly` asks for it. */
export async function openGraph(
  path: string,
  { device = 'cpu', threads, appendOnly = false }: LoadOptions,
): Promise<OrtSession> {
  const { InferenceSession } = onnxruntime()
  const options = {
    executionProviders: [device],
    ...(threads !== undefined && { intraOpNumThreads: threads }),
  }
  try {
    if (!appendOnly) return await InferenceSession.create(path, options)
    return await InferenceSession.create(appendOnlyGraph(await readFile(path)), options)
  } catch (cause) {
    throw new Error(`cannot load ${path} (${(cause as Error).message.split('\n')[0]})`, { cause })
  }
}
