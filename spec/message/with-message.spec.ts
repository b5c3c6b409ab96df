import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keySchedule } from '../../src/core/keys/index.ts'
import { contextSet, decode, detect, embedder, gumbel, ngram, unigram, withMessage } from '../../src/index.ts'
import { type AnyWatermark, codeAt } from '../../src/watermark.ts'
import { shippedWatermarks } from '../../src/watermarks/index.ts'
import { asPublished } from '../../src/watermarks/reference.ts'
import { writeText } from './texts.ts'

const key = 'a secret of sixteen bytes'
const vocabSize = 128

/** Messages of 12 bits. */
const message = fc.bigInt({ min: 0n, max: 2n ** 12n - 1n })
const context = fc.array(fc.nat(vocabSize - 1), { minLength: 2, maxLength: 2 })

describe('withMessage', () => {
  test('each position has the code of the base watermark, under its block and the value of that block', () => {
    const named = withMessage(gumbel(), { bits: 12, blocks: 3 })
    const schedule = keySchedule(key, named.domain)
    fc.assert(
      fc.property(message, context, (m, c) => {
        const code = codeAt(named.messages.of(m), schedule, vocabSize, c)
        const candidates = [0, 1, 2].map((block) => {
          const value = Number((m >> BigInt(4 * (2 - block))) & 15n)
          return codeAt(gumbel(), schedule, vocabSize, [...c, 2 ** 31 + 16 * block + value])
        })
        const same = candidates.filter((one) => [0, 5, 127].every((i) => one.at(i) === code.at(i)))
        expect(same).toHaveLength(1)
      }),
    )
  })

  test('the block of a position does not depend on the message', () => {
    const named = withMessage(gumbel(), { bits: 12, blocks: 3 })
    const schedule = keySchedule(key, named.domain)
    const at = (m: bigint, c: readonly number[]): number =>
      codeAt(named.messages.of(m), schedule, vocabSize, c).at(0)
    fc.assert(
      fc.property(message, context, fc.nat(2), fc.integer({ min: 1, max: 15 }), (m, c, block, by) => {
        // flipping one block changes the code exactly where that block has the position
        const flip = (b: number): bigint => m ^ (BigInt(by) << BigInt(4 * (2 - b)))
        const changed = [0, 1, 2].filter((b) => at(flip(b), c) !== at(m, c))
        expect(changed).toHaveLength(1)
        expect(at(flip(block), c) !== at(m, c)).toBe(changed[0] === block)
      }),
    )
  })

  test('all blocks get positions', () => {
    const tokens = writeText(gumbel(), { key, vocabSize, length: 400, seed: 3 })
    const { blocks, scored } = decode(withMessage(gumbel(), { bits: 32 }), tokens, { key, vocabSize })
    expect(blocks.reduce((sum, block) => sum + block.scored, 0)).toBe(scored)
    for (const block of blocks) expect(block.scored).toBeGreaterThan(20)
  })

  test('the base watermark, its id, domain and texts stay as they are', () => {
    const base = gumbel()
    const named = withMessage(base, { bits: 32 })
    expect(base.messages).toBeUndefined()
    expect([base.id, base.domain]).toEqual([gumbel().id, gumbel().domain])
    expect(named.id).toBe('gumbel message(bits=32,blocks=8)')
    expect(named.messages.of(255n).id).toBe('gumbel message(bits=32,blocks=8,message=ff)')
    expect(new Set([base.domain, named.domain, withMessage(base, { bits: 32, blocks: 4 }).domain]).size).toBe(
      3,
    )
  })

  test('blocks are the fewest of equal size and at most 4 bits', () => {
    const blocksOf = (bits: number) => withMessage(gumbel(), { bits }).messages.blocks
    expect([1, 4, 5, 7, 12, 32, 64].map(blocksOf)).toEqual([1, 1, 5, 7, 3, 8, 16])
    expect(withMessage(gumbel(), { bits: 24, blocks: 2 }).messages.blocks).toBe(2)
  })

  test('every shipped watermark with a sum detector carries a message; the others say why not', () => {
    const refused: Record<string, string> = {}
    for (const watermark of shippedWatermarks()) {
      try {
        withMessage(watermark, { bits: 32 })
      } catch (error) {
        refused[watermark.id.split('(')[0]!] = (error as Error).message
      }
    }
    expect(Object.keys(refused).sort()).toEqual([
      'christ',
      'expEdit',
      'itsEdit',
      'prc',
      'sir',
      'unigram',
      'unwatermarked',
      'upv',
    ])
    expect(refused.christ).toMatch(/its detector 'scan' has no sum of scores/)
    expect(refused.itsEdit).toMatch(/its detector 'alignment' has no sum of scores/)
    expect(refused.unigram).toMatch(/gives all positions to one block; use blocks: 1/)
    expect(withMessage(unigram({ delta: 2 }), { bits: 8, blocks: 1 }).messages.blocks).toBe(1)
    expect(() => withMessage(asPublished(gumbel(), 'vllm'), { bits: 8 })).toThrow(RangeError)
    expect(() => withMessage(withMessage(gumbel(), { bits: 8 }), { bits: 8 })).toThrow(/a message already/)
  })

  test('wrong options are refused by name', () => {
    expect(() => withMessage(gumbel(), { bits: 0 })).toThrow(/^bits: expected/)
    expect(() => withMessage(gumbel(), { bits: 32, blocks: 5 })).toThrow(
      /^blocks: expected a divisor of the 32/,
    )
    expect(() => withMessage(gumbel(), { bits: 32, blocks: 2 })).toThrow(
      /^blocks: expected an integer in \[3/,
    )
    expect(() => withMessage(gumbel(), { bits: 8, block: 1 } as never)).toThrow(/did you mean 'blocks'/)
  })
})

describe('a message', () => {
  const named = withMessage(gumbel(), { bits: 32 })
  const read = (watermark: AnyWatermark, m: bigint | string | Uint8Array) =>
    decode(watermark, writeText(watermark, { key, vocabSize, length: 500, message: m, seed: 1 }), {
      key,
      vocabSize,
    })

  test('is bytes, a bigint or text', () => {
    const bytes = Uint8Array.of(0x76, 0x31, 0x2e, 0x32)
    for (const m of [bytes, 0x76312e32n, 'v1.2']) {
      const { message: found, text, detected } = read(named, m)
      expect([found, text, detected]).toEqual([bytes, 'v1.2', true])
    }
  })

  test('ends in zero bytes where it is shorter', () => {
    expect(read(named, 'v2').message).toEqual(Uint8Array.of(0x76, 0x32, 0, 0))
    expect(read(named, 'v2').text).toBe('v2')
    expect(read(named, 5n).message).toEqual(Uint8Array.of(0, 0, 0, 5))
    expect(read(named, 5n).text).toBeUndefined()
  })

  test('of 12 bits has two bytes', () => {
    expect(read(withMessage(gumbel(), { bits: 12 }), 0xabcn).message).toEqual(Uint8Array.of(0x0a, 0xbc))
  })

  test('of 64 bits is decoded from 500 tokens', () => {
    expect(read(withMessage(gumbel(), { bits: 64 }), 'tenant 7').text).toBe('tenant 7')
  })

  test('is read from the tokens that `detect` scores, whatever is left out', () => {
    const text = writeText(named, { key, vocabSize, length: 120, seed: 4 })
    const [prompt, rest] = [text.slice(0, 40), text.slice(40)]
    const excludeContexts = contextSet([rest.slice(0, 30)], named.context)
    for (const [left, scored] of [
      [{}, 78],
      [{ prompt }, 80],
      [{ excludeContexts }, 50],
      [{ prompt, excludeContexts, skip: [rest[60]!] }, undefined],
      [{ end: rest[60]! }, undefined],
    ] as const) {
      const options = { key, vocabSize, ...left }
      const found = decode(named, rest, options)
      expect(found.scored).toBe(detect(named, rest, options).scored)
      if (scored !== undefined) expect(found.scored).toBe(scored)
      expect(found.blocks.reduce((sum, block) => sum + block.scored, 0)).toBe(found.scored)
    }
    expect(() => decode(named, rest, { key, vocabSize, prompt: [vocabSize] })).toThrow(/^prompt\[0\]/)
    const others = contextSet([rest], ngram(1))
    expect(() => decode(named, rest, { key, vocabSize, excludeContexts: others })).toThrow(
      /^excludeContexts: expected/,
    )
  })

  test('that does not fit is refused', () => {
    const embed = (m: unknown) => () => embedder(named, { key, vocabSize, message: m as string })
    expect(embed(2n ** 32n)).toThrow(/^message: expected a number of at least 0 and below 2\^32/)
    expect(embed(-1n)).toThrow(RangeError)
    expect(embed('12345')).toThrow(/^message: expected at most 4 bytes/)
    expect(embed(5)).toThrow(/^message: expected a Uint8Array, a bigint or a string/)
    expect(embed('\ud800')).toThrow(TypeError)
    expect(() => embedder(gumbel(), { key, vocabSize, message: 'v1' })).toThrow(/withMessage\(watermark/)
    expect(() => decode(gumbel(), [1, 2], { key, vocabSize })).toThrow(/withMessage\(gumbel\(\)/)
  })

  test('is decoded where contexts recur and where green lists are drawn without replacement', () => {
    const reused = withMessage(unigram({ delta: 2, context: ngram(1, { repeated: 'reuse' }) }), { bits: 8 })
    expect(read(reused, 0xa5n).message).toEqual(Uint8Array.of(0xa5))
    const one = withMessage(unigram({ delta: 4 }), { bits: 4, blocks: 1 })
    expect(read(one, 9n).message).toEqual(Uint8Array.of(9))
  })
})
