/** Small networks whose weights are integers of 8 bits: every sum is exact up to its scale, the same in every engine. */

/** A fully connected layer: weights row after row, then biases, base64 of signed bytes, each kind with its scale. */
export interface LayerData {
  readonly inputs: number
  readonly outputs: number
  readonly scale: number
  readonly biasScale: number
  readonly bytes: string
}

/** Returns the layer as a function: out = W x + b. */
export function layer({
  inputs,
  outputs,
  scale,
  biasScale,
  bytes,
}: LayerData): (x: ArrayLike<number>) => Float64Array {
  const text = atob(bytes)
  const weights = Float64Array.from(
    { length: (inputs + 1) * outputs },
    (_, i) => ((text.charCodeAt(i) << 24) >> 24) * (i < inputs * outputs ? scale : biasScale),
  )
  return (x) => {
    const out = weights.slice(inputs * outputs)
    for (let o = 0, at = 0; o < outputs; o++) {
      let sum = 0
      for (let i = 0; i < inputs; i++) sum += weights[at++]! * x[i]!
      out[o]! += sum
    }
    return out
  }
}

/** Sets what is negative to 0, in place. */
export function relu(x: Float64Array): Float64Array {
  for (let i = 0; i < x.length; i++) if (x[i]! < 0) x[i] = 0
  return x
}
