/** Keys and uniforms that the watermarks of vLLM share. */

import type { EngineWords } from '../../../core/keys/index.ts'
import { scoreOf } from '../../mechanisms/gumbel-max.ts'
import type { KeyWords } from '../philox.ts'
import { secretIntegers } from '../secret.ts'

const FORMAT = { name: 'vLLM key', count: 1, bits: 64, bytes: 8 } as const

/** Returns the 64-bit key. */
export const vllmKeyOf = (key: Uint8Array): bigint => secretIntegers(key, FORMAT)[0]!

/** The number of uniforms: they have 24 bits. */
export const VLLM_UNIFORMS = 2 ** 24

/** Returns u = k / (2^24 + 1) in float32, k = 1 .. 2^24: the upper 24 bits of the word, divided in float64 and rounded once. */
export const vllmUniform = (word: number): number => Math.fround(((word >>> 8) + 1) / (VLLM_UNIFORMS + 1))

/** Returns the words of tokens under some keys and one stream, or under one key in some streams. */
export const philoxEngine = (
  keys: readonly KeyWords[],
  streams: readonly KeyWords[] = [[0, 0]],
): EngineWords => ({
  kernel: 'philoxWords',
  keys: keys.flatMap((key) => streams.map((stream) => Uint32Array.of(...key, ...stream))),
})

/** Returns the score of Gumbel-max of a token by its word. */
export const vllmScore = (word: number): number => scoreOf(-Math.log(vllmUniform(word)))
