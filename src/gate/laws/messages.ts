/** Laws about watermarks that carry a message. */
import { type Decoded, decode } from '../../core/detect/index.ts'
import { type Stream, seededRandom } from '../../core/keys/index.ts'
import { superUniform } from '../../core/stats/index.ts'
import type { MessageFamily, Watermark } from '../../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import { averageOf, isAverageable, membersFor, mustEqual } from './average.ts'
import { codesOf, contextsOf, oneCode, randomTokens, secretKey } from './codes.ts'
import { powerPlan } from './engine/power-test.ts'
import { fc } from './fast-check.ts'
import { forAll, SAMPLED_SHRINKS } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { generated } from './iid-texts.ts'
import { defineLaw, type Finding, type Law, notApplicable, sampledEvidence, type Trial } from './law.ts'
import { ALPHA } from './power.ts'
import { KeysTrial } from './tally.ts'

const NO_MESSAGE = notApplicable('carries no message')

/** Distributions that are tried first. */
const shapes: readonly number[][] = [
  [1, 3],
  [12, 1],
  [27, 1, 1, 1],
]

/** Generated distributions and messages after those. */
const GENERATED = { quick: 0, usual: 2, thorough: 8 } as const

const messageOf = ({ bits }: Pick<MessageFamily<unknown>, 'bits'>) =>
  fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })

/** Returns the watermark that laws on texts are about: where there are messages, the watermark of one drawn by the seed of the trial. */
export function memberOf<Code>(watermark: Watermark<Code>, { seed }: Pick<Trial, 'seed'>): Watermark<Code> {
  const { messages } = watermark
  return messages === undefined
    ? watermark
    : messages.of(fc.sample(messageOf(messages), { numRuns: 1, seed })[0]!)
}

/** Checks that the average over the orbit of a code is p, exactly, where the watermark of a message has an orbit. */
function exactly<Code>(one: Watermark<Code>, p: Float64Array, keys: number): void {
  if (one.orbit === undefined || !isAverageable(one, p, keys, MAX_ORBIT)) return
  const code = oneCode(one, keys, p.length)
  mustEqual(averageOf(one, membersFor(one, code, p), p), p, 'the average of q over the orbit')
}

/** The most members of an orbit that is averaged. */
const MAX_ORBIT = 2 ** 12

/**
 * The mean of q over keys is p for each fixed message: a family whose biases cancel between messages is rejected, since a deployment
 * writes one message for a long time.
 */
export const unbiasedForMessagesLaw = defineLaw(
  {
    name: 'unbiased for every message',
    statement: 'for every fixed message, over random secret keys the mean of q equals p',
    sampled: true,
  },
  async (watermark, trial) => {
    const { messages } = watermark
    if (messages === undefined) return NO_MESSAGE
    if (!watermark.unbiased) return notApplicable('declared biased')
    // each shape with two messages that differ in every bit; few bits have all their messages tried
    const all = (1n << BigInt(messages.bits)) - 1n
    const [first] = fc.sample(messageOf(messages), { numRuns: 1, seed: trial.seed })
    const examples = shapes.flatMap((w, i) =>
      [(first! + BigInt(i)) & all, ((first! + BigInt(i)) & all) ^ all].map((message) => ({
        w: [...w],
        keys: trial.seed + i,
        message,
      })),
    )
    const runs = examples.length + GENERATED[trial.effort]
    const trials = new KeysTrial(trial, runs)
    const found = await forAll(
      trial,
      {
        arbitrary: fc.record({
          w: weights({ maxWeight: 1000 }),
          keys: keySeed(),
          message: messageOf(messages),
        }),
        examples,
        runs,
        shrinks: SAMPLED_SHRINKS,
        show: ({ w, message }) => ({ p: fractions(w), also: `message ${message}n` }),
      },
      ({ w, keys, message }) => {
        const [one, p] = [messages.of(message), probabilities(w)]
        exactly(one, p, keys)
        return trials.test(one, p, keys)
      },
    )
    return trials.result(found, [])
  },
)

/** Reads the message of a text: `decode`, or a wrong one in a test of the law. */
export type MessageReader = typeof decode

/** Texts in which a message must be decoded: of the uniform distribution over 64 tokens. */
const LENGTHS = [600, 2400]
const VOCAB = 64
const POWER = 1 / 4

/** Unmarked texts of each kind, and their length. */
const UNMARKED = { texts: 500, length: 60 }

/** Kinds of unmarked text: each token any, few tokens that recur, and a loop. */
const kinds: Readonly<Record<string, (random: Stream) => number[]>> = {
  random: (random) => [...randomTokens(VOCAB, UNMARKED.length, random)],
  repetitive: (random) => Array.from({ length: UNMARKED.length }, () => random.below(1 + random.below(6))),
  looping: (random) => {
    const loop = Array.from({ length: 3 + random.below(8) }, () => random.below(VOCAB))
    return Array.from({ length: UNMARKED.length }, (_, t) => loop[t % loop.length]!)
  },
}

/** The error rates of one of the tests of unmarked text: the text and a block, of each kind. */
const unmarkedRates = ({ falseAlarm, miss }: Pick<Trial, 'falseAlarm' | 'miss'>) => ({
  falseAlarm: falseAlarm / (2 * Object.keys(kinds).length),
  miss,
})

/** Returns the smallest excess of P(p <= 5%) above 5% that one of these tests is certain to see. */
export function unmarkedExcess(trial: Pick<Trial, 'falseAlarm' | 'miss'>): number {
  const [{ smallestRate, level } = { smallestRate: 1, level: 0 }] = superUniform(
    new Array<number>(UNMARKED.texts).fill(1),
    unmarkedRates(trial),
  ).levels
  return smallestRate - level
}

/** Makes the law about unmarked text of a reader. */
export const noMessageInUnmarkedText = (read: MessageReader): Law =>
  defineLaw(
    {
      name: 'no message in unmarked text',
      statement:
        'random, repetitive and looping text without the mark has a p-value of at most a with probability at most a, and so has every block',
      sampled: true,
    },
    async (watermark, trial): Promise<Finding> => {
      if (watermark.messages === undefined) return NO_MESSAGE
      const rates = unmarkedRates(trial)
      const evidence = sampledEvidence(trial, {
        keys: UNMARKED.texts * Object.keys(kinds).length,
        smallestBias: unmarkedExcess(trial),
        observedBias: 0,
      })
      for (const [kind, textOf] of Object.entries(kinds)) {
        const decoded: Decoded[] = []
        for (let i = 0; i < UNMARKED.texts; i++) {
          const tokens = textOf(seededRandom(trial.seed, 'unmarked', kind, i))
          decoded.push(read(watermark, tokens, { key: secretKey(trial.seed, i), vocabSize: VOCAB }))
          await trial.breathe()
        }
        const all = { text: decoded.map(({ pValue }) => pValue), block: decoded.map(firstBlock) }
        for (const [what, pValues] of Object.entries(all)) {
          const { holds, levels } = superUniform(pValues, rates)
          if (holds) continue
          const { level, count } = levels.find((one) => !one.holds)!
          const detail = `${count} of ${pValues.length} ${kind} unmarked texts have a p-value of the ${what} of at most ${level}`
          const also = `texts of ${UNMARKED.length} tokens over ${VOCAB}`
          return { verdict: 'fails', detail, evidence, counterexample: { also, path: '' } }
        }
      }
      return { verdict: 'holds', detail: `${Object.keys(kinds).join(', ')} texts`, evidence }
    },
  )

const firstBlock = ({ blocks }: Decoded): number => blocks[0]!.pValue

/** The law of `decode` on unmarked text. */
export const noMessageInUnmarkedTextLaw: Law = noMessageInUnmarkedText(decode)

/** Keys and contexts at which one block after the other is changed. */
const [MAP_KEYS, MAP_CONTEXTS] = [16, 8]

/** Checks that the code of each position depends on one block: the position map is the same for all messages. */
function mapProblem<Code>(watermark: Watermark<Code>, trial: Trial): string | undefined {
  const { bits, blocks, of } = watermark.messages!
  const width = bits / blocks
  const [message] = fc.sample(messageOf({ bits }), { numRuns: 1, seed: trial.seed })
  const contexts = contextsOf(watermark, VOCAB, MAP_CONTEXTS, seededRandom(trial.seed, 'message map'))
  for (let k = 0; k < MAP_KEYS; k++) {
    const scoresOf = (m: bigint): string[] => {
      const one = of(m)
      return codesOf(one, secretKey(trial.seed, k), VOCAB, contexts).map((code) =>
        Array.from({ length: VOCAB }, (_, token) => one.score(token, code)).join(),
      )
    }
    const own = scoresOf(message!)
    const flipped = Array.from({ length: blocks }, (_, b) => scoresOf(message! ^ (1n << BigInt(b * width))))
    for (const [c, scores] of own.entries()) {
      const moving = flipped.filter((other) => other[c] !== scores).length
      if (moving > 1)
        return `the code after ${contexts[c]} depends on ${moving} blocks of the message, expected one`
    }
  }
  return undefined
}

/** Edits a text at random, as often as the certificate of a block allows, and says where the block has another value then. */
function brokenCertificate(
  tokens: readonly number[],
  { blocks }: Decoded,
  random: Stream,
  again: (tokens: number[]) => Decoded,
): string | undefined {
  for (const [b, { edits, value }] of blocks.entries()) {
    if (edits === 0) continue
    const edited = [...tokens]
    for (let e = 0; e < edits; e++) {
      const kind = random.below(3)
      const token = random.below(VOCAB)
      edited.splice(random.below(edited.length), kind === 0 ? 0 : 1, ...(kind === 1 ? [] : [token]))
    }
    if (again(edited).blocks[b]!.value !== value)
      return `block ${b} is certified against ${edits} edits, and has another value after them`
  }
  return undefined
}

/** Counts texts whose message is detected at 1% and read without a mistake, at the first length with enough of them. */
async function readTexts<Code>(
  watermark: Watermark<Code>,
  read: MessageReader,
  trial: Trial,
  plan: ReturnType<typeof powerPlan>,
): Promise<{ right: number; texts: number; length: number; broken: string | undefined }> {
  const messages = watermark.messages!
  let last = { right: 0, texts: 0, length: 0 }
  let broken: string | undefined
  for (const length of LENGTHS) {
    let [right, texts] = [0, 0]
    const drawn = fc.sample(messageOf(messages), { numRuns: plan.texts, seed: trial.seed })
    while (texts < plan.texts && right < plan.needed && right + plan.texts - texts >= plan.needed) {
      const key = secretKey(trial.seed, length * 1000 + texts)
      const message = drawn[texts++]!
      const tokens = generated(messages.of(message), VOCAB, length, key)
      const found = read(watermark, tokens, { key, vocabSize: VOCAB, alpha: ALPHA })
      const value = found.message.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
      if (found.detected && value === message) right++
      broken ??= brokenCertificate(tokens, found, seededRandom(trial.seed, 'edits', texts), (edited) =>
        read(watermark, edited, { key, vocabSize: VOCAB }),
      )
      await trial.breathe()
    }
    last = { right, texts, length }
    if (right >= plan.needed) break
  }
  return { ...last, broken }
}

/** Makes the law of a reader. */
export const messageIsDecoded = (read: MessageReader): Law =>
  defineLaw(
    {
      name: 'a message is decoded',
      statement:
        'each position speaks for one block, long texts tell their message, and a block keeps its value after as many edits as it is certified for',
      sampled: true,
    },
    async (watermark, trial): Promise<Finding> => {
      if (watermark.messages === undefined) return NO_MESSAGE
      const rates = { falseAlarm: trial.falseAlarm, miss: trial.miss / LENGTHS.length }
      const plan = powerPlan(ALPHA, rates, POWER)
      const { right, texts: keys, length, broken } = await readTexts(watermark, read, trial, plan)
      const problem = mapProblem(watermark, trial) ?? broken
      const evidence = sampledEvidence(trial, { keys, smallestBias: POWER, observedBias: right / keys })
      const detail = `${right} of ${keys} messages read from texts of ${length} tokens; bias: power`
      if (problem === undefined && right >= plan.needed) return { verdict: 'holds', detail, evidence }
      const why =
        problem ?? `${detail}: fewer than ${plan.needed} of ${plan.texts} are detected at 1% and right`
      const also = `texts over ${VOCAB} tokens, all with the same probability`
      return { verdict: 'fails', detail: why, evidence, counterexample: { also, path: '' } }
    },
  )

/** The law of `decode`. */
export const messageIsDecodedLaw: Law = messageIsDecoded(decode)
