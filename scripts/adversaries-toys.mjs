// The part of reports/adversaries.json that needs no trained model: presence tests and low entropy, on toy models. scripts/adversaries.mjs runs it.
import { detect, parseWatermark } from '../dist/index.js'
import * as attacks from '../dist/text/attacks/index.js'
import { generateMany, markovModel } from '../dist/text/models/entry.js'
import { likelihoodBound } from '../dist/theory/entry.js'
import { spmgVectorTest } from '../dist/theory/spmg-test.js'

const LEVEL = 0.01
/** Independent keys of a cell; power is the share of them under which the mark is found. */
const KEYS = 20
const VOCAB = 50
const keyOf = (i) => `presence key number ${i}`
const settings = (seed) => ({ seed, batchSize: 512, stopTokens: [] })

async function answers(model, requests, method, key, length, seed) {
  const mark = method === 'no mark' ? {} : { watermark: parseWatermark(method), key }
  const all = requests.map((prompt, index) => ({ prompt, index }))
  const texts = await generateMany(model, all, { ...mark, ...settings(seed), maxNewTokens: length })
  return texts.map(({ tokens }) => tokens)
}

/** Questions that a test may ask of the model under suspicion. */
const BUDGETS = [24, 48, 96, 192, 384]
const MOST = BUDGETS.at(-1) / 24

/** Question n: six first tokens, four second tokens, of which the model sees neither, and one last token. */
const questions = Array.from({ length: 24 * MOST }, (_, n) => [n % 6, Math.floor(n / 6) % 4, 7])

/** Answers of the first `each` rounds: `cells[stratum][label]`. */
function split(tokens, each) {
  const cells = Array.from({ length: 6 }, () => Array.from({ length: 4 }, () => []))
  for (let n = 0; n < 24 * each; n++) cells[n % 6][Math.floor(n / 6) % 4].push(tokens[n][0])
  return cells
}

const oneHot = (token) => Array.from({ length: VOCAB }, (_, t) => Number(t === token))

/** The p-value of each test with `queries` questions; undefined where the test cannot be run with so few. */
const tests = {
  'red-green': ({ marked }, queries, seed) =>
    attacks.redGreenTest(split(marked, queries / 24), { seed, runs: 199 }).pValue,
  // the same question again; two answers of twelve tokens of an unmarked model agree with probability below 1e-6
  'fixed sampling': ({ same }, queries) =>
    attacks.fixedSamplingTest(same.slice(0, queries), { collision: 1e-6 }).pValue,
  // a model that marks a context only once: half of the questions come first, half again
  cache: ({ marked, plain }, queries, seed) => {
    const [first, again] = [marked, plain].map((list) => split(list, queries / 48).flat())
    return attacks.cacheTest(first, again, { seed, runs: 199 }).pValue
  },
  // with the unmarked model at hand, asked as often, and once more as its own clone
  DetWmk: ({ marked, plain, clone }, queries, seed) => {
    const [m, t, c] = [plain, marked, clone].map((list) =>
      split(list, queries / 24).flatMap((labels) => labels.map((tokens) => tokens.map(oneHot))),
    )
    return spmgVectorTest(m, t, c, { seed, runs: 199 }).pValue
  },
}

const PRESENT = [
  'no mark',
  'unigram(delta=2)',
  'kgw(delta=2)',
  'dipmark(alpha=0.4)',
  'synthid(layers=20)',
  'gumbel',
  'expEdit(keyLength=256)',
]

export async function presence(cell, has) {
  const model = markovModel({ vocabSize: VOCAB, entropy: 2.5 })
  const again = Array.from({ length: BUDGETS.at(-1) }, () => [1, 2, 3])
  for (const method of PRESENT) {
    const facts = (test) => ({ stage: 'presence', model: model.id, method, test })
    if (Object.keys(tests).every((test) => has(Object.values(facts(test)).join(' | ')))) continue
    const found = []
    for (let i = 0; i < KEYS; i++)
      found.push({
        marked: await answers(model, questions, method, keyOf(i), 1, `marked ${i}`),
        plain: await answers(model, questions, 'no mark', '', 1, `plain ${i}`),
        clone: await answers(model, questions, 'no mark', '', 1, `clone ${i}`),
        same: await answers(model, again, method, keyOf(i), 12, `same ${i}`),
      })
    for (const [test, pValue] of Object.entries(tests))
      await cell(facts(test), async () => {
        const budgets = BUDGETS.filter((queries) => test !== 'cache' || queries >= 48)
        const powers = budgets.map(
          (queries) => found.filter((one, i) => pValue(one, queries, i) <= LEVEL).length,
        )
        return { count: KEYS, hits: powers.at(-1), budgets, powers, level: LEVEL }
      })
  }
}

/** Shapes of text: of `period` tokens, the first `fixed` are certain, as the bullets of a list or the syntax of code are. */
const SHAPES = {
  prose: { length: 100, fixed: 0, period: 1 },
  'short answer': { length: 20, fixed: 0, period: 1 },
  list: { length: 100, fixed: 2, period: 4 },
  'code-like': { length: 100, fixed: 6, period: 8 },
}

const NEVER = -1e4

/** A model that writes a shape; free tokens have one distribution, so that the ceiling is exact for each of them. */
async function shapedModel({ fixed, period }, entropy) {
  const base = markovModel({ vocabSize: VOCAB, entropy, order: 0 })
  const vocabSize = VOCAB + fixed
  const free = Float32Array.from({ length: vocabSize }, () => NEVER)
  free.set((await base.begin([[0]])).logits)
  const certain = Array.from({ length: fixed }, (_, j) =>
    Float32Array.from({ length: vocabSize }, (_, t) => (t === VOCAB + j ? 0 : NEVER)),
  )
  const session = (rows, at) => {
    const row = certain[at % period] ?? free
    const logits = new Float32Array(rows * vocabSize)
    for (let r = 0; r < rows; r++) logits.set(row, r * vocabSize)
    return {
      ...{ rows, logits },
      async step() {
        this.logits = session(this.rows, ++at).logits
      },
      async select(kept) {
        this.rows = kept.length
        this.logits = session(kept.length, at).logits
      },
      async dispose() {},
    }
  }
  const masses = Float64Array.from(free.subarray(0, VOCAB), Math.exp)
  const total = masses.reduce((sum, x) => sum + x, 0)
  const begin = async (prompts) => session(prompts.length, 0)
  return { model: { ...base, id: 'shapes', vocabSize, begin }, law: masses.map((x) => x / total) }
}

/** The most power, in steps of a hundredth, that a test of level 1% which knows the key and the distribution has with n free tokens. */
function ceiling(watermark, law, n) {
  let [low, high] = [1, 100]
  while (high - low > 1) {
    const power = Math.floor((low + high) / 2)
    const reached = likelihoodBound(watermark, law, LEVEL, power / 100).tokens <= n
    if (reached) low = power
    else high = power
  }
  return high / 100
}

const ANSWERED = 40
const LOW = ['kgw(delta=2)', 'dipmark(alpha=0.4)', 'synthid(layers=20)', 'gumbel']

export async function entropy(cell) {
  for (const nats of [2, 0.3])
    for (const [shape, sizes] of Object.entries(SHAPES)) {
      const { model, law } = await shapedModel(sizes, nats)
      const free = (sizes.length * (sizes.period - sizes.fixed)) / sizes.period
      for (const method of LOW)
        await cell({ stage: 'entropy', model: 'shapes', method, shape, nats }, async () => {
          const watermark = parseWatermark(method)
          let hits = 0
          for (let i = 0; i < ANSWERED; i++) {
            const [text] = await answers(model, [[i, 1, 2, 3]], method, keyOf(i), sizes.length, i)
            const { pValue } = detect(watermark, text, { key: keyOf(i), vocabSize: model.vocabSize })
            if (pValue <= LEVEL) hits++
          }
          const perToken = Number(((nats * free) / sizes.length).toPrecision(3))
          return {
            count: ANSWERED,
            hits,
            length: sizes.length,
            perToken,
            ceiling: ceiling(watermark, law, free),
          }
        })
    }
}
