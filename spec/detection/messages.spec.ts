/** What messages cost: bits that a text carries, tokens that a message takes: reports/messages.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decode, detect } from '../../src/core/detect/entry.ts'
import { seededRandom } from '../../src/core/keys/index.ts'
import { expectToyKeys } from '../../src/core/keys/short-key.ts'
import { withMessage } from '../../src/core/method/index.ts'
import { clopperPearson } from '../../src/core/stats/entry.ts'
import { replace } from '../../src/text/attacks/entry.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { bimark, gumbel, kgw, mcmark, synthid } from '../../src/watermarks/entry.ts'
import { recordedSteps } from './recorded-steps.ts'
import { Texts, withFreshContexts } from './texts.ts'
import { VOCABULARY, zipf } from './zipf.ts'

expectToyKeys()

const TEXTS = 100
const ALLOWED = 1
const SIZES = [4, 8, 16, 32, 64]
const LENGTHS = [200, 500]
const RATES = [0, 0.1, 0.2, 0.3]
const NATS = [0.5, 2, 4]
const BITS = [8, 32]
const LONGEST = 1000

const watermarks: readonly AnyWatermark[] = [
  gumbel(),
  synthid({ layers: 20 }),
  mcmark({ channels: 20 }),
  bimark({ layers: 10 }),
  kgw({ delta: 2 }),
]
const models = ['uwbench-lm', 'stories15m'].map(recordedSteps)

/** Texts of one message each. */
class MessageTexts {
  readonly #texts: Texts
  readonly #watermark: AnyWatermark
  readonly #messages: bigint[]

  constructor(base: AnyWatermark, bits: number, distributions: readonly Float64Array[]) {
    this.#watermark = withMessage(base, { bits })
    const random = seededRandom('messages', bits)
    this.#messages = Array.from({ length: TEXTS }, () => {
      let message = 0n
      for (let i = 0; i < bits; i += 4) message = message * 16n + BigInt(random.below(16))
      return message
    })
    this.#texts = new Texts(this.#watermark, distributions, TEXTS, this.#messages)
  }

  /** The number of texts of that length that tell their message after an attack; stops where too many do not. */
  async read(length: number, rate: number): Promise<number> {
    const { vocabSize } = this.#texts
    let [right, wrong] = [0, 0]
    for (const [i, { tokens, key }] of this.#texts.upTo(length).entries()) {
      const whole = tokens.slice(0, length)
      const edited =
        rate === 0 ? whole : (await replace({ rate }).apply(whole, { seed: i, vocabSize })).tokens
      const { message } = decode(this.#watermark, edited, { key, vocabSize })
      const value = message.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
      if (value === this.#messages[i]) right++
      else if (++wrong > ALLOWED) break
    }
    return right
  }
}

const carried: string[] = []
test.each(models.flatMap((model) => watermarks.map((one) => [model.model, one.id, model, one] as const)))(
  'bits carried: %s, %s',
  async (name, id, { distributions }, watermark) => {
    const texts = new Map<number, MessageTexts>()
    const most = async (length: number, rate: number): Promise<string> => {
      for (const bits of SIZES.toReversed()) {
        const own = texts.get(bits) ?? new MessageTexts(watermark, bits, distributions)
        texts.set(bits, own)
        const right = await own.read(length, rate)
        if (right < TEXTS - ALLOWED) continue
        const { low, high } = clopperPearson(right, TEXTS)
        return `${bits} [${(100 * low).toFixed(0)}, ${(100 * high).toFixed(0)}]`
      }
      return '-'
    }
    const cells: string[] = []
    for (const length of LENGTHS) for (const rate of RATES) cells.push(await most(length, rate))
    carried.push(`| ${[name, id, ...cells].join(' | ')} |`)
    expect(cells).toHaveLength(LENGTHS.length * RATES.length)
  },
)

/** The smallest length, to a sixteenth, of which all but the allowed texts are found. */
async function needed(isEnough: (length: number) => boolean | Promise<boolean>): Promise<string> {
  let [no, yes] = [0, 8]
  while (!(await isEnough(yes))) {
    if (yes >= LONGEST) return 'beyond'
    no = yes
    yes = Math.min(LONGEST, 2 * yes)
  }
  while (yes - no > Math.max(1, yes / 16)) {
    const middle = Math.floor((no + yes) / 2)
    if (await isEnough(middle)) yes = middle
    else no = middle
  }
  return String(yes)
}

const lengths: string[] = []
test.each(watermarks.map((one) => [one.id, one] as const))('tokens needed: %s', async (id, given) => {
  const watermark = withFreshContexts(given)
  const cells: string[] = []
  for (const nats of NATS) {
    const steps = [zipf(nats)]
    const plain = new Texts(watermark, steps, TEXTS)
    const found = (length: number): boolean => {
      let missed = 0
      return plain.upTo(length).every(({ tokens, key }) => {
        const { pValue } = detect(watermark, tokens.slice(0, length), { key, vocabSize: VOCABULARY })
        return pValue <= 0.01 || ++missed <= ALLOWED
      })
    }
    cells.push(await needed(found))
    for (const bits of BITS) {
      const texts = new MessageTexts(watermark, bits, steps)
      cells.push(await needed(async (length) => (await texts.read(length, 0)) >= TEXTS - ALLOWED))
    }
  }
  lengths.push(`| ${[id, ...cells].join(' | ')} |`)
  expect(cells).toHaveLength(NATS.length * (1 + BITS.length))
})

test('reports/messages.md is what this computes', async () => {
  const head = (cells: readonly string[]): string =>
    `| ${cells.join(' | ')} |\n| ${cells.map(() => '---').join(' | ')} |`
  const attack = (rate: number): string => (rate === 0 ? 'as written' : `Random ${100 * rate}%`)
  const filled: Record<string, string | number> = {
    sizes: SIZES.join(', '),
    texts: TEXTS,
    vocabSize: VOCABULARY,
    longest: LONGEST.toLocaleString('en'),
    settings: models.map(({ model, temperature }) => `${model} at temperature ${temperature}`).join(', '),
    carried: [
      head(['model', 'watermark', ...LENGTHS.flatMap((n) => RATES.map((rate) => `${n}, ${attack(rate)}`))]),
      ...carried,
    ].join('\n'),
    needed: [
      head([
        'watermark',
        ...NATS.flatMap((nats) => [`${nats} nats: no message`, ...BITS.map((b) => `${b} bits`)]),
      ]),
      ...lengths,
    ].join('\n'),
  }
  const intro = readFileSync(new URL('./messages-intro.md', import.meta.url), 'utf8')
  await expect(intro.replace(/\{(\w+)\}/g, (_, name: string) => String(filled[name]))).toMatchFileSnapshot(
    '../../reports/messages.md',
  )
})
