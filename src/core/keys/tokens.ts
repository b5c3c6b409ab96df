import { list, outOfRange, wrongType } from '../../input.ts'
import type { Tokens } from './rule.ts'

/**
 * Token ids, checked: integers in [0, vocabSize).
 * @param from the first that is checked: those before are known
 */
export function checkTokens(
  tokens: unknown,
  vocabSize: number,
  name = 'tokens',
  from = 0,
): asserts tokens is Tokens {
  const ids = list(name, tokens, 'a list of token ids')
  for (let i = from; i < ids.length; i++) {
    const id = ids[i]
    if (typeof id === 'number' && id >>> 0 === id && id < vocabSize) continue
    if (typeof id !== 'number')
      throw wrongType(`${name}[${i}]`, `a number (convert bigint ids with Number)`, id)
    throw outOfRange(`${name}[${i}]`, `a token id in [0, ${vocabSize}), the width of the model's logits`, id)
  }
}
