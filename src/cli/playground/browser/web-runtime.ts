/** onnxruntime-web with the interface of onnxruntime-node that models use. */
import type { Ort, OrtSession, OrtTensor } from '../../../text/models/onnx/runtime.ts'
import { unpacked } from './kept-files.ts'
import type { Address } from './protocol.ts'

/** The parts of `onnxruntime-web` used here. It is a file beside the page, so that its version fits its WebAssembly. */
interface WebOrt {
  readonly env: { readonly wasm: { wasmBinary?: Uint8Array; numThreads?: number } }
  readonly InferenceSession: { create(graph: Uint8Array, options: object): Promise<OrtSession> }
  readonly Tensor: Ort['Tensor']
}

/**
 * Options of a session. Without `disable_quant_qdq`, int8 weights (see int8-graph.ts) would make the runtime round activations too:
 * logits would change, and texts of a batch would influence each other. With it the weights are multiplied out once.
 */
export const sessionOptions = {
  graphOptimizationLevel: 'all',
  extra: { session: { disable_quant_qdq: '1' } },
} as const

export interface Runtime {
  readonly ort: Ort
  open(graph: Uint8Array): Promise<OrtSession>
}

/** Lets messages in: WebAssembly never yields to the event loop by itself. */
const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })

/** Wraps a session to write outputs into the caller's tensors, as onnxruntime-node does. */
function writingInPlace(session: OrtSession): OrtSession {
  const run = async (feeds: Record<string, OrtTensor>, fetches: Record<string, OrtTensor>) => {
    await yieldToEventLoop()
    const found = await session.run(feeds, Object.keys(fetches))
    for (const [name, tensor] of Object.entries(fetches)) {
      const from = found[name]!
      ;(tensor.data as Float32Array).set(from.data as Float32Array)
      from.dispose()
    }
    return fetches
  }
  const { inputNames, outputNames, inputMetadata, outputMetadata } = session
  const release = () => session.release()
  return { inputNames, outputNames, inputMetadata, outputMetadata, run, release } as unknown as OrtSession
}

export async function webRuntime(at: Address): Promise<Runtime> {
  const [web, wasmBinary] = await Promise.all([
    import(/* @vite-ignore */ at('vendor/ort.mjs')) as Promise<WebOrt>,
    unpacked(at('vendor/ort.wasm.gz')),
  ])
  // threads need headers that static hosts do not send, and gain little on models this small
  Object.assign(web.env.wasm, { wasmBinary, numThreads: 1 })
  const options = { executionProviders: ['wasm'], ...sessionOptions }
  return {
    ort: { Tensor: web.Tensor } as unknown as Ort,
    open: async (graph) => writingInPlace(await web.InferenceSession.create(graph, options)),
  }
}
