/** Mistakes of watermarks that carry a message. */
import { decode, dipmark, gumbel, type Random, type Watermark, withMessage } from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { sta } from './bases.ts'
import { family, law } from './mutant.ts'

const { mutants, add } = family('messages')

export { mutants as messages }

/** A correct one. */
export const named = (): AnyWatermark => withMessage(gumbel(), { bits: 8 })

/** A family whose watermark of each message is changed. */
function members(
  base: AnyWatermark,
  change: (of: AnyWatermark, message: bigint) => AnyWatermark,
): AnyWatermark {
  const { messages } = withMessage(base, { bits: 2, blocks: 1 })
  const of = (message: unknown): AnyWatermark =>
    change(messages.of(message as bigint), BigInt(message as bigint))
  return { ...of(0n), id: `${base.id} messages`, messages: { ...messages, of } } as AnyWatermark
}

/** Moves `share` of the mass of the second token to the first, or back. */
const tilted =
  (one: AnyWatermark, share: number): Watermark<unknown>['reweight'] =>
  (p, code, q) => {
    one.reweight(p, code, q)
    const moved = share * q[share > 0 ? 1 : 0]!
    q[0]! += moved
    q[1]! -= moved
  }

add(
  'family: unbiased only on average over messages',
  members(dipmark({ alpha: 0.4 }), (one, message) => ({
    ...one,
    choose: undefined,
    orbit: undefined,
    enumerate: undefined,
    fast: undefined,
    reweight: tilted(one, message === 1n ? 0.2 : message === 2n ? -0.2 : 0),
  })),
  [law.everyMessage],
)

/** The chunk of a value takes half of what the other three chunks have. */
add(
  'family: four secret chunks, one for each value',
  members(sta(), (one, message) => ({
    ...one,
    draw: (random: Random) => ({
      ...random,
      uint32: (i: number) => random.uint32(i),
      value: Number(message),
    }),
    reweight(p: Float64Array, code: { uint32(i: number): number; value: number }, q: Float64Array) {
      const inside = (i: number): boolean => code.uint32(i) >>> 30 === code.value
      const mass = p.reduce((sum, share, i) => sum + (inside(i) ? share : 0), 0)
      for (let i = 0; i < p.length; i++)
        q[i] = mass === 0 ? p[i]! : inside(i) ? (p[i]! * (1 + mass)) / (2 * mass) : p[i]! / 2
    },
    choose: undefined,
    orbit: undefined,
    enumerate: undefined,
    fast: undefined,
  })),
  [law.everyMessage],
)

/** Words from another place for every message. */
const moved = (random: Random, by: number): Random => ({
  uint32: (i) => random.uint32(i + by),
  uniform: (i) => random.uniform(i + by),
  fill: (out) => random.fill(out),
})
const base = withMessage(gumbel(), { bits: 8 })
add(
  'family: a position map that depends on the message',
  {
    ...base,
    messages: {
      ...base.messages,
      of: (message) => {
        const one = base.messages.of(message)
        const draw: typeof one.draw = (random, vocabSize, site) =>
          one.draw(moved(random, 1 + Number(message)), vocabSize, site)
        return { ...one, draw }
      },
    },
  } as AnyWatermark,
  [law.decoded],
)
mutants.push({
  family: 'messages',
  name: 'decoder: the smallest of 16 tails without a correction',
  watermark: named(),
  killedBy: [law.noMessage],
  reader: (watermark, tokens, options) => {
    const found = decode(watermark, tokens, options)
    const pValue = Math.min(1, ...found.blocks.map((block) => block.pValue / 16))
    return { ...found, pValue, detected: pValue <= 0.01 }
  },
})
mutants.push({
  family: 'messages',
  name: 'decoder: a certificate of a hundred times as many edits',
  watermark: withMessage(sta(), { bits: 2, blocks: 1 }),
  killedBy: [law.decoded],
  reader: (watermark, tokens, options) => {
    const found = decode(watermark, tokens, options)
    const blocks = found.blocks.map((block) => ({ ...block, edits: 100 * block.edits }))
    return { ...found, blocks, bits: blocks }
  },
})
