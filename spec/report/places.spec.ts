/** Places with the ranges that are not ruled out. */
import { expect, test } from 'vitest'
import { placesOf } from '../../src/bench/report/places.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { normalQuantile } from '../../src/core/stats/entry.ts'

test('what is surely apart has one place; what is not may have several', () => {
  const places = placesOf([
    { value: 0.9, se: 0.001 },
    { value: 0.5, se: 0.01 },
    { value: 0.51, se: 0.01 },
    { value: 0.1, se: 0.001 },
  ])
  expect(places).toEqual([
    { place: 1, low: 1, high: 1 },
    { place: 3, low: 2, high: 3 },
    { place: 2, low: 2, high: 3 },
    { place: 4, low: 4, high: 4 },
  ])
})

test('equal values share a place, and one method has the first', () => {
  expect(
    placesOf([
      { value: 1, se: 0 },
      { value: 1, se: 0 },
    ]).map(({ place }) => place),
  ).toEqual([1, 1])
  expect(placesOf([{ value: 1, se: 1 }])).toEqual([{ place: 1, low: 1, high: 1 }])
})

/** Fixed seed. Bonferroni promises at least 95%: 400 rankings hold in at least 360 but with probability 1e-5. */
test('all ranges of a ranking hold together with the confidence asked for', () => {
  const random = seededRandom(1, 'places')
  const truth = [0, 0.5, 1, 1.1, 1.2, 3]
  const places = truth.map((x) => 1 + truth.filter((y) => y > x).length)
  let held = 0
  for (let run = 0; run < 400; run++) {
    const drawn = truth.map((x) => ({ value: x + normalQuantile(random.uniform()) * 0.4, se: 0.4 }))
    if (placesOf(drawn).every(({ low, high }, i) => low <= places[i]! && places[i]! <= high)) held++
  }
  expect(held).toBeGreaterThanOrEqual(360)
})
