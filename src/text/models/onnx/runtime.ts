/** The packages behind neural models: half a gigabyte, so they are imported when a model is loaded. */
import { createRequire } from 'node:module'
import type * as Onnx from 'onnxruntime-node'

export type Ort = typeof Onnx
export type OrtSession = Onnx.InferenceSession
export type OrtTensor = Onnx.Tensor
export type Transformers = typeof import('@huggingface/transformers')

const PACKAGE = '@huggingface/transformers'

function missing(cause: unknown): Error {
  // the install script of its onnxruntime-node downloads GPU libraries, which fails behind a firewall
  return new Error(
    `neural models need the package ${PACKAGE}: ONNXRUNTIME_NODE_INSTALL=skip npm install ${PACKAGE}`,
    { cause },
  )
}

/** Imports `@huggingface/transformers`: tokenizers, and downloads from the hub. */
export async function transformers(): Promise<Transformers> {
  try {
    return await import('@huggingface/transformers')
  } catch (cause) {
    throw missing(cause)
  }
}

/** Returns the `onnxruntime-node` that transformers uses; in a strict installation this package cannot import it directly. */
export function onnxruntime(from: string = import.meta.url): Ort {
  try {
    return createRequire(createRequire(from).resolve(PACKAGE))('onnxruntime-node')
  } catch (cause) {
    throw missing(cause)
  }
}
