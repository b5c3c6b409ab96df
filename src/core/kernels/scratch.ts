/**
 * Scratch arrays in kernel memory, reused so that no position makes garbage. An array is valid until its function is called again.
 */
import { kernels } from './kernels.ts'

/** Returns a function that gives an array of any length. What lies behind it grows by doubling, as kernel memory is never freed. */
function scratch<T extends { readonly length: number; subarray(from: number, to: number): T }>(
  allocate: (length: number) => T,
): (length: number) => T {
  let whole: T | undefined
  let view: T | undefined
  return (length) => {
    if (view?.length === length) return view
    if (whole === undefined || whole.length < length)
      whole = allocate(2 ** Math.ceil(Math.log2(Math.max(length, 1024))))
    view = whole.subarray(0, length)
    return view
  }
}

/** A distribution and the reweighted one, for loops that are done with them before anyone else can run. */
export const scratchP = scratch((length) => kernels.float64(length))
export const scratchQ = scratch((length) => kernels.float64(length))
/** The distribution that the next of several marks in sequence is given. */
export const scratchMarked = scratch((length) => kernels.float64(length))
export const scratchWords = scratch((length) => kernels.uint32(length))
/** Words that stay from call to call: for its one caller only. */
export const scratchOrder = scratch((length) => kernels.uint32(length))
export const scratchClasses = scratch((length) => kernels.uint32(length))
export const scratchSupport = scratch((length) => kernels.int32(length))
export const scratchBucket = scratch((length) => kernels.int32(length))
export const scratchHistogram = scratch((length) => kernels.float64(length))
export const scratchPartP = scratch((length) => kernels.float64(length))
export const scratchPartQ = scratch((length) => kernels.float64(length))
export const scratchPartWords = scratch((length) => kernels.uint32(length))
export const scratchContexts = scratch((length) => kernels.uint32(length))
export const scratchRoundKeys = scratch((length) => kernels.int32(length))
/** The round keys of many codes. */
export const scratchCodes = scratch((length) => kernels.int32(length))
export const scratchPairs = scratch((length) => kernels.int32(length))
export const scratchColumn = scratch((length) => kernels.int32(length))
export const scratchCosts = scratch((length) => kernels.int32(length))
