import { list, outOfRange, wrongType } from '../../input.ts'

/** The most values of one sample. */
const MAX_VALUES = 2 ** 27

/** A copy of a sample as float64, once it is certain that it has at least `least` values and none is NaN. */
export function realValues(name: string, values: ArrayLike<number>, least = 1): Float64Array {
  list(name, values, 'an array of numbers')
  if (values.length > MAX_VALUES)
    throw outOfRange(name, `at most ${MAX_VALUES} values`, `${values.length} of them`)
  if (values.length < least)
    throw outOfRange(name, `at least ${least} value${least === 1 ? '' : 's'}`, values)
  const copy = new Float64Array(values.length)
  for (let i = 0; i < copy.length; i++) {
    const value: unknown = values[i]
    if (typeof value !== 'number') throw wrongType(`${name}[${i}]`, 'a number', value)
    if (Number.isNaN(value)) throw outOfRange(`${name}[${i}]`, 'a number', value)
    copy[i] = value
  }
  return copy
}
