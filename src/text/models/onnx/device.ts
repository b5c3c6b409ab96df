/** The device that a graph runs on: an execution provider of onnxruntime, and which of several devices. */
import { outOfRange } from '../../../input.ts'
import type { LoadOptions } from './options.ts'

export interface Device {
  /** The provider: `cpu`, `cuda`, `webgpu`. */
  readonly kind: string
  readonly index?: number
}

/** Reads `cuda` or `cuda:1`. */
export function parseDevice(device = 'cpu'): Device {
  const [, kind, index] = /^([a-z]+)(?::(\d+))?$/i.exec(device) ?? []
  if (kind === undefined) throw outOfRange('device', 'a device such as cpu, cuda or cuda:1', device)
  return { kind, ...(index === undefined ? {} : { index: Number(index) }) }
}

/**
 * Tells whether the key-value cache of a causal model stays on its device: a run's outputs then go into the next one from there.
 * A graph that only outputs new columns appends them in the memory of the process.
 */
export const keepsCache = ({ device, appendOnly }: LoadOptions): boolean =>
  !appendOnly && keepsOutputs(device)

/**
 * Tells whether outputs may stay in the memory of a device and go into the next run from there. onnxruntime-node knows tensors in buffers of
 * WebGPU only: with CUDA and others, outputs come back to the memory of the process.
 */
const keepsOutputs = (device?: string): boolean => parseDevice(device).kind === 'webgpu'

interface SessionSettings {
  readonly device?: string | undefined
  readonly threads?: number | undefined
  /** Outputs that stay on the device. Then all outputs are allocated by the runtime: it ignores memory that is given for them. */
  readonly keep?: readonly string[] | undefined
}

export function sessionOptions({ device, threads, keep = [] }: SessionSettings) {
  const { kind, index } = parseDevice(device)
  return {
    executionProviders: [index === undefined ? kind : { name: kind, deviceId: index }],
    ...(threads !== undefined && { intraOpNumThreads: threads }),
    ...(keep.length > 0 && {
      preferredOutputLocation: Object.fromEntries(keep.map((name) => [name, 'gpu-buffer' as const])),
    }),
  }
}
