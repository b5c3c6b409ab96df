import { expect, test } from 'vitest'
import { fixed } from '../../src/core/keys/fixed.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import { prefix } from '../../src/core/keys/prefix.ts'
import { Expansion } from '../../src/core/keys/random.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { sequence } from '../../src/core/keys/sequence.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { walk } from '../../src/core/keys/walk.ts'
import { synthidContexts, vllmContexts } from '../../src/watermarks/published/context.ts'

const stream = seededRandom('walk')
const text = Array.from({ length: 200 }, () => stream.below(5))

test.each([
  ngram(1),
  ngram(2),
  ngram(3, { repeated: 'reuse' }),
  ngram(3, { short: true }),
  fixed(),
  vllmContexts({ width: 2 }),
])('$id: a walk gives the contexts that detection scores', (rule) => {
  expect([...walk(rule, text)]).toEqual(rule.scored(text, () => false))
})

test('a rule that detection scores elsewhere is walked as generation does', () => {
  const rule = synthidContexts({ ngramLength: 3 })
  const tokens = text.map((token) => token + 1) // the rule pads with token 0
  const contexts = [...walk(rule, tokens)]
  expect(contexts.slice(2)).toEqual(rule.scored(tokens, () => false).slice(2))
  expect(contexts.slice(0, 2)).toEqual([
    [0, 0],
    [0, tokens[0]],
  ])
})

test('a key list is read from the offset of the text', () => {
  const rule = sequence({ length: 8 })
  const [first, second] = [...walk(rule, [1, 1], { perText: new Expansion([1, 2, 3, 4]) })]
  expect(second![0]).toBe((first![0]! + 1) % 8)
  const starts = new Set(
    Array.from({ length: 60 }, (_, i) => walk(rule, [0], { perText: new Expansion([i, 0, 0, 0]) }).next()),
  )
  expect(new Set([...starts].map(({ value }) => value![0])).size).toBe(8)
})

test('a rule that waits for entropy is told how probable each token was', () => {
  const rule = prefix({ entropy: 3 })
  const marked = (probability: number) =>
    [...walk(rule, text, { probability })].findIndex((context) => context !== undefined)
  expect([marked(1 / 2), marked(Math.exp(-1)), marked(2 ** -40)]).toEqual([5, 3, 1])
})

test('tokens are taken one by one, and none after the last context that is asked for', () => {
  let taken = 0
  function* tokens() {
    for (;;) yield taken++
  }
  for (const context of walk(ngram(2), tokens())) if (context !== undefined) break
  expect(taken).toBe(3)
})

test('a mutant that shows a rule the token of its own position is seen', () => {
  const mutant = function* (rule: ContextRule, tokens: readonly number[]) {
    const cursor = rule.begin(new Expansion([1, 2, 3, 4]))
    for (const t of tokens.keys()) yield cursor.next(tokens.slice(0, t + 1))
  }
  expect([...mutant(ngram(2), text)]).not.toEqual(ngram(2).scored(text, () => false))
})
