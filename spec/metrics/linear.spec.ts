/** Work that grows with the text, not with its square. Took 23 s and 35 s before; a limit of 2 s is far from both. */
import { expect, test } from 'vitest'
import { tokenize13a } from '../../src/text/metrics/tokenize13a.ts'
import { parseWatermark } from '../../src/watermarks/parse.ts'

const LONG = 100_000

/** Of processor time: a busy machine is not a slow tokenizer. */
const milliseconds = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

test.each([
  ['blanks', ' '.repeat(LONG)],
  ['blanks before a letter', `${' '.repeat(LONG)}x`],
  ['blanks between letters', `x${' '.repeat(LONG)}x`],
  ['full stops', '.'.repeat(LONG)],
  ['entities', '&amp;'.repeat(LONG / 5)],
])('100 kB of %s are tokenized at once', (_, text) => {
  const start = process.cpuUsage()
  const tokens = tokenize13a(text)
  expect(milliseconds(start)).toBeLessThan(2000)
  expect(tokens.join('').length).toBeLessThanOrEqual(LONG)
})

test('white space at the end is as Python knows it', () => {
  expect(tokenize13a('end-\n')).toEqual(['end-'])
  expect(tokenize13a('end-\n\u001c\u3000\u00a0')).toEqual(['end-'])
  expect(tokenize13a('end-\n\u200b')).toEqual(['end\u200b'])
})

test.each([
  ['blanks', ' '.repeat(LONG)],
  ['a name and blanks', `gumbel${' '.repeat(LONG)}x`],
  ['parentheses', `gumbel${'('.repeat(LONG)}`],
  ['letters', 'g'.repeat(LONG)],
  ['just under the limit', `gumbel${' '.repeat(9990)}x`],
])('an id of 100 kB of %s is refused at once', (_, id) => {
  const start = process.cpuUsage()
  expect(() => parseWatermark(id)).toThrow('watermark: expected')
  expect(milliseconds(start)).toBeLessThan(2000)
})

test('blanks around an id and its parts do not count', () => {
  expect(parseWatermark('  kgw ( delta = 2 , gamma = 0.25 )  ').id).toBe('kgw(delta=2,gamma=0.25)')
})

test('a key list that nobody could wait for is refused by its id', () => {
  expect(() => parseWatermark('expEdit(keyLength=8388608)')).toThrow(
    'keyLength: expected an integer in [1, 65536], got 8388608',
  )
})
