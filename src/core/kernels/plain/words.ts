import { mix } from '../mix.ts'

/** out[i] = mix(i) under four round keys. */
export function fill(out: Uint32Array, k0: number, k1: number, k2: number, k3: number): void {
  for (let i = 0; i < out.length; i++) out[i] = mix(i, k0, k1, k2, k3)
}
