/**
 * Attacks texts of any source, as JSON Lines that `uwbench detect` and `uwbench eval` take. An interrupted run resumes: texts that the file already has are
 * not attacked again.
 */
import { closeSync, readFileSync, writeFileSync } from 'node:fs'
import { cannotWrite } from '../../bench/report/index.ts'
import { detect } from '../../core/detect/index.ts'
import { integer, number, oneOf } from '../../input.ts'
import {
  isCharacterEdit,
  type Oracle,
  oracleForge,
  oracleRemove,
  parseAttack,
  scrub,
  serverOracle,
  steal,
  stolenWatermark,
} from '../../text/attacks/index.ts'
import type { Row } from '../../text/corpus/index.ts'
import type { LanguageModel, Prompt, Tokenizer } from '../../text/decode/index.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { type EvaluatedText, readEvaluated } from './eval-texts.ts'
import { outputFile } from './files.ts'
import { checkSettings, digestOf, earlierRun, isDone, openAtEnd } from './generate-many.ts'
import { watermarkNamed } from './ids.ts'
import { keyFlags, readKey } from './key.ts'
import { lockFile } from './lock.ts'
import { checkModelName } from './model-name.ts'
import { jsonLine, type Output } from './output.ts'
import { watermarkOf } from './own-watermark.ts'
import { tokenizerOf } from './tokenizer.ts'

/** The most texts of one run: they are in memory. */
const MAX_TEXTS = 200_000
/** Texts that a model writes at once. */
const BATCH = 16

/** Attacks with a budget, besides the edits that `parseAttack` reads. */
const adversaries = ['steal', 'scrub', 'remove', 'forge']

/** A text after an attack: the columns that it adds, and tokens. */
type Made = Row & { readonly tokens: readonly number[] }

interface Work {
  readonly input: Input
  readonly texts: readonly EvaluatedText[]
  readonly seed: string
  readonly budget: number
  /** Loaded when it is first asked for. */
  readonly model: () => Promise<LanguageModel>
}

/** An attack, ready to be made on each text; `count` texts come out. */
interface Ready {
  readonly count: number
  readonly tokenizer?: Tokenizer | undefined
  make(index: number): Promise<Made>
}

const promptOf = (row: Row): Prompt | undefined =>
  typeof row.prompt === 'string' || Array.isArray(row.prompt) ? (row.prompt as Prompt) : undefined

async function editing({ input, texts, seed }: Work, id: string): Promise<Ready> {
  const attack = parseAttack(id)
  const wanted = isCharacterEdit(attack) || texts.some(({ text }) => text !== undefined)
  const tokenizer = wanted ? (await tokenizerOf(input)).tokenizer : undefined
  return {
    count: texts.length,
    tokenizer,
    async make(i) {
      const { tokens, vocabSize } = texts[i]!
      const options = { seed: `${seed}/${i}`, vocabSize, tokenizer }
      return { ...(await attack.apply(tokens, options)) }
    },
  }
}

async function referenceTexts({ input, texts, seed, budget, model }: Work): Promise<ArrayLike<number>[]> {
  const file = input.flag('reference')
  if (file !== undefined) {
    const found: ArrayLike<number>[] = []
    for await (const { tokens } of readEvaluated(file, input)) found.push(tokens)
    return found
  }
  const { generateMany } = await import('../../text/models/index.ts')
  const own = texts.slice(0, budget)
  const longest = own.reduce((most, { tokens }) => Math.max(most, tokens.length), 1)
  const requests = own.map(({ row }, index) => ({ prompt: promptOf(row) ?? [], index }))
  const options = { seed: `${seed}/reference`, maxNewTokens: longest, batchSize: BATCH }
  return (await generateMany(await model(), requests, options)).map(({ tokens }) => tokens)
}

async function stolenFrom(work: Work) {
  const { input, texts, budget } = work
  const [first] = texts
  const width = integer('--width', input.number('width') ?? 2, 0, 64)
  const estimate = oneOf('--estimate', input.flag('estimate') ?? 'ratio', ['ratio', 'argmax'])
  const marked = texts.slice(0, budget).map(({ tokens }) => tokens)
  const reference = await referenceTexts(work)
  return steal(marked, { vocabSize: first!.vocabSize, reference, width, estimate })
}

/** Writes texts that imitate the mark. */
async function stealing(work: Work): Promise<Ready> {
  const { input, texts, seed } = work
  const model = await work.model()
  const watermark = stolenWatermark(await stolenFrom(work))
  const { generate } = await import('../../text/models/index.ts')
  return {
    count: integer('--count', input.number('count') ?? 20, 1, MAX_TEXTS),
    tokenizer: model.tokenizer,
    async make(i) {
      const { row, tokens: like } = texts[i % texts.length]!
      const maxNewTokens = integer('--max-tokens', input.number('max-tokens') ?? Math.max(1, like.length), 1)
      const options = {
        watermark,
        key: 'the forger has no key',
        seed,
        first: i,
        maxNewTokens,
        stopTokens: [],
      }
      const [text] = await generate(model, promptOf(row) ?? [], options)
      return { tokens: text!.tokens }
    },
  }
}

async function scrubbing(work: Work): Promise<Ready> {
  const { input, texts, seed } = work
  const model = await work.model()
  const share = number('--share', input.number('share') ?? 0.3, 0, 1)
  const attack = scrub(model, await stolenFrom(work), { share })
  return {
    count: texts.length,
    tokenizer: model.tokenizer,
    async make(i) {
      const { tokens, vocabSize } = texts[i]!
      return {
        ...(await attack.apply(tokens, { seed: `${seed}/${i}`, vocabSize, exclude: model.endTokens })),
      }
    },
  }
}

/** The detector that is asked: a server, or the own one under a key. */
async function oracleOf(input: Input, { vocabSize, row }: EvaluatedText, alpha: number): Promise<Oracle> {
  const url = input.flag('oracle')
  if (url !== undefined) return serverOracle(url, process.env.UWBENCH_TOKEN)
  const named = input.flag('watermark')
  if (named === undefined && typeof row.watermark !== 'string')
    throw new UsageError('no detector to ask: give --oracle URL, or --watermark and --key-file')
  const watermark =
    named === undefined ? watermarkNamed('watermark', row.watermark as string) : await watermarkOf(named)
  const { key } = readKey(input, watermark)
  const p = (tokens: readonly number[]) => detect(watermark, tokens, { key, vocabSize, alpha }).pValue
  return input.on('decision-only') ? (tokens) => p(tokens) <= alpha : p
}

async function asking({ input, texts, seed, budget }: Work, goal: string): Promise<Ready> {
  const alpha = number('--alpha', input.number('alpha') ?? 0.01, 0, 1, true)
  const oracle = await oracleOf(input, texts[0]!, alpha)
  const run = goal === 'remove' ? oracleRemove : oracleForge
  const wanted = texts.some(({ text }) => text !== undefined)
  return {
    count: texts.length,
    tokenizer: wanted ? (await tokenizerOf(input)).tokenizer : undefined,
    async make(i) {
      const { tokens, vocabSize } = texts[i]!
      return { ...(await run(tokens, oracle, { budget, vocabSize, alpha, seed: `${seed}/${i}` })) }
    },
  }
}

const readyFor = (work: Work, attack: string): Promise<Ready> =>
  attack === 'steal'
    ? stealing(work)
    : attack === 'scrub'
      ? scrubbing(work)
      : attack === 'remove' || attack === 'forge'
        ? asking(work, attack)
        : editing(work, attack)

/** Attacks the texts that the output does not have yet, each in a line. */
async function attackAll(work: Work, name: string, path: string, output: Output): Promise<void> {
  const { input, texts, seed, budget } = work
  const out = outputFile(input, 'out')
  const earlier = earlierRun(out)
  const settings = {
    attack: name,
    budget,
    seed,
    source: digestOf(readFileSync(path)),
  }
  if (earlier.first) checkSettings(out!, earlier.first, settings)
  const { count, tokenizer, make } = await readyFor(work, name)
  let [file, written] = [undefined as number | undefined, 0]
  try {
    for (let index = 0; index < count; index++) {
      const { row, watermark, vocabSize } = texts[index % texts.length]!
      const {
        id: own,
        prompt = null,
        tokens: _,
        text: __,
        token_ids: ___,
        logprobs: ____,
        entropy: _____,
        ...given
      } = row
      const id = name === 'steal' ? `steal-${index + 1}` : String(own ?? index + 1)
      const job = { id, row: given, prompt: prompt as Prompt, index }
      if (out !== undefined && isDone(out, earlier, job)) continue
      const { tokens, ...facts } = await make(index)
      const text = tokenizer === undefined ? {} : { text: tokenizer.decode(tokens) }
      const record = {
        ...given,
        id,
        prompt,
        ...text,
        watermark,
        vocabSize,
        ...settings,
        textIndex: index,
        ...facts,
        tokens,
      }
      if (out === undefined) output.raw(`${jsonLine(record)}\n`)
      else {
        file ??= openAtEnd(out, earlier, job)
        writeLine(out, file, `${jsonLine(record)}\n`)
      }
      written++
    }
  } finally {
    if (file !== undefined) closeSync(file)
  }
  const before = earlier.done.size > 0 ? `, which had ${earlier.done.size}` : ''
  if (out !== undefined) output.error(`wrote ${written} texts to ${out}${before}`)
}

function writeLine(path: string, file: number, line: string): void {
  try {
    writeFileSync(file, line)
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** Loads the model when it is first asked for, and frees it at the end. */
function lazyModel(input: Input) {
  const name = input.flag('model')
  if (name !== undefined) checkModelName('--model', name)
  let loaded: Promise<LanguageModel> | undefined
  const model = (): Promise<LanguageModel> => {
    loaded ??= import('../../text/models/index.ts').then(({ embeddedModel, loadModel }) =>
      name === undefined ? embeddedModel() : loadModel(name),
    )
    return loaded
  }
  return { model, dispose: async () => (await loaded)?.dispose() }
}

export const attack: Command = {
  usage: "FILE --attack 'typos(rate=0.05)' | steal | scrub | remove | forge [--budget N] [--out FILE]",
  summary:
    'Attacks texts: edits them, forges or washes out their watermark without its key. Prints JSON Lines.',
  words: 1,
  flags: {
    attack: {
      value: 'ID',
      short: 'a',
      help: "an edit such as 'replace(rate=0.3)' or 'homoglyphs(rate=0.1)'; steal: write texts with the mark of FILE; scrub: wash it out; remove, forge: ask a detector",
    },
    budget: {
      value: 'N',
      help: 'steal, scrub: texts of FILE to learn from, all by default; remove, forge: questions per text, 1000 by default',
    },
    reference: { value: 'FILE', help: 'steal, scrub: unmarked texts; by default the model writes as many' },
    width: { value: 'N', help: 'steal, scrub: tokens of context that the mark may look at; 2 by default' },
    estimate: { value: 'E', help: 'steal, scrub: ratio (default), or argmax for repeated prompts' },
    count: { value: 'N', help: 'steal: texts to write; 20 by default' },
    'max-tokens': { value: 'N', help: 'steal: length of the texts; by default as long as those of FILE' },
    share: { value: 'S', help: 'scrub: share of the tokens to replace; 0.3 by default' },
    oracle: {
      value: 'URL',
      help: 'remove, forge: a server of `uwbench serve`, whose token is in UWBENCH_TOKEN',
    },
    watermark: { value: 'ID', short: 'w', help: 'remove, forge: ask the own detector of this watermark' },
    ...keyFlags,
    'decision-only': { help: 'remove, forge: the own detector answers yes or no' },
    alpha: { value: 'A', help: 'remove, forge: level of the decision; 0.01 by default' },
    model: {
      value: 'DIR_OR_ID',
      help: "the attacker's model, without the mark; by default the embedded one",
    },
    tokenizer: {
      value: 'DIR_OR_ID',
      help: 'the tokenizer of texts without token ids; the embedded one by default',
    },
    'vocab-size': { value: 'N', help: "width of the model's logits, where records do not say" },
    field: { value: 'NAME', help: 'the column with the text or its token ids' },
    format: { value: 'F', help: 'the format of the file; by default from name or content' },
    seed: { value: 'S', help: 'the same seed gives the same attack; 1 by default' },
    out: { value: 'FILE', short: 'o', help: 'write the texts to FILE; a rerun resumes' },
  },
  async run(input, output) {
    const [path] = input.words
    const name = input.flag('attack')
    if (path === undefined || path === '-') throw new UsageError('no texts: give a file such as texts.jsonl')
    if (name === undefined)
      throw new UsageError(`no attack: give --attack ${adversaries.join(', ')} or an edit`)
    if (!adversaries.includes(name)) parseAttack(name)
    const asks = name === 'remove' || name === 'forge'
    const budget = integer('--budget', input.number('budget') ?? (asks ? 1000 : MAX_TEXTS), 1)
    const out = outputFile(input, 'out')
    const unlock = out === undefined ? undefined : lockFile(out)
    const { model, dispose } = lazyModel(input)
    try {
      const texts: EvaluatedText[] = []
      for await (const text of readEvaluated(path, input)) {
        if (texts.push(text) > MAX_TEXTS) throw new UsageError(`${path}: expected at most ${MAX_TEXTS} texts`)
      }
      if (texts.length === 0) throw new UsageError(`${path}: expected texts, found none`)
      await attackAll({ input, texts, seed: input.flag('seed') ?? '1', budget, model }, name, path, output)
      return 0
    } finally {
      await dispose()
      unlock?.()
    }
  },
}
