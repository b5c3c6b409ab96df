// Computes reports/adversaries.json, which spec/attacks/report.spec.ts turns into reports/adversaries.md. Each cell is saved when it is done, and a
// rerun computes only those that are missing: node scripts/adversaries.mjs [MODEL|toys [STAGE...]]. Needs the built package (npm run build) and, the first
// time, the texts of scripts/adversaries-texts.mjs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { detectMany, parseWatermark } from '../dist/index.js'
import * as attacks from '../dist/text/attacks/index.js'
import { embeddedDataset } from '../dist/text/datasets/embedded.js'
import { generateMany, loadModel } from '../dist/text/models/index.js'
import { certifiedDecisionRadius } from '../dist/theory/entry.js'
import { HELD_OUT, key, LENGTH, methods, prompts, readTexts, sources, textsOf } from './adversaries-texts.mjs'
import { entropy, presence } from './adversaries-toys.mjs'

const file = process.env.ADVERSARIES_OUT ?? new URL('../reports/adversaries.json', import.meta.url)
const cells = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
const has = (id) => cells.some((one) => one.id === id)

async function cell(facts, compute) {
  const id = Object.values(facts).join(' | ')
  if (has(id)) return
  cells.push({ id, ...facts, ...(await compute()) })
  writeFileSync(file, `[\n${cells.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`)
  console.log(Math.round(process.cpuUsage().user / 1e6), 's', id)
}

const rounded = (x, digits = 4) => Number(x.toPrecision(digits))
const average = (list) => list.reduce((sum, x) => sum + x, 0) / list.length
const isAligned = (method) => method.startsWith('expEdit')

/** A model with everything that attackers and the owner have. */
async function world(source) {
  const model = await loadModel(source.name, { threads: 1 })
  const { examples } = await embeddedDataset(source.data)
  const held = prompts(model, examples.slice(0, HELD_OUT), HELD_OUT)
  const { vocabSize, tokenizer, endTokens } = model
  const logP = (method, texts, alpha = 1e-3) =>
    detectMany(parseWatermark(method), texts, { key, vocabSize, alpha }).map((found) => found.logPValue)
  const perplexity = async (texts) => {
    const rows = await model.logLikelihood(texts.map((tokens, i) => ({ prompt: held[i], tokens })))
    return rounded(Math.exp(-average(rows.flatMap((row) => Array.from(row, (x) => Math.max(x, -20))))))
  }
  const options = (i, round) => ({
    ...{ seed: i + HELD_OUT * (round - 1), vocabSize, exclude: endTokens },
    ...{ prompt: held[i], tokenizer },
  })
  /** Attacks texts; in every round with other random numbers, or it would draw the same places and tokens again. */
  const apply = async (attack, texts, round = 1) => {
    const all = texts.map((tokens, i) => ({ tokens, options: options(i, round) }))
    if (attack.applyAll) return attack.applyAll(all)
    const done = []
    for (const one of all) done.push(await attack.apply(one.tokens, one.options))
    return done
  }
  return { source, model, held, vocabSize, tokenizer, logP, perplexity, options, apply }
}

const below = (list, level) => list.filter((x) => x <= Math.log(level)).length
const SPOOFS = { embedded: 40, stories15m: 10 }
const widthOf = (method) => (method.startsWith('unigram') ? 0 : 2)

function stolenOf({ model, vocabSize }, method, n, estimate = 'ratio') {
  const marked = readTexts(model.id, method, n)
  const reference = readTexts(model.id, 'unmarked', n)
  return attacks.steal(marked, { vocabSize, reference, width: widthOf(method), estimate })
}

/** Writes texts without the key; success: p below 1e-3 under the key. */
async function spoof(w, method, n, estimate, strength = 1) {
  const { source, model, held, logP, perplexity } = w
  const count = isAligned(method) ? 10 : SPOOFS[source.name]
  await cell({ stage: 'spoof', model: model.id, method, n, estimate, strength }, async () => {
    const watermark = attacks.stolenWatermark(stolenOf(w, method, n, estimate), { strength })
    const requests = held.slice(0, count).map((prompt, index) => ({ prompt, index }))
    const { temperature } = source
    const options = {
      watermark,
      key: 'the forger has no key',
      temperature,
      maxNewTokens: LENGTH,
      stopTokens: [],
    }
    const texts = await generateMany(model, requests, { ...options, seed: 'spoof', batchSize: count })
    const tokens = texts.map((text) => text.tokens)
    const marked = readTexts(model.id, `${method} held`, count)
    const plain = readTexts(model.id, 'unmarked held', count)
    const [p, own] = [logP(method, tokens), logP(method, marked)]
    const quality = [await perplexity(tokens), await perplexity(marked), await perplexity(plain)]
    const [ppl, pplMarked, pplUnmarked] = quality
    return { count, hits: below(p, 1e-3), ownHits: below(own, 1e-3), ppl, pplMarked, pplUnmarked }
  })
}

/** Edits marked texts without the key; success: p above 1%. Beside it the same share rewritten at random places. */
async function scrub(w, method, n, share) {
  const { source, model, logP, perplexity, apply } = w
  const count = isAligned(method) ? 10 : HELD_OUT
  await cell({ stage: 'scrub', model: model.id, method, n, share }, async () => {
    const marked = readTexts(model.id, `${method} held`, count)
    const { temperature } = source
    const sampling = { temperature, batchSize: count }
    const after = await apply(attacks.scrub(model, stolenOf(w, method, n), { share, ...sampling }), marked)
    const rewritten = await apply(attacks.rewrite(model, { strength: share, span: 1, ...sampling }), marked)
    const own = count - below(logP(method, marked, 0.01), 0.01)
    const tokens = after.map((one) => one.tokens)
    const others = rewritten.map((one) => one.tokens)
    return {
      count,
      hits: count - below(logP(method, tokens, 0.01), 0.01),
      missed: own,
      random: count - below(logP(method, others, 0.01), 0.01),
      edits: rounded(average(after.map(({ distance }) => distance))),
      randomEdits: rounded(average(rewritten.map(({ distance }) => distance))),
      ppl: await perplexity(tokens),
      pplRandom: await perplexity(others),
      pplMarked: await perplexity(marked),
    }
  })
}

const EDITS = [
  'none',
  'retokenise',
  'case(rate=1)',
  'whitespace(rate=0.1)',
  'punctuation(rate=1)',
  'unicode(rate=1)',
  'markdown(rate=1)',
  'typos(rate=0.05)',
  'homoglyphs(rate=0.05)',
  'zeroWidth(rate=0.05)',
  'negate(rate=1)',
]

/** Loss of evidence by edits of characters, with and without normalising. */
async function characters(w, method) {
  const { model, logP, apply, tokenizer, vocabSize } = w
  for (const attack of EDITS)
    await cell({ stage: 'characters', model: model.id, method, attack }, async () => {
      const marked = readTexts(model.id, `${method} held`, HELD_OUT)
      const after = await apply(attacks.parseAttack(attack), marked)
      const tokens = after.map((one) => one.tokens)
      const again = tokens.map((text) => tokenizer.encode(attacks.normalise(tokenizer.decode(text))))
      const [before, p, normalised] = [marked, tokens, again].map((texts) => logP(method, texts, 0.01))
      const kept = (list) => rounded(average(list) / average(before))
      const certified = { watermark: parseWatermark(method), options: { key, vocabSize, alpha: 0.01 } }
      const radius = (text) => {
        const found = certifiedDecisionRadius(certified.watermark, text, certified.options)
        return found.applicable ? found.radius : null
      }
      const radii = attack.startsWith('negate') ? marked.map(radius) : []
      return {
        count: HELD_OUT,
        hits: below(p, 0.01),
        normalised: below(normalised, 0.01),
        kept: kept(p),
        keptNormalised: kept(normalised),
        edits: rounded(average(after.map(({ distance }) => distance))),
        ...(radii.length > 0 && radii[0] !== null && { radius: rounded(average(radii)) }),
      }
    })
}

const ASKED = 10
const BUDGET = 1000

/** Proposals of a bigram model that the attacker counted from unmarked texts. */
function bigrams(texts) {
  const after = new Map()
  for (const text of texts)
    for (let t = 1; t < text.length; t++) {
      if (!after.has(text[t - 1])) after.set(text[t - 1], [])
      after.get(text[t - 1]).push(text[t])
    }
  return (tokens, at, stream) => {
    const next = after.get(tokens[at - 1]) ?? texts[0]
    return next[stream.below(next.length)]
  }
}

async function oracles(w, method) {
  const { model, vocabSize, logP, perplexity } = w
  const propose = bigrams(readTexts(model.id, 'unmarked', 300))
  const marked = readTexts(model.id, `${method} held`, ASKED)
  const plain = readTexts(model.id, 'unmarked held', ASKED)
  const pValue = (tokens) => Math.exp(logP(method, [tokens], 0.01)[0])
  const decision = (tokens) => pValue(tokens) <= 0.01
  for (const [goal, answers] of ['remove', 'forge'].flatMap((goal) => [
    [goal, 'p-values'],
    [goal, 'decisions'],
  ]))
    await cell({ stage: 'oracle', model: model.id, method, goal, answers }, async () => {
      const found = []
      for (let i = 0; i < ASKED; i++) {
        const options = { budget: BUDGET, vocabSize, seed: i, propose }
        const oracle = answers === 'p-values' ? pValue : decision
        const from = goal === 'forge' && answers === 'decisions' ? { from: marked[i] } : {}
        found.push(
          goal === 'remove'
            ? await attacks.oracleRemove(marked[i], oracle, options)
            : await attacks.oracleForge(plain[i], oracle, { ...options, ...from }),
        )
      }
      return {
        count: ASKED,
        budget: BUDGET,
        hits: found.filter(({ success }) => success).length,
        queries: found.map(({ queries }) => queries),
        edits: found.map(({ distance }) => distance),
        ppl: await perplexity(found.map(({ tokens }) => tokens)),
        pplBefore: await perplexity(goal === 'remove' ? marked : plain),
      }
    })
}

/** The same rewriting again and again, with the quality of every round. */
async function recursive(w, method) {
  const { source, model, logP, perplexity, apply } = w
  if ([1, 2, 3].every((round) => has(`recursive | ${model.id} | ${method} | ${round}`))) return
  let texts = readTexts(model.id, `${method} held`, HELD_OUT)
  const first = texts
  for (const round of [1, 2, 3]) {
    const { temperature } = source
    const attack = attacks.rewrite(model, { strength: 0.2, span: 5, temperature, batchSize: HELD_OUT })
    texts = (await apply(attack, texts, round)).map(({ tokens }) => tokens)
    await cell({ stage: 'recursive', model: model.id, method, round }, async () => ({
      count: HELD_OUT,
      hits: HELD_OUT - below(logP(method, texts, 0.01), 0.01),
      edits: rounded(average(texts.map((tokens, i) => attacks.editDistance(first[i], tokens)))),
      triples: rounded(average(texts.map((tokens, i) => attacks.survivingNgrams(first[i], tokens)))),
      ppl: await perplexity(texts),
      pplMarked: await perplexity(first),
    }))
  }
}

/** A text under one mark whose end is written anew under a second mark: which of the two are detected? */
async function collision(w, method, second, share) {
  const { source, model, held, logP, perplexity, vocabSize } = w
  await cell({ stage: 'collision', model: model.id, method, second, share }, async () => {
    const marked = readTexts(model.id, `${method} held`, HELD_OUT)
    const kept = Math.round(LENGTH * (1 - share))
    const requests = marked.map((text, index) => ({
      prompt: [...held[index], ...text.slice(0, kept)],
      index,
    }))
    const [other, watermark] = ['the key of the second mark', parseWatermark(second)]
    const sampling = { temperature: source.temperature, batchSize: HELD_OUT, seed: 'collision' }
    const ends = await generateMany(model, requests, {
      ...{ ...sampling, watermark, key: other, maxNewTokens: LENGTH - kept, stopTokens: [] },
    })
    const texts = marked.map((text, i) => [...text.slice(0, kept), ...ends[i].tokens])
    const first = logP(method, texts, 0.01).map((x) => x <= Math.log(0.01))
    const found = detectMany(watermark, texts, { key: other, vocabSize, alpha: 0.01 })
    const last = found.map(({ logPValue }) => logPValue <= Math.log(0.01))
    return {
      count: HELD_OUT,
      hits: first.filter((yes, i) => yes && last[i]).length,
      first: first.filter(Boolean).length,
      last: last.filter(Boolean).length,
      ppl: await perplexity(texts),
      pplMarked: await perplexity(marked),
    }
  })
}

const fast = methods.filter((method) => !isAligned(method))

/** Stages by name; each is a few minutes of one core at most. */
const stages = {
  async spoof(w) {
    for (const n of [3000, 300, 1000, 100, 30])
      for (const method of methods)
        if (n <= textsOf(w.source, method) && !(isAligned(method) && n < 300))
          await spoof(w, method, n, 'ratio')
  },
  async strong(w) {
    for (const n of [1000, 3000, 300, 100, 30])
      for (const method of methods)
        if (n <= textsOf(w.source, method) && !(isAligned(method) && n < 300))
          await spoof(w, method, n, 'ratio', 4)
  },
  async argmax(w) {
    for (const method of fast) await spoof(w, method, Math.min(1000, w.source.texts), 'argmax')
  },
  async scrub(w) {
    for (const method of methods) {
      const n = Math.min(1000, textsOf(w.source, method))
      await scrub(w, method, n, 0.3)
    }
  },
  async characters(w) {
    for (const method of fast) await characters(w, method)
  },
  async oracle(w) {
    for (const method of fast) await oracles(w, method)
  },
  async recursive(w) {
    for (const method of fast) await recursive(w, method)
  },
  async collision(w) {
    for (const share of [0.25, 0.5, 0.75])
      for (const [method, second] of [
        ['gumbel', 'gumbel'],
        ['synthid(layers=20)', 'gumbel'],
        ['kgw(delta=2)', 'kgw(delta=2)'],
      ])
        await collision(w, method, second, share)
  },
}

/** Stages on toy models: node scripts/adversaries.mjs toys [STAGE...] */
const toys = { presence, entropy }

const [asked, ...chosen] = process.argv.slice(2)
if (asked === undefined || asked === 'toys')
  for (const [name, run] of Object.entries(toys))
    if (chosen.length === 0 || chosen.includes(name)) await run(cell, has)
for (const source of sources) {
  if (asked !== undefined && asked !== source.name) continue
  const w = await world(source)
  for (const [name, run] of Object.entries(stages))
    if (chosen.length === 0 || chosen.includes(name)) await run(w)
  await w.model.dispose()
}
