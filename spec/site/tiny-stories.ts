/** A model with random weights in the place of stories15m: small, and with a matrix large enough to be rounded to int8. */

import { keptFolder } from '../../src/text/models/fetched-model.ts'
import { writeLlamaFolder } from '../../src/text/models/llama2c/folder.ts'
import { stories15m } from '../../src/text/models/stories15m.ts'
import { concat, TINY, tinyCheckpoint, tinyPieces, tokenizerBin } from '../models/llama2c/tiny.ts'

const sizes = { ...TINY, vocabSize: 4000, positions: 128 }

/** Special tokens and bytes come before the pieces. */
const others = sizes.vocabSize - 259 - tinyPieces.length
const more = Array.from({ length: others }, (_, i): [string, number] => [`<${i}>`, -100 - i])

/** @param cache the folder that `UWBENCH_CACHE` names */
export const writeTinyStories = (cache: string): Promise<void> =>
  writeLlamaFolder(
    concat(tinyCheckpoint(sizes), tokenizerBin([...tinyPieces, ...more])),
    keptFolder(stories15m, cache),
  )
