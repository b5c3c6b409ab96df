import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { keySchedule } from '../../src/core/keys/schedule.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'

interface Vector {
  readonly key: string
  readonly domain: string
  readonly run: number
  readonly context: number[]
  readonly words: number[]
  readonly uniform: number
  readonly shared: number
}

interface Vectors {
  readonly schedule: Vector[]
  readonly stream: { seed: number; labels: (string | number)[]; words: number[] }[]
}

/** The derivation of every version so far. A change here means that texts marked before are no longer detected: breaking. */
const vectors: Vectors = JSON.parse(
  readFileSync(new URL('../../fixtures/keys/vectors.json', import.meta.url), 'utf8'),
)

test.each(vectors.schedule)('key $key, domain $domain, run $run, context $context', (vector) => {
  const schedule = keySchedule(vector.key, vector.domain, vector.run)
  const random = schedule.random(vector.context)
  expect(vector.words.map((_, i) => random.uint32(i))).toEqual(vector.words)
  expect(random.uniform(7)).toBe(vector.uniform)
  expect(schedule.shared.uint32(0)).toBe(vector.shared)
})

test.each(vectors.stream)('stream $seed $labels', ({ seed, labels, words }) => {
  const stream = seededRandom(seed, ...labels)
  expect(words.map(() => stream.uint32())).toEqual(words)
})
