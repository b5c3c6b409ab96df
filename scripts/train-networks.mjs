// Trains the networks of upv() and sir() and writes them, with weights of 8 bits, to src/watermarks/mechanisms/upv-network.ts and sir-network.ts; what was measured on the way goes to
// reports/learned-lists.json, from which spec/watermarks/learned-lists.spec.ts writes the report. Plain JavaScript, some minutes on one core: node scripts/train-networks.mjs [upv] [sir].
// Needs the built package (npm run build) and, for sir, the encoder MiniLM, fetched at first use. MiniLM rounds differently on another processor; training then ends with other weights of the same kind.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { seededRandom } from '../dist/core/keys/index.js'
import { sirEmbedding } from '../dist/watermarks/mechanisms/sir-embedding.js'

const REPORT = new URL('../reports/learned-lists.json', import.meta.url)

/** A standard normal number. */
const normal = (random) =>
  Math.sqrt(-2 * Math.log(random.uniform())) * Math.cos(2 * Math.PI * random.uniform())

/** A fully connected layer with its gradients and Adam's moments; weights row after row, then biases. */
function dense(inputs, outputs, random) {
  const size = (inputs + 1) * outputs
  const weights = new Float64Array(size)
  for (let i = 0; i < inputs * outputs; i++) weights[i] = normal(random) * Math.sqrt(2 / inputs)
  return {
    inputs,
    outputs,
    weights,
    gradient: new Float64Array(size),
    m: new Float64Array(size),
    v: new Float64Array(size),
  }
}

function forward({ inputs, outputs, weights }, x) {
  const out = new Float64Array(outputs)
  for (let o = 0, at = 0; o < outputs; o++) {
    let sum = weights[inputs * outputs + o]
    for (let i = 0; i < inputs; i++) sum += weights[at++] * x[i]
    out[o] = sum
  }
  return out
}

/** Adds to the gradient; returns the gradient of x. */
function backward({ inputs, outputs, weights, gradient }, x, dOut) {
  const dx = new Float64Array(inputs)
  for (let o = 0; o < outputs; o++) {
    const d = dOut[o]
    if (d === 0) continue
    gradient[inputs * outputs + o] += d
    const at = o * inputs
    for (let i = 0; i < inputs; i++) {
      gradient[at + i] += d * x[i]
      dx[i] += d * weights[at + i]
    }
  }
  return dx
}

let steps = 0
function adam(layers, rate, decay = 0) {
  steps++
  const [a, b] = [1 - 0.9 ** steps, 1 - 0.999 ** steps]
  for (const { weights, gradient, m, v } of layers) {
    for (let i = 0; i < weights.length; i++) {
      const g = gradient[i]
      m[i] = 0.9 * m[i] + 0.1 * g
      v[i] = 0.999 * v[i] + 0.001 * g * g
      weights[i] -= rate * (m[i] / a / (Math.sqrt(v[i] / b) + 1e-8) + decay * weights[i])
    }
    gradient.fill(0)
  }
}

const relu = (x) => x.map((value) => Math.max(0, value))
const masked = (d, x) => d.map((value, i) => (x[i] > 0 ? value : 0))

/** A layer in 8 bits, as src/watermarks/mechanisms/network.ts reads it. */
function packed({ inputs, outputs, weights }) {
  const [own, biases] = [weights.subarray(0, inputs * outputs), weights.subarray(inputs * outputs)]
  const scaleOf = (values) =>
    Number((values.reduce((most, w) => Math.max(most, Math.abs(w)), 1e-9) / 127).toPrecision(8))
  const [scale, biasScale] = [scaleOf(own), scaleOf(biases)]
  const bytes = Int8Array.from(weights, (w, i) => Math.round(w / (i < own.length ? scale : biasScale)))
  // what is measured below is what ships
  for (let i = 0; i < weights.length; i++) weights[i] = bytes[i] * (i < own.length ? scale : biasScale)
  return { inputs, outputs, scale, biasScale, bytes: Buffer.from(bytes.buffer).toString('base64') }
}

function write(name, about, parts) {
  const fields = Object.entries(parts)
    .map(([key, value]) => `  ${key}: ${JSON.stringify(value)},\n`)
    .join('')
  writeFileSync(
    new URL(`../src/watermarks/mechanisms/${name}-network.ts`, import.meta.url),
    `/** ${about} Written by scripts/train-networks.mjs. */\nexport const ${name}Network = {\n${fields}}\n`,
  )
}

/** Adds what was measured to the report. */
function note(name, found) {
  const known = existsSync(REPORT) ? JSON.parse(readFileSync(REPORT, 'utf8')) : {}
  writeFileSync(REPORT, `${JSON.stringify({ ...known, [name]: found }, null, 2)}\n`)
  console.log(name, found)
}

const UPV = { bits: 10, hidden: 64, depth: 5, windows: 2000, epochs: 120, batch: 32, rate: 1e-3 }

function trainUpv() {
  const { bits, hidden, depth, windows, epochs, batch, rate } = UPV
  const random = seededRandom('training of upv')
  const codes = 2 ** bits
  const sub = [
    dense(bits, hidden, random),
    ...Array.from({ length: depth }, () => dense(hidden, hidden, random)),
  ]
  const context = dense(hidden, hidden, random)
  const candidate = dense(hidden, hidden, random)
  const last = dense(hidden, 1, random)
  const layers = [...sub, context, candidate, last]
  const bitsOf = (code) => Float64Array.from({ length: bits }, (_, i) => (code >> (bits - 1 - i)) & 1)
  const embed = (code) => {
    const states = [bitsOf(code)]
    for (const [i, one] of sub.entries()) states.push(forward(one, i === 0 ? states[0] : relu(states.at(-1))))
    return states
  }
  const embedBack = (states, d) => {
    let gradient = d
    for (let i = sub.length - 1; i > 0; i--)
      gradient = masked(backward(sub[i], relu(states[i]), gradient), states[i])
    backward(sub[0], states[0], gradient)
  }
  const examples = Array.from({ length: windows }, () => ({
    window: random.below(codes),
    candidates: [random.below(codes), random.below(codes)], // labels 0 and 1
  }))
  let loss = 0
  const started = process.cpuUsage()
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let i = examples.length - 1; i > 0; i--) {
      const j = random.below(i + 1)
      ;[examples[i], examples[j]] = [examples[j], examples[i]]
    }
    loss = 0
    for (let at = 0; at < examples.length; at += batch) {
      const size = Math.min(batch, examples.length - at)
      for (const { window, candidates } of examples.slice(at, at + size)) {
        const before = embed(window)
        const fromContext = forward(context, before.at(-1))
        const dContext = new Float64Array(hidden)
        for (const [label, code] of candidates.entries()) {
          const own = embed(code)
          const fromOwn = forward(candidate, own.at(-1))
          const mixed = fromContext.map((value, i) => value + fromOwn[i])
          const [logit] = forward(last, relu(mixed))
          const chance = 1 / (1 + Math.exp(-logit))
          loss += (label === 1 ? Math.log1p(Math.exp(-logit)) : Math.log1p(Math.exp(logit))) / (2 * windows)
          const d = masked(backward(last, relu(mixed), [(chance - label) / (2 * size)]), mixed)
          embedBack(own, backward(candidate, own.at(-1), d))
          for (let i = 0; i < hidden; i++) dContext[i] += d[i]
        }
        embedBack(before, backward(context, before.at(-1), dContext))
      }
      context.gradient.fill(0, hidden * hidden) // one bias is enough
      adam(layers, rate)
    }
    if (epoch % 10 === 9) console.log(`upv: epoch ${epoch + 1}, loss ${loss.toFixed(4)}`)
  }
  write('upv', 'The network of `upv()`.', {
    bits,
    sub: sub.map(packed),
    context: packed(context),
    candidate: packed(candidate),
    last: packed(last),
  })
  const isGreen = (window, code) => {
    const own = forward(candidate, embed(code).at(-1))
    return (
      forward(last, relu(forward(context, embed(window).at(-1)).map((value, i) => value + own[i])))[0] > 0
    )
  }
  const right = examples.reduce(
    (sum, { window, candidates: [red, green] }) =>
      sum + (isGreen(window, red) ? 0 : 1) + (isGreen(window, green) ? 1 : 0),
    0,
  )
  note('upv', {
    ...UPV,
    labelsKept: Number((right / (2 * windows)).toFixed(4)),
    parameters: layers.reduce((sum, { weights }) => sum + weights.length, 0) - hidden,
    loss: Number(loss.toFixed(4)),
    seconds: Math.round(process.cpuUsage(started).user / 1e6),
  })
}

const SIR = {
  inputs: 384,
  hidden: 64,
  classes: 300,
  sentences: 2000,
  batch: 32,
  steps: 3000,
  rate: 1e-3,
  decay: 1e-2,
}

/** Sentences of the embedded datasets. */
function sentences() {
  const lines = (name) =>
    readFileSync(new URL(`../fixtures/data/${name}-test.jsonl`, import.meta.url), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const texts = [
    ...lines('continuation').map(({ prompt, reference }) => `${prompt} ${reference}`),
    ...lines('stories').map(({ prompt, reference }) => `${prompt} ${reference}`),
    ...lines('translation').map(({ reference }) => reference),
  ]
  const all = texts
    .flatMap((text) => text.split(/(?<=[.!?])\s+/))
    .filter((text) => text.split(' ').length >= 5)
  return { texts, all }
}

async function minilmEmbeddings(texts) {
  const { env, pipeline } = await import('@huggingface/transformers')
  const { fetchModel } = await import('../dist/text/models/fetched-model.js')
  const { minilm } = await import('../dist/text/models/minilm.js')
  const folder = await fetchModel(minilm)
  env.allowRemoteModels = false
  env.localModelPath = ''
  const encode = await pipeline('feature-extraction', folder, {
    dtype: 'q8',
    session_options: { intraOpNumThreads: 1 },
  })
  const found = []
  for (let at = 0; at < texts.length; at += 50) {
    const out = await encode(texts.slice(at, at + 50), { pooling: 'mean', normalize: true })
    found.push(...out.tolist().map((row) => Float64Array.from(row)))
  }
  return found
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0)
const norm = (a) => Math.sqrt(dot(a, a)) + 1e-12

/** The loss of one pair of batches, and its gradients in the outputs. */
function sirLoss(inputs, outputs) {
  const [half, classes] = [inputs.length / 2, outputs[0].length]
  const d = outputs.map(() => new Float64Array(classes))
  const cosines = []
  for (let i = 0; i < half; i++) for (let j = half; j < 2 * half; j++) cosines.push(dot(inputs[i], inputs[j]))
  const median = cosines.toSorted((a, b) => a - b)[cosines.length >> 1]
  const norms = outputs.map(norm)
  let loss = 0
  for (let i = 0, at = 0; i < half; i++)
    for (let j = half; j < 2 * half; j++, at++) {
      const cosine = dot(outputs[i], outputs[j]) / (norms[i] * norms[j])
      const gap = cosine - Math.tanh(20 * (cosines[at] - median))
      loss += Math.abs(gap) / (half * half)
      const g = Math.sign(gap) / (half * half)
      for (let c = 0; c < classes; c++) {
        d[i][c] += g * (outputs[j][c] / (norms[i] * norms[j]) - (cosine * outputs[i][c]) / norms[i] ** 2)
        d[j][c] += g * (outputs[i][c] / (norms[i] * norms[j]) - (cosine * outputs[j][c]) / norms[j] ** 2)
      }
    }
  const n = outputs.length
  const columns = new Float64Array(classes)
  for (const out of outputs) for (let c = 0; c < classes; c++) columns[c] += out[c] / n
  for (const [i, out] of outputs.entries()) {
    const row = out.reduce((sum, x) => sum + x, 0) / classes
    loss += (0.1 * row * row) / n
    for (let c = 0; c < classes; c++) {
      d[i][c] += (0.2 * row) / (n * classes) + (0.2 * columns[c]) / (n * classes)
      if (Math.abs(out[c]) < 0.05) {
        loss += (0.05 - Math.abs(out[c])) / (n * classes)
        d[i][c] -= Math.sign(out[c]) / (n * classes)
      }
    }
  }
  loss += (0.1 * dot(columns, columns)) / classes
  return { loss, d }
}

/** Pearson's correlation. */
function correlation(x, y) {
  const mean = (a) => a.reduce((sum, v) => sum + v, 0) / a.length
  const [mx, my] = [mean(x), mean(y)]
  const [dx, dy] = [x.map((v) => v - mx), y.map((v) => v - my)]
  return dot(dx, dy) / (norm(dx) * norm(dy))
}

async function trainSir() {
  const { inputs, hidden, classes, batch, rate, decay } = SIR
  const random = seededRandom('training of sir')
  const { texts, all } = sentences()
  const chosen = Array.from({ length: SIR.sentences + 400 }, () => all[random.below(all.length)])
  console.log('sir: encoding')
  const fromMinilm = await minilmEmbeddings(chosen)
  // the stand-in sees ids: numbers of words here, in the order of their first occurrence
  const ids = new Map()
  const idOf = (word) => {
    if (!ids.has(word)) ids.set(word, ids.size)
    return ids.get(word)
  }
  const fromTokens = Array.from({ length: chosen.length }, () => {
    const words = texts[random.below(texts.length)].toLowerCase().match(/[a-z']+|[^a-z'\s]/g)
    const length = Math.min(words.length, 10 * (1 + random.below(10)))
    const start = random.below(words.length - length + 1)
    return sirEmbedding(words.slice(start, start + length).map(idOf))
  })
  const first = dense(inputs, hidden, random)
  const inner = [dense(hidden, hidden, random), dense(hidden, hidden, random)]
  const last = dense(hidden, classes, random)
  const layers = [first, ...inner, last]
  const run = (x) => {
    const states = [x, forward(first, x)]
    const insides = []
    for (const one of inner) {
      const inside = forward(one, states.at(-1))
      insides.push(inside)
      states.push(states.at(-1).map((value, i) => value + Math.max(0, inside[i])))
    }
    return { states, insides, out: forward(last, states.at(-1)) }
  }
  let loss = 0
  const started = process.cpuUsage()
  for (let step = 0; step < SIR.steps; step++) {
    const source = step % 2 === 0 ? fromMinilm : fromTokens
    const x = Array.from({ length: 2 * batch }, () => source[random.below(SIR.sentences)])
    const runs = x.map(run)
    const found = sirLoss(
      x,
      runs.map(({ out }) => out),
    )
    loss = step === 0 ? found.loss : 0.99 * loss + 0.01 * found.loss
    for (const [i, { states, insides }] of runs.entries()) {
      let d = backward(last, states.at(-1), found.d[i])
      for (let k = inner.length - 1; k >= 0; k--) {
        const more = backward(inner[k], states[k + 1], masked(d, insides[k]))
        d = d.map((value, j) => value + more[j])
      }
      backward(first, states[0], d)
    }
    adam(layers, step < SIR.steps * 0.7 ? rate : rate / 5, decay)
    if (step % 500 === 499) console.log(`sir: step ${step + 1}, loss ${loss.toFixed(4)}`)
  }
  write('sir', 'The network of `sir()`.', {
    first: packed(first),
    inner: inner.map(packed),
    last: packed(last),
  })
  // held-out texts
  const measured = (source) => {
    const x = source.slice(SIR.sentences)
    const signs = x.map((one) => {
      const { out } = run(one)
      const mean = out.reduce((sum, v) => sum + v, 0) / classes
      return out.map((v) => (v > mean ? 1 : -1))
    })
    const [before, after] = [[], []]
    for (let i = 0; i < 200; i++)
      for (let j = 200; j < 400; j++) {
        before.push(dot(x[i], x[j]))
        after.push(dot(signs[i], signs[j]) / classes)
      }
    const shares = Array.from(
      { length: classes },
      (_, c) => signs.filter((row) => row[c] < 0).length / signs.length,
    )
    return {
      correlation: Number(correlation(before, after).toFixed(3)),
      meanCosine: Number((after.reduce((sum, v) => sum + v, 0) / after.length).toFixed(3)),
      green: Number((shares.reduce((sum, v) => sum + v, 0) / classes).toFixed(3)),
      fixedClasses: Number(
        (shares.filter((share) => share < 0.05 || share > 0.95).length / classes).toFixed(3),
      ),
    }
  }
  note('sir', {
    ...SIR,
    parameters: layers.reduce((sum, { weights }) => sum + weights.length, 0),
    loss: Number(loss.toFixed(4)),
    seconds: Math.round(process.cpuUsage(started).user / 1e6),
    minilm: measured(fromMinilm),
    tokens: measured(fromTokens),
  })
}

const asked = process.argv.slice(2)
if (asked.length === 0 || asked.includes('upv')) trainUpv()
steps = 0
if (asked.length === 0 || asked.includes('sir')) await trainSir()
