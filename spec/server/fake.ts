/**
 * A server in the same process: batches requests that arrive together and answers them in OpenAI's shapes, over a toy
 * model of stories. `mistake` plants an error of real engines into the marked path.
 */
import { type Stream, seededRandom } from '../../src/core/keys/index.ts'
import { embedder, ngram } from '../../src/index.ts'
import { draw, type LanguageModel, type Session, warper } from '../../src/text/decode/index.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import { type AnyWatermark, gumbel } from '../../src/watermarks/index.ts'

export type Mistake =
  | 'top-k after the mark'
  | 'one random number for a batch'
  | 'padding in contexts'
  | 'float16 in the mark'
  | 'untruncated acceptance'
  | 'no end token'
  | 'temperature twice'

export interface FakeOptions {
  readonly watermark?: AnyWatermark
  readonly mistake?: Mistake
  readonly seed?: number
  readonly model?: LanguageModel
  /** Report probabilities before temperature and cutoffs, as vLLM does by default. */
  readonly raw?: boolean
  /** Report probabilities after the mark. */
  readonly marked?: boolean
  readonly key?: string
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of a request
type Body = Record<string, any>

interface Row {
  readonly body: Body
  readonly prompt: number[]
  readonly seen: number[]
  readonly tokens: number[]
  readonly stream: Stream
  readonly warp: ReturnType<typeof warper>
  readonly mark: ReturnType<typeof embedder> | undefined
  readonly tops: Record<string, number>[]
  readonly logprobs: number[]
  finish?: string
}

export const KEY = 'a key of sixteen bytes'
const SIZE = 600
const END = SIZE - 1
/** Shapes of next-token distributions, from nearly certain to wide, as logits without the end token. */
const shapes = Array.from({ length: 64 }, (_, i) => {
  const stream = seededRandom(i, 'shape')
  const sharpness = [0.9, 1.3, 1.8, 2.6][i % 4]!
  const logits = Float32Array.from({ length: END }, () => -sharpness * Math.log(-Math.log(stream.uniform())))
  const sum = logits.reduce((total, x) => total + Math.exp(x), 0)
  return Float32Array.from([...logits, Math.log(sum / 149)])
})

/** A toy model of stories: the last six tokens choose a shape and turn it around; the end token comes once in 150 tokens. */
class Stories implements Session {
  logits = new Float32Array(0)
  #texts: number[][]
  constructor(prompts: readonly ArrayLike<number>[]) {
    this.#texts = prompts.map((prompt) => Array.from(prompt).slice(-6))
    this.#write()
  }
  get rows(): number {
    return this.#texts.length
  }
  async step(tokens: ArrayLike<number>): Promise<void> {
    for (const [row, text] of this.#texts.entries()) {
      text.push(tokens[row]!)
      if (text.length > 6) text.shift()
    }
    this.#write()
  }
  select(rows: readonly number[]): void {
    this.#texts = rows.map((row) => [...this.#texts[row]!])
    this.#write()
  }
  dispose(): void {
    this.#texts = []
  }
  #write(): void {
    this.logits = new Float32Array(SIZE * this.rows)
    for (const [row, text] of this.#texts.entries()) {
      const hash = text.reduce((h, token) => Math.imul(h ^ token, 0x9e3779b1) ^ (h >>> 15), 7) >>> 0
      const shape = shapes[hash % 64]!
      const turn = (hash >>> 8) % END
      for (let i = 0; i < END; i++) this.logits[SIZE * row + ((i + turn) % END)] = shape[i]!
      this.logits[SIZE * row + END] = shape[END]!
    }
  }
}

const toyStories: LanguageModel = {
  ...markovModel({ vocabSize: SIZE }),
  endTokens: [END],
  begin: async (prompts) => new Stories(prompts),
}

const plainWarp = warper()

/** Rounds to the 11 significant bits of float16. */
const half = (x: number): number => {
  if (x === 0 || !Number.isFinite(x)) return x
  const unit = 2 ** Math.max(-24, Math.floor(Math.log2(Math.abs(x))) - 10)
  return Math.round(x / unit) * unit
}

/** The n most probable tokens, most probable first. */
function topOf(p: Float64Array, n: number): [number, number][] {
  const best: [number, number][] = []
  for (let id = 0; id < p.length; id++) {
    const value = p[id]!
    if (value === 0 || (best.length === n && value <= best[n - 1]![1])) continue
    if (best.length === n) best.pop()
    let at = best.length
    while (at > 0 && best[at - 1]![1] < value) at--
    best.splice(at, 0, [id, value])
  }
  return best
}

export function fakeServer({
  watermark = gumbel({ context: ngram(4) }),
  mistake,
  seed = 1,
  model = toyStories,
  raw,
  marked: reportsMarked,
  key = KEY,
}: FakeOptions = {}) {
  const { vocabSize } = model
  const [p, q, full] = [new Float64Array(vocabSize), new Float64Array(vocabSize), new Float64Array(vocabSize)]
  let texts = 0
  let served = 0

  function next(row: Row, logits: Float32Array, from: number, shared: number, padded: number): number {
    const { body, mark, seen, stream } = row
    const { temperature = 1, top_p: topP = 1, top_k: topK = 0 } = body
    const on = mark !== undefined
    row.warp(logits, from, p)
    if (raw || mistake === 'untruncated acceptance') plainWarp(logits, from, full)
    const reported = raw ? full : p
    let use: Float64Array = p
    if (on && mistake === 'temperature twice')
      use = warped(logits, from, { temperature: temperature ** 2, topP, topK })
    if (on && mistake === 'top-k after the mark') use = warped(logits, from, { temperature })
    if (on && mistake === 'no end token') {
      use = p.slice()
      for (const end of model.endTokens) use[end] = 0
      const sum = use.reduce((a, b) => a + b, 0)
      for (let i = 0; i < use.length; i++) use[i]! /= sum
    }
    // a draft from the truncated law is accepted against the full one, and replaced by a draw from the full one
    if (on && mistake === 'untruncated acceptance') use = stream.uniform() < 0.5 ? p : full
    let known = seen
    if (mistake === 'padding in contexts' && padded > 0)
      known = [...row.prompt, ...Array(padded).fill(0), ...row.tokens]
    const isMarked = mark?.reweight(known, use, q) ?? false
    const u = mistake === 'one random number for a batch' && on ? shared : stream.uniform()
    let token = draw(isMarked ? q : use, u)
    if (isMarked && mistake === 'float16 in the mark') token = halfRace(use, known)
    if (isMarked && mistake === 'top-k after the mark' && topK > 0) {
      const kept = new Set(topOf(q, topK).map(([id]) => id))
      for (let i = 0; i < q.length; i++) if (!kept.has(i)) q[i] = 0
      const sum = q.reduce((a, b) => a + b, 0)
      token = draw(
        q.map((value) => value / sum),
        u,
      )
    }
    mark?.drew(token, Math.max(use[token]!, 1e-300))
    if (body.logprobs > 0) {
      const shown = reportsMarked && isMarked ? q : reported
      const own = shown[token]! > 0 ? Math.log(shown[token]!) : -9999
      row.logprobs.push(own)
      row.tops.push(
        Object.fromEntries(
          [...topOf(shown, body.logprobs), [token, Math.exp(own)] as [number, number]].map(([id, value]) => [
            `token_id:${id}`,
            Math.log(value) || (value === 1 ? 0 : -9999),
          ]),
        ),
      )
    }
    seen.push(token)
    row.tokens.push(token)
    if (model.endTokens.includes(token)) row.finish = 'stop'
    else if (row.tokens.length >= body.max_tokens) row.finish = 'length'
    return token
  }

  function warped(logits: Float32Array, from: number, sampling: object): Float64Array {
    const out = new Float64Array(vocabSize)
    warper(sampling)(logits, from, out)
    return out
  }

  /** Gumbel's race with uniform numbers of the code rounded to float16, where many round to 1. */
  function halfRace(use: Float64Array, known: readonly number[]): number {
    const random = seededRandom(key, 'half', ...known.slice(-4))
    let best = 0
    let most = Number.NEGATIVE_INFINITY
    for (let i = 0; i < vocabSize; i++) {
      const u = half(random.uniform())
      if (use[i]! === 0) continue
      const value = half(Math.log(u)) / use[i]!
      if (value > most) [best, most] = [i, value]
    }
    return best
  }

  async function write(rows: Row[]): Promise<void> {
    const longest = Math.max(...rows.map(({ prompt }) => prompt.length))
    const session = await model.begin(rows.map(({ prompt }) => prompt))
    const live = [...rows]
    while (live.length > 0) {
      const shared = seededRandom(seed, 'step', served++).uniform()
      const drawn = live.map((row, r) =>
        next(row, session.logits, r * vocabSize, shared, longest - row.prompt.length),
      )
      const left = live.flatMap((row, r) => (row.finish === undefined ? [r] : []))
      const rest = left.map((r) => live[r]!)
      if (left.length < live.length) {
        session.select(left)
        live.splice(0, live.length, ...rest)
      }
      if (live.length > 0) await session.step(left.map((r) => drawn[r]!))
    }
    session.dispose()
  }

  const rowsOf = (body: Body): Row[] => {
    const prompt: number[] = Array.isArray(body.prompt)
      ? body.prompt
      : String(body.prompt)
          .split(' ')
          .map((word) => Array.from(word).reduce((h, c) => (31 * h + c.charCodeAt(0)) % 590, 7))
    return Array.from({ length: body.n ?? 1 }, (_, i) => ({
      body,
      prompt,
      seen: [...prompt],
      tokens: [],
      warp: warper({ temperature: body.temperature, topP: body.top_p, topK: body.top_k }),
      stream:
        body.seed === undefined ? seededRandom(seed, 'text', texts++) : seededRandom(body.seed, 'request', i),
      mark:
        body.watermarking === false
          ? undefined
          : embedder(watermark, { key, vocabSize, seed: texts++, check: false }),
      tops: [],
      logprobs: [],
    }))
  }

  const answer = (rows: Row[]) => ({
    object: 'text_completion',
    choices: rows.map(({ body, prompt, tokens, tops, logprobs, finish }, index) => ({
      index,
      text: model.tokenizer.decode(tokens),
      finish_reason: finish,
      logprobs:
        body.logprobs > 0
          ? { tokens: tokens.map((id) => `token_id:${id}`), token_logprobs: logprobs, top_logprobs: tops }
          : null,
      ...(body.return_token_ids && { token_ids: tokens, prompt_token_ids: prompt }),
    })),
  })

  let waiting: { rows: Row[]; done: (value: object) => void }[] = []
  const complete = (body: Body): Promise<object> =>
    new Promise((resolve) => {
      if (waiting.length === 0)
        setImmediate(async () => {
          const batch = waiting
          waiting = []
          await write(batch.flatMap(({ rows }) => rows))
          for (const { rows, done } of batch) done(answer(rows))
        })
      waiting.push({ rows: rowsOf(body), done: resolve })
    })

  return {
    complete,
    /** Stands in for the global `fetch`. */
    fetch: async (url: string, init: { body?: string } = {}): Promise<Response> =>
      url.endsWith('/models')
        ? Response.json({ data: [{ id: 'toy' }] })
        : Response.json(await complete(JSON.parse(init.body!))),
  }
}
